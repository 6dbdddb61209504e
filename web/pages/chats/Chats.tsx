/** Chats of all channels at the left, the one that is looked at beside them; where it is narrow, one of the two. */
import { Button, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useParams } from '@tanstack/react-router';
import { IconMessage2, IconPencilPlus } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { chatQuery } from '../../api/chats.ts';
import { instancesQuery } from '../../api/instances.ts';
import { type Typist, useLiveChats } from '../../api/live-chats.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { ChatList } from './ChatList.tsx';
import classes from './chats.module.css';

const Conversation = lazy(async () => ({ default: (await import('./Conversation.tsx')).Conversation }));
const NewChatDialog = lazy(async () => ({ default: (await import('./NewChatDialog.tsx')).NewChatDialog }));

const route = getRouteApi('/w/$workspace/chats');
const NONE: readonly Typist[] = [];

export function Chats() {
  const { workspace } = useWorkspace();
  const { id } = useParams({ strict: false });
  const search = route.useSearch();
  const navigate = useNavigate();
  const typists = useLiveChats(workspace.id);
  const setNew = (open: boolean) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, new: open || undefined, to: undefined }),
      replace: true,
    });
  return (
    <div className={classes.page} data-open={id !== undefined || undefined}>
      <ChatList selected={id} onNew={() => setNew(true)} />
      {id === undefined ? (
        <NothingOpen onNew={() => setNew(true)} />
      ) : (
        <Opened key={id} id={id} typists={typists.get(id) ?? NONE} />
      )}
      <OnceOpened opened={search.new === true}>
        <NewChatDialog
          opened={search.new === true}
          instanceId={search.instance}
          to={search.to}
          onClose={() => setNew(false)}
        />
      </OnceOpened>
    </div>
  );
}

function Opened({ id, typists }: { id: string; typists: readonly Typist[] }) {
  const { workspace } = useWorkspace();
  const { data: chat, error, refetch } = useQuery(chatQuery(workspace.id, id));
  const loading = (
    <div className={classes.conversation}>
      {error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingList label="Loading the chat" />
      )}
    </div>
  );
  if (!chat) return loading;
  return (
    <Suspense fallback={loading}>
      <Conversation chat={chat} typists={typists} />
    </Suspense>
  );
}

function NothingOpen({ onNew }: { onNew: () => void }) {
  const { workspace } = useWorkspace();
  const writes = useCan('messages:write');
  const { data: instances } = useInfiniteQuery(instancesQuery(workspace.id));
  const hasNone = instances?.length === 0;
  return (
    <div className={classes.nothing}>
      <IconMessage2 size={32} stroke={1.3} />
      <Text c="dimmed">
        {hasNone
          ? 'Connect a channel, and its chats come here.'
          : 'Choose a chat, or begin one with an address.'}
      </Text>
      {hasNone ? (
        <ButtonLink variant="default" to="/w/$workspace/channels" params={{ workspace: workspace.slug }}>
          Go to the channels
        </ButtonLink>
      ) : (
        writes && (
          <Button variant="default" leftSection={<IconPencilPlus size={16} />} onClick={onNew}>
            New chat
          </Button>
        )
      )}
    </div>
  );
}
