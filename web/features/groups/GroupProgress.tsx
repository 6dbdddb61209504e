/** Shows the progress of creating or joining a group after its form was closed. */
import { plural, t } from '../../copy/text.ts';
import type { Job } from '../../api/types.ts';
import { getGroup, getRefused } from '../../api/use-action.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { JobProgress } from '../../patterns/JobProgress.tsx';
import { TextLink } from '../../design/links.tsx';
import { RejectedPeople } from './RejectedPeople.tsx';

function describeJob(job: Job): string {
  const joins = job.type === 'groups.join';
  if (job.state === 'queued' || job.state === 'running')
    return joins ? t('Joining the group…') : t('Creating the group…');
  if (job.state !== 'succeeded') {
    const values = { error: job.error?.detail ?? job.state };
    return joins
      ? t("Couldn't join the group: {error}", values)
      : t("Couldn't create the group: {error}", values);
  }
  const values = { subject: getGroup(job)?.subject ?? '' };
  const rejected = getRefused(job).length;
  if (rejected > 0)
    return plural(
      rejected,
      {
        one: "Created {subject}. {count} person couldn't be added:",
        other: "Created {subject}. {count} people couldn't be added:",
      },
      values,
    );
  return joins ? t('Joined {subject}', values) : t('Created {subject}', values);
}

interface GroupProgressProps {
  jobId: string;
  onOver: () => void;
  onClose: () => void;
}

export function GroupProgress(props: GroupProgressProps) {
  const { workspace } = useWorkspace();
  return (
    <JobProgress
      what={t('request')}
      said={describeJob}
      isBad={(job) => getRefused(job).length > 0}
      {...props}
    >
      {(job) => {
        const group = getGroup(job);
        return (
          <>
            <RejectedPeople job={job} />
            {group && (
              <TextLink to="/w/$workspace/groups/$id" params={{ workspace: workspace.slug, id: group.id }}>
                {t('Open group')}
              </TextLink>
            )}
          </>
        );
      }}
    </JobProgress>
  );
}
