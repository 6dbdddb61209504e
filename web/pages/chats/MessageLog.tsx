/**
 * The messages of a chat, oldest at the top. It begins at its end and stays there; further up, older ones are loaded and
 * what is read keeps its place.
 */
import { Button, Text } from '@mantine/core';
import type { useInfiniteQuery } from '@tanstack/react-query';
import { IconArrowDown } from '@tabler/icons-react';
import { useMemo, useRef, useState } from 'react';
import type { Chat, Message } from '../../api/types.ts';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { useFromClock } from '../../ui/time.ts';
import { Bubble, type OnAction } from './Bubble.tsx';
import { dayWord } from './chat-text.ts';
import classes from './chats.module.css';
import type { Possible } from './message-actions.ts';

interface MessageLogProps {
  chat: Chat;
  /** Newest first. */
  list: Pick<
    ReturnType<typeof useInfiniteQuery<unknown, Error, Message[]>>,
    'data' | 'error' | 'isPending' | 'refetch' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >;
  possible: (message: Message) => Possible;
  onAction: OnAction;
  /** Told whether the newest message is in sight. */
  onEnd: (atEnd: boolean) => void;
}

/** Pixels before the oldest message at which older ones are fetched, and from the end that are still the end. */
const AHEAD = 400;
const NEAR = 60;

/** Silence after which a writer is named again. */
const RUN_MS = 10 * 60_000;

const startsRun = (message: Message, before: Message | undefined): boolean =>
  before === undefined ||
  before.direction !== message.direction ||
  before.from !== message.from ||
  Date.parse(message.created_at) - Date.parse(before.created_at) > RUN_MS;

const dayKey = (at: string): string => new Date(at).toDateString();

export function MessageLog({ chat, list, possible, onAction, onEnd }: MessageLogProps) {
  const area = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const { data } = list;
  const days = useMemo(
    () => data && [...Map.groupBy(data.toReversed(), (message) => dayKey(message.created_at))],
    [data],
  );
  const byId = useMemo(() => new Map(data?.map((message) => [message.id, message])), [data]);
  if (list.isPending) return <LoadingList label="Loading messages" />;
  if (!days) return <FailedList error={list.error} retry={() => void list.refetch()} />;
  const more = () => {
    if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
  };
  // The area is laid out from its end, so that what is added above moves nothing.
  const onScroll = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: React.UIEvent) => {
    if (scrollHeight - clientHeight + scrollTop < AHEAD) more();
    const atEnd = -scrollTop < NEAR;
    if (atEnd === isAtEnd) return;
    setAtEnd(atEnd);
    onEnd(atEnd);
  };
  // A browser's own way there stops underway where something is laid out meanwhile.
  const onKeyDown = ({ key, target, currentTarget }: React.KeyboardEvent) => {
    if (target !== currentTarget || (key !== 'Home' && key !== 'End')) return;
    currentTarget.scrollTo({ top: key === 'End' ? 0 : -currentTarget.scrollHeight });
  };
  return (
    <div className={classes.logFrame}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a log that is scrolled by keys */}
      <div
        ref={area}
        className={classes.log}
        role="log"
        aria-label="Messages"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it is scrolled by keys
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
              Load older
            </Button>
          )}
          {days.length === 0 && (
            <Text c="dimmed" ta="center" py="xl">
              No messages here yet.
            </Text>
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
                  possible={possible}
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
          {chat.unread > 0 ? `${chat.unread} new` : 'To the newest'}
        </Button>
      )}
    </div>
  );
}

function Day({ at }: { at: string }) {
  const word = useFromClock((now) => dayWord(at, now));
  return <div className={classes.dayWord}>{word}</div>;
}
