/** One message of a chat. */
import { ActionIcon, Button } from '@mantine/core';
import { IconArrowBackUp, IconPin } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import type { Message } from '../../api/types.ts';
import { personColor } from '../../design/person-color.ts';
import { PersonMark } from '../../design/PersonMark.tsx';
import { exactTime } from '../../design/time.ts';
import atoms from '../../design/atoms.module.css';
import classes from './bubble.module.css';
import { channelDataNote } from './channel-data.ts';
import { clockTime } from './chat-text.ts';
import { isOwn, senderLabel, sourceLabel, getSummary, getText } from '../messages/message-text.ts';
import { MessageContent } from './MessageContent.tsx';
import type { AvailableActions, OnAction } from './message-actions.ts';
import { MessageMenu } from './MessageMenu.tsx';
import { getAuthor, listNames, getMentions, findUnnamed, usePeople } from './people.ts';
import { Quote } from './Quote.tsx';
import { StatusTick } from './StatusTick.tsx';

interface BubbleProps {
  message: Message;
  /** The message it replies to, if loaded. */
  answered: Message | undefined;
  /** The first of consecutive messages by one sender. In groups, it shows the name. */
  isFirst: boolean;
  /** The URL links to it. */
  isLinked: boolean;
  available: (message: Message) => AvailableActions;
  onAction: OnAction;
}

const PENDING = {
  edit: t('Editing…'),
  revoke: t('Revoking…'),
  react: t('Reacting…'),
  pin: t('Pinning…'),
  unpin: t('Unpinning…'),
  read: null,
} as const;
const FAILED = {
  edit: t("Couldn't edit the message"),
  revoke: t("Couldn't revoke the message"),
  react: t("Couldn't send the reaction"),
  pin: t("Couldn't pin the message"),
  unpin: t("Couldn't unpin the message"),
  read: t("Couldn't send the read receipt"),
} as const;

export function Bubble({ message, answered, isFirst, isLinked, available, onAction }: BubbleProps) {
  const people = usePeople();
  const own = isOwn(message);
  const can = available(message);
  const { error, action_error: actionError } = message;
  const author = getAuthor(message, people);
  const marked = people.many && !own;
  return (
    <article
      className={classes.row}
      data-own={own || undefined}
      data-next={!isFirst || undefined}
      data-message={message.id}
      data-linked={isLinked || undefined}
      aria-label={`${author}: ${getSummary(message)}`}
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
        <ChannelDataNote message={message} />
        <MessageContent message={message} />
        <Mentioned message={message} />
        <Meta message={message} />
        {error && (
          <div className={classes.failure}>
            <span>
              <strong>{error.title}</strong>. {error.detail}
            </span>
          </div>
        )}
        {actionError && (
          <div className={classes.failure}>
            <span>
              <strong>{FAILED[actionError.action]}</strong>. {actionError.detail}
            </span>
          </div>
        )}
        {message.status === 'failed' && can.sendAgain && (
          <Button
            size="compact-xs"
            variant="outline"
            color="red"
            mt={4}
            onClick={() => onAction(message, 'sendAgain')}
          >
            {t('Resend')}
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
            aria-label={t('Reply')}
            data-tip={t('Reply')}
            onClick={() => onAction(message, 'reply')}
          >
            <IconArrowBackUp size={15} />
          </ActionIcon>
        )}
        <MessageMenu message={message} available={can} onAction={onAction} />
      </div>
    </article>
  );
}

/** Shows the time, source and status of a message. */
function Meta({ message }: { message: Message }) {
  const {
    source,
    status,
    thread_id: threadId,
    edited_at: editedAt,
    scheduled_at: scheduledAt,
    pending_action: pending,
  } = message;
  const action = pending && PENDING[pending];
  return (
    <div className={classes.meta}>
      {threadId !== null && <span className={classes.thread}>{t('Thread {id}', { id: threadId })}</span>}
      {action !== null && <span>{action}</span>}
      {isOwn(message) && source !== 'console' && (
        <span data-tip={senderLabel(source)}>{sourceLabel(source)}</span>
      )}
      {message.pinned && <IconPin size={13} role="img" aria-label={t('Pinned')} data-tip={t('Pinned')} />}
      {editedAt !== null && message.deleted_at === null && (
        <span data-tip={exactTime(editedAt)}>{t('Edited')}</span>
      )}
      {status === 'scheduled' && scheduledAt !== null ? (
        <span>{t('Scheduled for {time}', { time: exactTime(scheduledAt) })}</span>
      ) : (
        <time dateTime={message.created_at} data-tip={exactTime(message.created_at)}>
          {clockTime(message.created_at)}
        </time>
      )}
      {status === 'canceled' && <span>{t('Canceled')}</span>}
      {isOwn(message) && <StatusTick message={message} />}
    </div>
  );
}

/** Says what led to the message. Its details are in the message's sheet. */
function ChannelDataNote({ message: { channel_data: data } }: { message: Message }) {
  const note = data && channelDataNote(data);
  if (note === null) return null;
  return (
    <div className={classes.channelData} dir="auto" title={note}>
      {note}
    </div>
  );
}

/** Shows mentions that the text doesn't name. */
function Mentioned({ message }: { message: Message }) {
  const people = usePeople();
  if (message.mentions.length === 0 || message.deleted_at !== null) return null;
  const others = findUnnamed(getText(message), getMentions(message, people));
  if (others.length === 0) return null;
  return (
    <div
      className={`${atoms.twoLines} ${atoms.note}`}
      title={others.map(({ address }) => address).join(', ')}
      dir="auto"
    >
      {t('Mentions {names}', {
        names: listNames(
          others.map(({ name, isOwn: own }) => (own ? t('you') : name)),
          3,
        ),
      })}
    </div>
  );
}

function Reactions({ message: { reactions } }: { message: Message }) {
  const { getName } = usePeople();
  if (reactions.length === 0) return null;
  const groups = [...Map.groupBy(reactions, ({ emoji }) => emoji)];
  return (
    <ul className={classes.reactions} aria-label={t('Reactions')}>
      {groups.map(([emoji, all]) => (
        <li
          key={emoji}
          data-own={all.some((one) => one.from_me) || undefined}
          title={all.map(({ from, from_me: fromMe }) => (fromMe ? t('You') : getName(from))).join(', ')}
        >
          {emoji}
          {all.length > 1 && ` ${all.length}`}
        </li>
      ))}
    </ul>
  );
}
