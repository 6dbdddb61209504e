/** Columns of the table of groups. */
import { Text } from '@mantine/core';
import atoms from '../../design/atoms.module.css';
import { formatNumber, t } from '../../copy/text.ts';
import { useQuery } from '@tanstack/react-query';
import { instanceNameQuery } from '../../api/instances.ts';
import type { Group } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import type { Column } from '../../patterns/table/column.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { Status } from '../../design/Status.tsx';
import ui from '../../design/ui.module.css';
import { participantsLabel, standingLabel } from './group-text.ts';
import { GroupMark } from './GroupMark.tsx';
import classes from './groups.module.css';

/** Shows the role of the instance, or why it is no longer in the group. */
function Standing({ group }: { group: Group }) {
  const { membership } = group;
  if (membership === 'joined') return <Text>{standingLabel(group)}</Text>;
  const tone = membership === 'removed' || membership === 'banned' ? 'bad' : 'idle';
  return <Status tone={tone}>{standingLabel(group)}</Status>;
}

function InstanceName({ id }: { id: string }) {
  const { workspace } = useWorkspace();
  const { data } = useQuery(instanceNameQuery(workspace.id, id));
  return data ?? '–';
}

export const GROUP_COLUMNS: Column<Group>[] = [
  {
    key: 'subject',
    fixed: true,
    title: t('Group'),
    render: (group) => (
      <div className={atoms.named}>
        <GroupMark picture={group.picture} />
        <div className={classes.names}>
          <Text truncate dir="auto" fw={500} title={group.subject}>
            {group.subject}
          </Text>
          <Text size="xs" c="dimmed" truncate className={ui.narrowOnly}>
            {participantsLabel(group.participants_count)} · <InstanceName id={group.instance_id} />
          </Text>
          <Text
            size="xs"
            c="dimmed"
            truncate
            className={`${ui.mono} ${atoms.wideOnly}`}
            title={group.external_id}
          >
            {group.external_id}
          </Text>
        </div>
      </div>
    ),
  },
  {
    key: 'instance',
    title: t('Instance'),
    from: 'medium',
    render: ({ instance_id: id }) => (
      <Text truncate className={classes.channel}>
        <InstanceName id={id} />
      </Text>
    ),
  },
  {
    key: 'participants',
    title: t('Participants'),
    align: 'right',
    from: 'medium',
    width: 110,
    render: ({ participants_count: count }) => formatNumber(count),
  },
  { key: 'place', title: t('Membership'), width: 110, render: (group) => <Standing group={group} /> },
  {
    key: 'created_at',
    title: t('Created'),
    from: 'wide',
    width: 140,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];
