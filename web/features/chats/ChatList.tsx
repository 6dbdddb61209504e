/** Lists chats by latest activity, with search and filters. */
import { ActionIcon, Box, SegmentedControl, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconPencilPlus } from '@tabler/icons-react';
import { Suspense } from 'react';
import { t } from '../../copy/text.ts';
import { type ChatFilter, chatsQuery } from '../../api/chats.ts';
import { firstInstancesQuery } from '../../api/instances.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { FailedList, LoadingList, NoMatch } from '../../patterns/ListStates.tsx';
import { FilterChip } from '../../patterns/list/FilterChip.tsx';
import { SearchField } from '../../design/SearchField.tsx';
import { instanceFilter } from '../instances/instance-filter.ts';
import { useInstanceNames } from '../instances/use-instance-names.ts';
import { lazily } from '../../patterns/lazily.ts';
import { NoChats } from './NoChats.tsx';
import { ChatRow } from './ChatRow.tsx';
import page from './chats.module.css';
import classes from './chat-list.module.css';

const MessageResults = lazily(() => import('./MessageResults.tsx'), 'MessageResults');

const route = getRouteApi('/w/$workspace/chats');

const FILTERS = [
  { value: '', label: t('All') },
  { value: 'unread', label: t('Unread') },
  { value: 'archived', label: t('Archived') },
];
/** Distance from the end, in pixels, at which the next page is fetched. */
const AHEAD = 300;

export const getFilter = (search: { show?: string; instance?: string; q?: string }): ChatFilter => ({
  archived: search.show === 'archived',
  unread: search.show === 'unread' || undefined,
  instance_id: search.instance,
  q: search.q,
});

/** @param selected ID of the open chat */
export function ChatList({ selected, onNew }: { selected: string | undefined; onNew: () => void }) {
  const { workspace } = useWorkspace();
  const writes = useCan('messages:write');
  const readsMessages = useCan('messages:read');
  useDocumentTitle(selected === undefined ? `${t('Chats')} · Fairlead` : '');
  const search = route.useSearch();
  const navigate = useNavigate();
  const list = useInfiniteQuery(chatsQuery(workspace.id, getFilter(search)));
  const { data: instances = [] } = useQuery(firstInstancesQuery(workspace.id));
  const names = useInstanceNames((list.data ?? []).map(({ instance_id: id }) => id));
  const go = (change: Partial<typeof search>) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...change }), replace: true });
  const more = () => {
    if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
  };
  const none = !search.q && !search.instance && !search.show && list.data?.length === 0;
  return (
    <section className={page.listPane} aria-label={t('Chats')}>
      <div className={classes.listHead}>
        <div className={classes.listTitle}>
          {/* The title of an open chat is the main heading. */}
          <Title order={selected === undefined ? 1 : 2} size="h1">
            {t('Chats')}
          </Title>
          {writes && !none && (
            <ActionIcon
              variant="light"
              size="lg"
              aria-label={t('Create chat')}
              data-tip={t('Create chat')}
              onClick={onNew}
            >
              <IconPencilPlus size={18} />
            </ActionIcon>
          )}
        </div>
        <SearchField
          aria-label={t('Search chats')}
          placeholder={t('Search chats and messages')}
          query={search.q}
          onSearch={(q) => go({ q, message: undefined })}
        />
        <div className={classes.filters}>
          <SegmentedControl
            size="xs"
            aria-label={t('Filter chats')}
            data={FILTERS}
            value={search.show ?? ''}
            onChange={(show) => go({ show: (show || undefined) as typeof search.show })}
          />
          {instances.length > 1 && (
            <FilterChip
              filter={instanceFilter(workspace.id)}
              value={search.instance}
              onChange={(instance) => go({ instance: instance === true ? undefined : instance })}
            />
          )}
        </div>
      </div>
      <div
        className={classes.rows}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          if (scrollHeight - scrollTop - clientHeight < AHEAD) more();
        }}
      >
        {list.isPending && <LoadingList label={t('Loading chats')} />}
        {list.data === undefined && list.error && (
          <FailedList error={list.error} retry={() => void list.refetch()} />
        )}
        {none &&
          (selected === undefined ? (
            // On wider screens, the pane beside the list says so.
            <Box hiddenFrom="sm">
              <NoChats />
            </Box>
          ) : (
            <Text c="dimmed" p="md">
              {t('No chats yet')}
            </Text>
          ))}
        {!none && list.data?.length === 0 && (
          <NoMatch
            clear={() => go({ show: undefined, instance: undefined, q: undefined })}
            further={undefined}
          />
        )}
        <ul>
          {list.data?.map((chat) => (
            <ChatRow
              key={chat.id}
              chat={chat}
              selected={chat.id === selected}
              instance={instances.length > 1 ? names.get(chat.instance_id) : undefined}
            />
          ))}
        </ul>
        {list.isFetchingNextPage && <LoadingList label={t('Loading more chats')} />}
        {search.q !== undefined && readsMessages && !list.hasNextPage && (
          <Suspense>
            <MessageResults query={search.q} instance={search.instance} />
          </Suspense>
        )}
      </div>
    </section>
  );
}
