/** Columns of the table of groups. */
import { Text } from '@mantine/core';
import type { Group, Instance } from '../../api/types.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import ui from '../../ui/ui.module.css';
import { membershipWord, participantsWord } from './group-text.ts';
import { GroupMark } from './GroupMark.tsx';
import classes from './groups.module.css';

const count = new Intl.NumberFormat('en');

/** What the account is in it: its role, or why it is in it no more. */
function Place({ group: { membership, role } }: { group: Group }) {
  if (membership === 'joined') return <StateDot tone="good">{role ?? membershipWord(membership)}</StateDot>;
  const isGone = membership === 'left' || membership === 'destroyed';
  return <StateDot tone={isGone ? 'idle' : 'bad'}>{membershipWord(membership)}</StateDot>;
}

/** @param instances for their names */
export const groupColumns = (instances: readonly Instance[]): Column<Group>[] => {
  const nameOf = (id: string) => instances.find((one) => one.id === id)?.name ?? '–';
  return [
    {
      key: 'subject',
      title: 'Group',
      render: (group) => (
        <div className={classes.named}>
          <GroupMark picture={group.picture} />
          <div className={classes.names}>
            <Text truncate dir="auto" fw={500} title={group.subject}>
              {group.subject}
            </Text>
            <Text size="xs" c="dimmed" truncate className={ui.narrowOnly}>
              {`${participantsWord(group.participants_count)} · ${nameOf(group.instance_id)}`}
            </Text>
            <Text
              size="xs"
              c="dimmed"
              truncate
              className={`${ui.mono} ${classes.wideOnly}`}
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
      title: 'Channel',
      from: 'medium',
      render: ({ instance_id: id }) => (
        <Text truncate className={classes.channel}>
          {nameOf(id)}
        </Text>
      ),
    },
    {
      key: 'participants',
      title: 'Participants',
      align: 'right',
      from: 'medium',
      width: 110,
      render: ({ participants_count: number }) => count.format(number),
    },
    { key: 'place', title: 'Your account', width: 120, render: (group) => <Place group={group} /> },
    {
      key: 'created_at',
      title: 'Known since',
      from: 'wide',
      width: 140,
      render: ({ created_at: at }) => <RelativeTime at={at} />,
    },
  ];
};
