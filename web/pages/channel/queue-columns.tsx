/** Columns of an account's queue. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queuedMessageQuery } from '../../api/queue.ts';
import type { Message, QueueEntry } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { Id } from '../../ui/Id.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import { useFromClock } from '../../ui/time.ts';
import ui from '../../ui/ui.module.css';
import classes from './channel.module.css';

type Row = QueueEntry & { id: string };

const TONES = { waiting: 'idle', due: 'live', sending: 'live', retrying: 'warn' } as const;

const ACTIONS: Partial<Record<QueueEntry['action'], string>> = {
  edit: 'Edit of',
  revoke: 'Taking back',
  react: 'Reaction to',
  read: 'Read mark for',
};

/** Its text, or what stands in its place. */
const textOf = (message: Message): string => {
  const content = message[message.type] as { body?: string; caption?: string | null } | null;
  return content?.body ?? content?.caption ?? message.type;
};

function useMessage(id: string | null): Message | undefined {
  const { workspace } = useWorkspace();
  return useQuery({ ...queuedMessageQuery(workspace.id, id ?? ''), enabled: id !== null }).data;
}

function What({ entry }: { entry: Row }) {
  const message = useMessage(entry.message_id);
  const about = ACTIONS[entry.action];
  return (
    <div className={classes.message}>
      <Text truncate>
        {about && <Text span inherit c="dimmed">{`${about} `}</Text>}
        {message ? textOf(message) : entry.message_id === null ? entry.action : '…'}
      </Text>
      <Text size="xs" c="dimmed" truncate className={ui.narrowOnly}>
        {message?.to ?? '–'}
      </Text>
      {entry.last_error && (
        <Text size="xs" truncate c="var(--mantine-color-error)" title={entry.last_error.detail}>
          {entry.last_error.detail}
        </Text>
      )}
    </div>
  );
}

function To({ entry }: { entry: Row }) {
  const message = useMessage(entry.message_id);
  return (
    <Text truncate className={`${ui.mono} ${classes.to}`}>
      {message?.to ?? '–'}
    </Text>
  );
}

function Due({ at }: { at: string | null }) {
  const due = useFromClock((now) => at !== null && Date.parse(at) <= now);
  if (at === null) return <span>after another</span>;
  return due ? <span>now</span> : <RelativeTime at={at} />;
}

export const QUEUE_COLUMNS: Column<Row>[] = [
  { key: 'message', title: 'Message', render: (entry) => <What entry={entry} /> },
  { key: 'to', title: 'Chat', from: 'medium', render: (entry) => <To entry={entry} /> },
  {
    key: 'state',
    title: 'State',
    width: 110,
    render: ({ state }) => <StateDot tone={TONES[state]}>{state}</StateDot>,
  },
  {
    key: 'attempts',
    title: 'Attempts',
    align: 'right',
    from: 'medium',
    width: 90,
    render: ({ attempts }) => attempts,
  },
  { key: 'due', title: 'Due', from: 'medium', width: 130, render: ({ due_at: at }) => <Due at={at} /> },
  {
    key: 'expires',
    title: 'Expires',
    from: 'wide',
    width: 130,
    render: ({ expires_at: at }) => <RelativeTime at={at} />,
  },
  {
    key: 'message_id',
    title: 'Message id',
    from: 'wide',
    render: ({ message_id: id }) => (id === null ? '–' : <Id id={id} short of="message id" />),
  },
];
