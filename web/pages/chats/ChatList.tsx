/** The chats, latest activity first, with what filters them. */
import { ActionIcon, NativeSelect, SegmentedControl, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconMessages, IconPencilPlus } from '@tabler/icons-react';
import { type ChatFilter, chatsQuery } from '../../api/chats.ts';
import { instancesQuery } from '../../api/instances.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { EmptyList, FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { ChatRow } from './ChatRow.tsx';
import page from './chats.module.css';
import classes from './chat-list.module.css';

const route = getRouteApi('/w/$workspace/chats');

const SHOWN = [
  { value: '', label: 'All' },
  { value: 'unread', label: 'Unread' },
  { value: 'archived', label: 'Archived' },
];
/** Pixels before the end at which the next page is fetched. */
const AHEAD = 300;

const filterOf = (search: { show?: string; instance?: string; q?: string }): ChatFilter => ({
  archived: search.show === 'archived',
  ...(search.show === 'unread' && { unread: true }),
  ...(search.instance !== undefined && { instance_id: search.instance }),
  ...(search.q !== undefined && { q: search.q }),
});

/** @param selected id of the chat that is open beside it */
export function ChatList({ selected, onNew }: { selected: string | undefined; onNew: () => void }) {
  const { workspace } = useWorkspace();
  const writes = useCan('messages:write');
  useDocumentTitle(selected === undefined ? 'Chats · Fairlead' : '');
  const search = route.useSearch();
  const navigate = useNavigate();
  const list = useInfiniteQuery(chatsQuery(workspace.id, filterOf(search)));
  const { data: instances = [] } = useInfiniteQuery(instancesQuery(workspace.id));
  const names = new Map(instances.map(({ id, name }) => [id, name]));
  const go = (change: Partial<typeof search>) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...change }), replace: true });
  const more = () => {
    if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
  };
  const none = !search.q && !search.instance && !search.show && list.data?.length === 0;
  return (
    <section className={page.listPane} aria-label="Chats">
      <div className={classes.listHead}>
        <div className={classes.listTitle}>
          {/* Beside a chat that is open, the chat is what the page is about. */}
          <Title order={selected === undefined ? 1 : 2} size="h1">
            Chats
          </Title>
          {writes && (
            <ActionIcon variant="light" size="lg" aria-label="New chat" data-tip="New chat" onClick={onNew}>
              <IconPencilPlus size={18} />
            </ActionIcon>
          )}
        </div>
        <SearchField
          aria-label="Search chats"
          placeholder="Search names and addresses"
          query={search.q}
          onSearch={(q) => go({ q })}
        />
        <div className={classes.filters}>
          <SegmentedControl
            size="xs"
            aria-label="Which chats"
            data={SHOWN}
            value={search.show ?? ''}
            onChange={(show) => go({ show: (show || undefined) as typeof search.show })}
          />
          {instances.length > 1 && (
            <NativeSelect
              size="xs"
              aria-label="Channel"
              data={[
                { value: '', label: 'All channels' },
                ...instances.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              value={search.instance ?? ''}
              onChange={({ currentTarget }) => go({ instance: currentTarget.value || undefined })}
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
        {list.isPending && <LoadingList label="Loading chats" />}
        {list.data === undefined && list.error && (
          <FailedList error={list.error} retry={() => void list.refetch()} />
        )}
        {none && (
          <EmptyList icon={IconMessages} title="No chats yet">
            Whoever writes to one of your channels shows up here, and so does whom you write to.
          </EmptyList>
        )}
        {!none && list.data?.length === 0 && (
          <Text c="dimmed" py="xl" ta="center">
            No chat matches.
          </Text>
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
        {list.isFetchingNextPage && <LoadingList label="Loading more chats" />}
      </div>
    </section>
  );
}
