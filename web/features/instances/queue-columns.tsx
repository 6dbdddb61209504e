/** Columns of an instance's queue. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import { queuedMessageQuery } from '../../api/queue.ts';
import type { Message, QueueEntry } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import type { Column } from '../../patterns/table/column.ts';
import { Id } from '../../design/Id.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { StateDot } from '../../design/StateDot.tsx';
import { useFromClock } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import classes from './instance.module.css';

type Row = QueueEntry & { id: string };

const TONES = { waiting: 'idle', due: 'live', sending: 'live', retrying: 'warn' } as const;

const ACTIONS: Partial<Record<QueueEntry['action'], string>> = {
  edit: t('Edit'),
  revoke: t('Revoke'),
  react: t('Reaction'),
  pin: t('Pin'),
  unpin: t('Unpin'),
  read: t('Read receipt'),
};

const STATES: Record<QueueEntry['state'], string> = {
  waiting: t('Waiting'),
  due: t('Due'),
  sending: t('Sending'),
  retrying: t('Retrying'),
};

/** Returns the text of a message, or its type if it has none. */
const getText = (message: Message): string => {
  const content = message[message.type] as { body?: string; caption?: string | null } | null;
  return content?.body ?? content?.caption ?? message.type;
};

function useMessage(id: string | null): Message | undefined {
  const { workspace } = useWorkspace();
  return useQuery({ ...queuedMessageQuery(workspace.id, id ?? ''), enabled: id !== null }).data;
}

function MessageCell({ entry }: { entry: Row }) {
  const message = useMessage(entry.message_id);
  const action = ACTIONS[entry.action];
  return (
    <div className={classes.message}>
      <Text truncate>
        {action && <Text span inherit c="dimmed">{`${action}: `}</Text>}
        {message ? getText(message) : entry.message_id === null ? entry.action : '…'}
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

function RecipientCell({ entry }: { entry: Row }) {
  const message = useMessage(entry.message_id);
  return (
    <Text truncate className={`${ui.mono} ${atoms.narrow}`}>
      {message?.to ?? '–'}
    </Text>
  );
}

function DueCell({ at }: { at: string | null }) {
  const due = useFromClock((now) => at !== null && Date.parse(at) <= now);
  if (at === null) return <span>{t('After previous')}</span>;
  return due ? <span>{t('Now')}</span> : <RelativeTime at={at} />;
}

export const QUEUE_COLUMNS: Column<Row>[] = [
  { key: 'message', fixed: true, title: t('Message'), render: (entry) => <MessageCell entry={entry} /> },
  { key: 'to', title: t('Recipient'), from: 'medium', render: (entry) => <RecipientCell entry={entry} /> },
  {
    key: 'state',
    title: t('Status'),
    width: 110,
    render: ({ state }) => <StateDot tone={TONES[state]}>{STATES[state]}</StateDot>,
  },
  {
    key: 'attempts',
    title: t('Attempts'),
    align: 'right',
    from: 'medium',
    width: 90,
    render: ({ attempts }) => attempts,
  },
  {
    key: 'due',
    title: t('Due'),
    from: 'medium',
    width: 130,
    render: ({ due_at: at }) => <DueCell at={at} />,
  },
  {
    key: 'expires',
    title: t('Expires'),
    from: 'wide',
    width: 130,
    render: ({ expires_at: at }) => <RelativeTime at={at} />,
  },
  {
    key: 'message_id',
    title: t('Message ID'),
    from: 'wide',
    render: ({ message_id: id }) => (id === null ? '–' : <Id id={id} short of={t('message ID')} />),
  },
];
