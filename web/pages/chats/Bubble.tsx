/** One message of a chat. */
import { ActionIcon, Button } from '@mantine/core';
import { IconAlertTriangle, IconArrowBackUp } from '@tabler/icons-react';
import type { Message } from '../../api/types.ts';
import { personColor } from '../../ui/person-color.ts';
import { PersonMark } from '../../ui/PersonMark.tsx';
import { exactTime } from '../../ui/time.ts';
import classes from './bubble.module.css';
import { clockTime, isOwn, summaryOf, textOf } from './chat-text.ts';
import { MessageContent } from './MessageContent.tsx';
import type { Possible } from './message-actions.ts';
import { MessageMenu } from './MessageMenu.tsx';
import { authorOf, listed, mentionsOf, unnamed, usePeople } from './people.ts';
import marks from './mentions.module.css';
import { Quote } from './Quote.tsx';
import { StatusTick } from './StatusTick.tsx';

export type MessageAction = Exclude<keyof Possible, 'react'> | 'details';
/** @param emoji of the action `react`; null takes the reaction back */
export type OnAction = (message: Message, action: MessageAction | 'react', emoji?: string | null) => void;

interface BubbleProps {
  message: Message;
  /** The message that it answers, where that is loaded. */
  answered: Message | undefined;
  /** The first of a run of one writer: there it says who wrote, where several do. */
  isFirst: boolean;
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

export function Bubble({ message, answered, isFirst, possible, onAction }: BubbleProps) {
  const people = usePeople();
  const own = isOwn(message);
  const can = possible(message);
  const { error, action_error: actionError } = message;
  const author = authorOf(message, people);
  const marked = people.many && !own;
  return (
    <article
      className={classes.row}
      data-own={own || undefined}
      data-next={!isFirst || undefined}
      aria-label={`${author}: ${summaryOf(message)}`}
    >
      {marked && (
        <span className={classes.mark}>
          {isFirst && <PersonMark name={author} address={message.from ?? ''} />}
        </span>
      )}
      <div className={classes.bubble} data-failed={message.status === 'failed' || undefined}>
        {marked && isFirst && (
          <strong
            className={classes.author}
            style={{ color: personColor(message.from ?? '') }}
            title={message.from ?? undefined}
            dir="auto"
          >
            {author}
          </strong>
        )}
        {message.subject !== null && message.reply_to === null && (
          <strong className={classes.subject}>{message.subject}</strong>
        )}
        {message.reply_to !== null && <Quote id={message.reply_to} known={answered} />}
        <MessageContent message={message} />
        <Mentioned message={message} />
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

/** Whom it mentions without its text naming them. */
function Mentioned({ message }: { message: Message }) {
  const people = usePeople();
  if (message.mentions.length === 0 || message.deleted_at !== null) return null;
  const others = unnamed(textOf(message), mentionsOf(message, people));
  if (others.length === 0) return null;
  return (
    <div className={marks.mentioned} title={others.map(({ address }) => address).join(', ')} dir="auto">
      {`Mentions ${listed(
        others.map(({ name, isOwn: own }) => (own ? 'you' : name)),
        3,
      )}`}
    </div>
  );
}

function Reactions({ message: { reactions } }: { message: Message }) {
  const { nameOf } = usePeople();
  if (reactions.length === 0) return null;
  const groups = [...Map.groupBy(reactions, ({ emoji }) => emoji)];
  return (
    <ul className={classes.reactions} aria-label="Reactions">
      {groups.map(([emoji, all]) => (
        <li
          key={emoji}
          data-own={all.some((one) => one.from_me) || undefined}
          title={all.map(({ from, from_me: fromMe }) => (fromMe ? 'You' : nameOf(from))).join(', ')}
        >
          {emoji}
          {all.length > 1 && ` ${all.length}`}
        </li>
      ))}
    </ul>
  );
}
