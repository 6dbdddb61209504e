/** How far the channel is with a group that is made or joined, told where the form for it was left. */
import type { Job } from '../../api/types.ts';
import { groupOf, refusedOf } from '../../api/use-action.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { JobProgress } from '../../ui/JobProgress.tsx';
import { TextLink } from '../../ui/links.tsx';
import { RefusedPeople } from './RefusedPeople.tsx';

function saidOf(job: Job): string {
  const joins = job.type === 'groups.join';
  if (job.state === 'queued' || job.state === 'running')
    return joins ? 'The channel is asked to let your account in.' : 'The channel is asked to make the group.';
  if (job.state !== 'succeeded')
    return `${joins ? 'Not joined' : 'The group was not made'}: ${job.error?.detail ?? job.state}`;
  const refused = refusedOf(job).length;
  const said = `${joins ? 'Joined' : 'Made'}: ${groupOf(job)?.subject ?? ''}`;
  return refused === 0 ? said : `${said}. ${refused} could not be added:`;
}

interface GroupProgressProps {
  jobId: string;
  onOver: () => void;
  onClose: () => void;
}

export function GroupProgress(props: GroupProgressProps) {
  const { workspace } = useWorkspace();
  return (
    <JobProgress what="request" said={saidOf} isBad={(job) => refusedOf(job).length > 0} {...props}>
      {(job) => {
        const group = groupOf(job);
        return (
          <>
            <RefusedPeople job={job} />
            {group && (
              <TextLink to="/w/$workspace/groups/$id" params={{ workspace: workspace.slug, id: group.id }}>
                Open the group
              </TextLink>
            )}
          </>
        );
      }}
    </JobProgress>
  );
}
