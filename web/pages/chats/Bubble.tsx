/** One message of a chat. */
import { ActionIcon, Button } from '@mantine/core';
import { IconAlertTriangle, IconArrowBackUp } from '@tabler/icons-react';
import type { Message } from '../../api/types.ts';
import { exactTime } from '../../ui/time.ts';
import classes from './bubble.module.css';
import { authorOf, clockTime, isOwn, summaryOf } from './chat-words.ts';
import { MessageContent } from './MessageContent.tsx';
import type { Possible } from './message-actions.ts';
import { MessageMenu } from './MessageMenu.tsx';
import { Quote } from './Quote.tsx';
import { StatusTick } from './StatusTick.tsx';

export type MessageAction = Exclude<keyof Possible, 'react'> | 'details';
/** @param emoji of the action `react`; null takes the reaction back */
export type OnAction = (message: Message, action: MessageAction | 'react', emoji?: string | null) => void;

interface BubbleProps {
  message: Message;
  /** The message that it answers, where that is loaded. */
  answered: Message | undefined;
  /** In groups it says who wrote. */
  named: boolean;
  possible: (message: Message) => Possible;
  onAction: OnAction;
}

/** What was asked for and is not done yet. */
const ASKED = { edit: 'editing…', revoke: 'taking it back…', react: 'reacting…', read: null } as const;
const NOT_DONE = {
  edit: 'It was not edited',
  revoke: 'It was not taken back',
  react: 'The reaction was not sent',
  read: 'The sender was not told that it was read',
} as const;

export function Bubble({ message, answered, named, possible, onAction }: BubbleProps) {
  const own = isOwn(message);
  const can = possible(message);
  const { error, action_error: actionError } = message;
  return (
    <article
      className={classes.row}
      data-own={own || undefined}
      aria-label={`${authorOf(message)}: ${summaryOf(message)}`}
    >
      <div className={classes.bubble} data-failed={message.status === 'failed' || undefined}>
        {named && !own && <strong className={classes.author}>{message.from}</strong>}
        {message.subject !== null && message.reply_to === null && (
          <strong className={classes.subject}>{message.subject}</strong>
        )}
        {message.reply_to !== null && <Quote id={message.reply_to} known={answered} />}
        <MessageContent message={message} />
        <Meta message={message} />
        {error && (
          <div className={classes.failure}>
            <IconAlertTriangle size={14} aria-hidden />
            <span>
              <strong>{error.title}</strong>. {error.detail}
            </span>
          </div>
        )}
        {actionError && (
          <div className={classes.failure}>
            <span>
              <strong>{NOT_DONE[actionError.action]}</strong>. {actionError.detail}
            </span>
          </div>
        )}
        {message.status === 'failed' && can.sendAgain && (
          <Button size="compact-xs" variant="default" mt={4} onClick={() => onAction(message, 'sendAgain')}>
            Send again
          </Button>
        )}
        <Reactions message={message} />
      </div>
      <div className={classes.tools}>
        {can.reply && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label="Reply"
            data-tip="Reply"
            onClick={() => onAction(message, 'reply')}
          >
            <IconArrowBackUp size={15} />
          </ActionIcon>
        )}
        <MessageMenu message={message} possible={can} onAction={onAction} />
      </div>
    </article>
  );
}

/** When, from where, and how far it came. */
function Meta({ message }: { message: Message }) {
  const { source, status, edited_at: editedAt, scheduled_at: scheduledAt, pending_action: pending } = message;
  const asked = pending && ASKED[pending];
  return (
    <div className={classes.meta}>
      {asked !== null && <span>{asked}</span>}
      {isOwn(message) && source !== 'console' && (
        <span>{source === 'channel' ? 'from another device' : source === 'api' ? 'by API' : source}</span>
      )}
      {editedAt !== null && message.deleted_at === null && <span data-tip={exactTime(editedAt)}>edited</span>}
      {status === 'scheduled' && scheduledAt !== null ? (
        <span>for {exactTime(scheduledAt)}</span>
      ) : (
        <time dateTime={message.created_at} data-tip={exactTime(message.created_at)}>
          {clockTime(message.created_at)}
        </time>
      )}
      {status === 'canceled' && <span>canceled</span>}
      {isOwn(message) && <StatusTick message={message} />}
    </div>
  );
}

function Reactions({ message: { reactions } }: { message: Message }) {
  if (reactions.length === 0) return null;
  const groups = [...Map.groupBy(reactions, ({ emoji }) => emoji)];
  return (
    <ul className={classes.reactions} aria-label="Reactions">
      {groups.map(([emoji, all]) => (
        <li
          key={emoji}
          data-own={all.some((one) => one.from_me) || undefined}
          title={all.map(({ from, from_me: fromMe }) => (fromMe ? 'You' : from)).join(', ')}
        >
          {emoji}
          {all.length > 1 && ` ${all.length}`}
        </li>
      ))}
    </ul>
  );
}
