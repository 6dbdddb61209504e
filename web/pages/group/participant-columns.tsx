/** Columns of the table of participants. */
import { Badge, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { GroupParticipant } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { PersonMark } from '../../ui/PersonMark.tsx';
import { type RowAction, RowMenu } from '../../ui/RowMenu.tsx';
import ui from '../../ui/ui.module.css';
import { participantName } from '../groups/group-text.ts';
import { type Action, actionsFor, type GroupPart } from './group-actions.ts';
import classes from './group.module.css';

type Row = GroupParticipant & { id: string };

interface ColumnsOf extends GroupPart {
  /** Nothing stands against changes. */
  isFree: boolean;
}

const LABELS: Record<Action, string> = {
  promote: 'Make an admin',
  demote: 'Make a member',
  remove: 'Remove',
  ban: 'Ban',
};

export const participantColumns = (part: ColumnsOf): Column<Row>[] => [
  {
    key: 'name',
    title: 'Name',
    render: (participant) => {
      const name = participantName(participant);
      const isOwn = participant.address === part.instance?.address;
      return (
        <div className={classes.person}>
          <PersonMark name={name} address={participant.address} />
          <div className={classes.personNames}>
            <Text truncate dir="auto" title={name}>
              {name}
              {isOwn && <span className={classes.own}> your account</span>}
            </Text>
            {name !== participant.address && (
              <Text
                size="xs"
                c="dimmed"
                truncate
                className={`${ui.mono} ${ui.narrowOnly}`}
                title={participant.address}
              >
                {participant.address}
              </Text>
            )}
          </div>
        </div>
      );
    },
  },
  {
    key: 'address',
    title: 'Address',
    from: 'medium',
    render: ({ address }) => (
      <Text truncate className={`${ui.mono} ${classes.personAddress}`} title={address}>
        {address}
      </Text>
    ),
  },
  {
    key: 'role',
    title: 'Role',
    width: 90,
    render: ({ role }) =>
      role === 'member' ? <Text c="dimmed">member</Text> : <Badge className={classes.role}>{role}</Badge>,
  },
  {
    key: 'menu',
    title: <span className={classes.hidden}>Actions</span>,
    width: 44,
    align: 'right',
    render: (participant) => <Actions participant={participant} {...part} />,
  },
];

function Actions({ participant, group, instance, onAction, isFree }: ColumnsOf & { participant: Row }) {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const sends = useCan('messages:write');
  const reads = useCan('contacts:read');
  const { address, contact_id: contactId } = participant;
  const params = { workspace: workspace.slug };
  const isOwn = address === instance?.address;
  const write = () =>
    void navigate({
      to: '/w/$workspace/chats',
      params,
      search: { new: true, instance: group.instance_id, to: address },
    });
  const look = () =>
    void navigate({ to: '/w/$workspace/contacts', params, search: { id: contactId ?? undefined } });
  const actions: RowAction[] = [
    ...(sends && !isOwn ? [{ label: 'Message', onClick: write }] : []),
    ...(reads && contactId !== null ? [{ label: 'Show the contact', onClick: look }] : []),
    ...(isFree ? actionsFor(participant, group, instance) : []).map((kind) => ({
      label: LABELS[kind],
      danger: kind === 'remove' || kind === 'ban',
      onClick: () => onAction({ kind, participant }),
    })),
  ];
  if (actions.length === 0) return null;
  return <RowMenu of={participantName(participant)} actions={actions} />;
}
