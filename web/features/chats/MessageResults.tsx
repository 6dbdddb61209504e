/** The messages that a search finds, below the chats that it finds. */
import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { messagesQuery } from '../../api/message-list.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { TextLink } from '../../design/links.tsx';
import { exactTime, useFromClock } from '../../design/time.ts';
import { FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import { chatLabel } from '../messages/chat-label.ts';
import { Snippet } from '../messages/Snippet.tsx';
import { useChatsOf } from '../messages/use-chats-of.ts';
import atoms from '../../design/atoms.module.css';
import classes from './chat-list.module.css';
import { shortTime } from './chat-text.ts';
import { getSummary } from '../messages/message-text.ts';

const route = getRouteApi('/w/$workspace/chats');

/** More are on the messages page. */
const MAX_RESULTS = 20;

interface MessageResultsProps {
  query: string;
  /** ID of the instance to search; undefined searches all. */
  instance: string | undefined;
}

export function MessageResults({ query, instance }: MessageResultsProps) {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const list = useInfiniteQuery(messagesQuery(workspace.id, { q: query, instance_id: instance }));
  const found = list.data ?? [];
  const shown = found.slice(0, MAX_RESULTS);
  const chats = useChatsOf(shown);
  const hasMore = found.length > MAX_RESULTS || list.hasNextPage;
  return (
    <section aria-label={t('Messages found')}>
      <div className={classes.sectionHead}>{t('Messages')}</div>
      {list.isPending && <LoadingList label={t('Searching messages')} />}
      {list.data === undefined && list.error && (
        <FailedList error={list.error} retry={() => void list.refetch()} />
      )}
      {list.data?.length === 0 && (
        <Text c="dimmed" size="sm" px="md" py="sm">
          {t('No messages match your search.')}
        </Text>
      )}
      <ul>
        {shown.map((message) => (
          <li key={message.id}>
            <Link
              className={classes.result}
              to="/w/$workspace/chats/$id"
              params={{ workspace: workspace.slug, id: message.chat.id }}
              search={{ ...search, new: undefined, to: undefined, message: message.id }}
              aria-current={search.message === message.id || undefined}
            >
              <span className={classes.chatTop}>
                <span className={classes.chatTitle} dir="auto">
                  {chatLabel(message, chats)}
                </span>
                <Time at={message.created_at} />
              </span>
              <span
                className={`${classes.found} ${atoms.twoLines} ${atoms.note}`}
                data-failed={message.status === 'failed' || undefined}
                dir="auto"
              >
                <Snippet text={getSummary(message)} query={query} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {hasMore && (
        <div className={classes.more}>
          <TextLink
            to="/w/$workspace/messages"
            params={{ workspace: workspace.slug }}
            search={{ q: query, ...(instance !== undefined && { instance }) }}
          >
            {t('View all messages')}
          </TextLink>
        </div>
      )}
    </section>
  );
}

function Time({ at }: { at: string }) {
  const word = useFromClock((now) => shortTime(at, now));
  return (
    <time dateTime={at} data-tip={exactTime(at)}>
      {word}
    </time>
  );
}
