/** The chats page: the list, and the open chat beside it. Narrow screens show one of the two. */
import { Button, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useParams } from '@tanstack/react-router';
import { IconMessage2, IconPencilPlus } from '@tabler/icons-react';
import { Suspense } from 'react';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import { chatQuery, chatsQuery } from '../../api/chats.ts';
import { type Typist, useLiveChats } from '../../api/live-chats.ts';
import { isMissing } from '../../api/problem.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import { RecordMissing } from '../../patterns/PageStates.tsx';
import { ChatList, getFilter } from './ChatList.tsx';
import { NoChats } from './NoChats.tsx';
import classes from './chats.module.css';

const Conversation = lazily(() => import('./Conversation.tsx'), 'Conversation');
const NewChatDialog = lazyDialog(() => import('./NewChatDialog.tsx'), 'NewChatDialog');

const route = getRouteApi('/w/$workspace/chats');
const BACK = { label: t('Chats'), to: '/w/$workspace/chats' } as const;
const NONE: readonly Typist[] = [];

export function Chats() {
  const { workspace } = useWorkspace();
  const { id } = useParams({ strict: false });
  const search = route.useSearch();
  const navigate = useNavigate();
  const writes = useCan('messages:write');
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
      <NewChatDialog
        opened={writes && search.new === true}
        instanceId={search.instance}
        to={search.to}
        onClose={() => setNew(false)}
      />
    </div>
  );
}

function Opened({ id, typists }: { id: string; typists: readonly Typist[] }) {
  const { workspace } = useWorkspace();
  const { data: chat, error, refetch } = useQuery(chatQuery(workspace.id, id));
  const loading = (
    <div className={atoms.column}>
      {error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingList label={t('Loading chat')} />
      )}
    </div>
  );
  if (isMissing(error) && !chat)
    return (
      <div className={atoms.column}>
        <RecordMissing noun={t('Chat')} back={BACK} requestId={error.requestId} />
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
  const { data: chats } = useInfiniteQuery(chatsQuery(workspace.id, getFilter({})));
  const hasNone = chats?.length === 0;
  return (
    <div className={classes.nothing}>
      {hasNone ? (
        <NoChats />
      ) : (
        <>
          <IconMessage2 size={32} stroke={1.3} />
          <Text c="dimmed">{t('Select a chat or create one.')}</Text>
          {writes && (
            <Button variant="default" leftSection={<IconPencilPlus size={16} />} onClick={onNew}>
              {t('Create chat')}
            </Button>
          )}
        </>
      )}
    </div>
  );
}
