/**
 * The messages of a chat, oldest at the top. It starts at the end and stays there. Older messages are loaded while
 * scrolling up, without moving the visible ones.
 */
import { Button } from '@mantine/core';
import type { useInfiniteQuery } from '@tanstack/react-query';
import { IconArrowDown, IconMessage2 } from '@tabler/icons-react';
import { useMemo, useRef, useState } from 'react';
import { plural, t } from '../../copy/text.ts';
import type { Chat, Message } from '../../api/types.ts';
import { EmptyList, FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import { useFromClock } from '../../design/time.ts';
import { Bubble } from './Bubble.tsx';
import { dayWord } from './chat-text.ts';
import classes from './chats.module.css';
import type { AvailableActions, OnAction } from './message-actions.ts';

interface MessageLogProps {
  chat: Chat;
  /** Newest first. */
  list: Pick<
    ReturnType<typeof useInfiniteQuery<unknown, Error, Message[]>>,
    'data' | 'error' | 'isPending' | 'refetch' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >;
  /** Whether the element below the messages is still loading. */
  isWaiting: boolean;
  /** ID of the message that the URL links to. */
  linked: string | undefined;
  available: (message: Message) => AvailableActions;
  onAction: OnAction;
  /** Called with whether the newest message is visible. */
  onEnd: (atEnd: boolean) => void;
}

/** Distance from the oldest message, in pixels, at which older ones are fetched. */
const AHEAD = 400;
/** Distance from the end, in pixels, that counts as the end. */
const NEAR = 60;

/** Pause after which the sender is shown again. */
const RUN_MS = 10 * 60_000;

const startsRun = (message: Message, before: Message | undefined): boolean =>
  before === undefined ||
  before.direction !== message.direction ||
  before.from !== message.from ||
  before.thread_id !== message.thread_id ||
  Date.parse(message.created_at) - Date.parse(before.created_at) > RUN_MS;

const dayKey = (at: string): string => new Date(at).toDateString();

export function MessageLog({ chat, list, isWaiting, linked, available, onAction, onEnd }: MessageLogProps) {
  const area = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const { data } = list;
  const days = useMemo(
    () => data && [...Map.groupBy(data.toReversed(), (message) => dayKey(message.created_at))],
    [data],
  );
  const byId = useMemo(() => new Map(data?.map((message) => [message.id, message])), [data]);
  if (list.isPending || isWaiting)
    return (
      <div className={classes.logFrame}>
        <div className={classes.log}>
          <div className={classes.logInner}>
            <LoadingList label={t('Loading messages')} />
          </div>
        </div>
      </div>
    );
  if (!days) return <FailedList error={list.error} retry={() => void list.refetch()} />;
  const more = () => {
    if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
  };
  // The area is laid out from its end, so messages added above move nothing.
  const onScroll = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: React.UIEvent) => {
    if (scrollHeight - clientHeight + scrollTop < AHEAD) more();
    const atEnd = -scrollTop < NEAR;
    if (atEnd === isAtEnd) return;
    setAtEnd(atEnd);
    onEnd(atEnd);
  };
  // The browser's own smooth scrolling stops when the layout changes.
  const onKeyDown = ({ key, target, currentTarget }: React.KeyboardEvent) => {
    if (target !== currentTarget || (key !== 'Home' && key !== 'End')) return;
    currentTarget.scrollTo({ top: key === 'End' ? 0 : -currentTarget.scrollHeight });
  };
  return (
    <div className={classes.logFrame}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- needed to scroll with the keyboard */}
      <div
        ref={area}
        className={classes.log}
        role="log"
        aria-label={t('Messages')}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- needed to scroll with the keyboard
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        <div className={classes.logInner}>
          {list.hasNextPage && (
            <Button
              variant="default"
              size="xs"
              mx="auto"
              my="sm"
              loading={list.isFetchingNextPage}
              onClick={more}
            >
              {t('Load older messages')}
            </Button>
          )}
          {days.length === 0 && (
            <EmptyList icon={IconMessage2} title={t('No messages yet')}>
              {t('Messages that you send or receive in this chat appear here.')}
            </EmptyList>
          )}
          {days.map(([day, messages]) => (
            <section key={day} className={classes.day}>
              <Day at={messages[0]?.created_at ?? ''} />
              {messages.map((message, nth) => (
                <Bubble
                  key={message.id}
                  message={message}
                  answered={message.reply_to === null ? undefined : byId.get(message.reply_to)}
                  isFirst={startsRun(message, messages[nth - 1])}
                  isLinked={message.id === linked}
                  available={available}
                  onAction={onAction}
                />
              ))}
            </section>
          ))}
        </div>
      </div>
      {!isAtEnd && (
        <Button
          className={classes.toEnd}
          size="xs"
          variant="default"
          leftSection={<IconArrowDown size={14} />}
          onClick={() => area.current?.scrollTo({ top: 0 })}
        >
          {chat.unread > 0
            ? plural(chat.unread, { one: '{count} new message', other: '{count} new messages' })
            : t('Jump to latest')}
        </Button>
      )}
    </div>
  );
}

function Day({ at }: { at: string }) {
  const word = useFromClock((now) => dayWord(at, now));
  return <div className={classes.dayWord}>{word}</div>;
}
