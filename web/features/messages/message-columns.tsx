/** Columns of the messages page. */
import { Text } from '@mantine/core';
import { IconArrowDownLeft, IconArrowUpRight } from '@tabler/icons-react';
import type { Chat, Message } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { Status } from '../../design/Status.tsx';
import ui from '../../design/ui.module.css';
import type { Column } from '../../patterns/table/column.ts';
import { sourceLabel, statusLabel, getSummary, typeWord } from './message-text.ts';
import { chatLabel } from './chat-label.ts';
import { messageTone } from './message-status.ts';
import classes from './messages.module.css';
import { Snippet } from './Snippet.tsx';

interface ColumnsProps {
  chats: ReadonlyMap<string, Chat>;
  instances: ReadonlyMap<string, string>;
  query: string | undefined;
}

function Direction({ direction }: Pick<Message, 'direction'>) {
  const Icon = direction === 'inbound' ? IconArrowDownLeft : IconArrowUpRight;
  const label = direction === 'inbound' ? t('Inbound') : t('Outbound');
  return <Icon className={classes.direction} size={15} aria-label={label} role="img" />;
}

export const messageColumns = ({ chats, instances, query }: ColumnsProps): Column<Message>[] => [
  {
    key: 'message',
    fixed: true,
    title: t('Message'),
    render: (message) => (
      <div className={classes.message}>
        <Direction direction={message.direction} />
        <div className={classes.words}>
          <Text truncate dir="auto">
            <Snippet text={getSummary(message)} query={query} />
          </Text>
          {message.error && (
            <Text size="xs" c="var(--mantine-color-error)" lineClamp={2}>
              {message.error.detail || message.error.title}
            </Text>
          )}
          <Text size="xs" c="dimmed" component="div" className={ui.narrowOnly}>
            <span className={classes.about}>
              <Text span inherit truncate>
                {[chatLabel(message, chats), instances.get(message.instance_id)].filter(Boolean).join(' · ')}
              </Text>
              <RelativeTime at={message.created_at} />
            </span>
          </Text>
        </div>
      </div>
    ),
  },
  {
    key: 'status',
    title: t('Status'),
    width: 120,
    // Green means read by the recipient, or received and still unread here.
    render: ({ direction, status }) => (
      <Status tone={direction === 'inbound' && status === 'read' ? 'idle' : messageTone(status)}>
        {statusLabel(status)}
      </Status>
    ),
  },
  {
    key: 'chat',
    title: t('Chat'),
    from: 'medium',
    width: 190,
    render: (message) => (
      <Text truncate dir="auto" maw={190}>
        {chatLabel(message, chats)}
      </Text>
    ),
  },
  {
    key: 'type',
    title: t('Type'),
    from: 'wide',
    width: 120,
    render: ({ type }) => typeWord(type),
  },
  {
    key: 'instance',
    title: t('Instance'),
    from: 'wide',
    width: 150,
    render: ({ instance_id: id }) => (
      <Text truncate maw={150}>
        {instances.get(id) ?? '–'}
      </Text>
    ),
  },
  {
    key: 'source',
    title: t('Source'),
    from: 'widest',
    width: 120,
    render: ({ source, direction }) => (direction === 'inbound' ? '–' : sourceLabel(source)),
  },
  {
    key: 'created_at',
    title: t('Created'),
    from: 'medium',
    width: 120,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];
