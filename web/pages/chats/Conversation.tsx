/** One chat: who it is with, its messages, and the place to write. */
import { Text } from '@mantine/core';
import { useDocumentTitle, useDocumentVisibility } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, useCallback, useEffect, useRef, useState } from 'react';
import { putChat, putMessage } from '../../api/chat-cache.ts';
import { chatMessagesQuery, readChat } from '../../api/chats.ts';
import { groupQuery } from '../../api/groups.ts';
import { instanceQuery } from '../../api/instances.ts';
import type { Typist } from '../../api/live-chats.ts';
import { deleteMessage } from '../../api/messages.ts';
import type { Chat, Message } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { ConfirmDialog, OnceOpened, SideSheet } from '../../ui/lazy-dialogs.tsx';
import type { OnAction } from './Bubble.tsx';
import { chatTitle, typeWord } from './chat-text.ts';
import classes from './chats.module.css';
import { Composer } from './Composer.tsx';
import { ConversationHeader } from './ConversationHeader.tsx';
import { silenceOf } from '../groups/group-text.ts';
import { takesMessages } from './draft.ts';
import { possibleWith } from './message-actions.ts';
import { MessageLog } from './MessageLog.tsx';
import { NotTaken } from './NotTaken.tsx';
import { PeopleContext } from './people.ts';
import { TypingNow } from './TypingNow.tsx';
import { useMessageActions } from './use-message-actions.ts';
import { usePeopleOf } from './use-people.ts';

const ForwardDialog = lazy(async () => ({ default: (await import('./ForwardDialog.tsx')).ForwardDialog }));
const MessageSheet = lazy(async () => ({ default: (await import('./MessageSheet.tsx')).MessageSheet }));

/** What is open over or beside the conversation. */
type About = { kind: 'reply' | 'edit' | 'forward' | 'revoke'; message: Message } | null;

const NONE: readonly Message[] = [];

/** To be made anew (by its key) for each chat. */
export function Conversation({ chat, typists }: { chat: Chat; typists: readonly Typist[] }) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const writes = useCan('messages:write');
  useDocumentTitle(`${chatTitle(chat)} · Fairlead`);
  const list = useInfiniteQuery(chatMessagesQuery(workspace.id, chat.id));
  const { data: instance } = useQuery(instanceQuery(workspace.id, chat.instance_id));
  const groupId = chat.group_id ?? '';
  const { data: group, isPending } = useQuery({
    ...groupQuery(workspace.id, groupId),
    enabled: groupId !== '',
  });
  const people = usePeopleOf(chat, group, instance, list.data ?? NONE);
  // Whether one may write in a group is not known before the group is.
  const isKnown = groupId === '' || !isPending;
  const silence = group ? silenceOf(group) : null;
  const [about, setAbout] = useState<About>(null);
  const [detailsOf, setDetailsOf] = useState<string>();
  const [isAtEnd, setAtEnd] = useState(true);
  useMarkRead(chat, isAtEnd && list.data !== undefined);
  const { perform, copy } = useMessageActions(workspace.id);
  const close = () => setAbout(null);
  const of = (kind: NonNullable<About>['kind']) => (about?.kind === kind ? about.message : null);

  const possible = useCallback(
    (message: Message) => possibleWith(message, instance, writes && silence === null, Date.now()),
    [instance, writes, silence],
  );
  const onAction: OnAction = (message, action, emoji = null) => {
    if (action === 'copy') copy(message);
    else if (action === 'details') setDetailsOf(message.id);
    else if (action === 'reply' || action === 'edit' || action === 'forward' || action === 'revoke')
      setAbout({ kind: action, message });
    else perform(message, action, emoji);
  };
  const revoked = of('revoke');
  const forwarded = of('forward');
  const editing = of('edit');
  return (
    <PeopleContext value={people}>
      <section className={classes.conversation} aria-label={`Chat with ${chatTitle(chat)}`}>
        <ConversationHeader chat={chat} instance={instance} group={group} />
        <MessageLog chat={chat} list={list} possible={possible} onAction={onAction} onEnd={setAtEnd} />
        {typists.length > 0 && <TypingNow typists={typists} />}
        {instance && writes && isKnown && silence === null && takesMessages(instance) && (
          <Composer
            key={editing?.id ?? 'new'}
            chat={chat}
            instance={instance}
            reply={of('reply')}
            editing={editing}
            onDone={close}
          />
        )}
        {instance && <NotTaken instance={instance} group={group} writes={writes} />}
        <OnceOpened opened={revoked !== null}>
          <ConfirmDialog
            opened={revoked !== null}
            title="Delete it for everybody?"
            confirm="Delete for everybody"
            call={{ method: 'DELETE', path: `/messages/${revoked?.id ?? ''}` }}
            action={() => deleteMessage(workspace.id, revoked?.id ?? '')}
            onDone={(message) => {
              putMessage(client, workspace.id, message);
              close();
            }}
            onClose={close}
          >
            <Text>The channel is asked to take it back. Who has read it already may remember it.</Text>
          </ConfirmDialog>
        </OnceOpened>
        <OnceOpened opened={forwarded !== null}>
          <ForwardDialog message={forwarded} onClose={close} />
        </OnceOpened>
        <OnceOpened opened={detailsOf !== undefined}>
          <SideSheet
            record={list.data?.find(({ id }) => id === detailsOf)}
            ids={list.data?.map(({ id }) => id) ?? []}
            title={({ type }) => typeWord(type)}
            onSelect={setDetailsOf}
          >
            {(message) => <MessageSheet message={message} />}
          </SideSheet>
        </OnceOpened>
      </section>
    </PeopleContext>
  );
}

/** What came is read once it is seen: at the end of the chat, in a tab that is looked at. */
function useMarkRead(chat: Chat, isSeen: boolean): void {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const may = useCan('chats:write');
  const isVisible = useDocumentVisibility() === 'visible';
  const { mutate, isPending } = useMutation({
    mutationFn: () => readChat(workspace.id, chat.id),
    onSuccess: (answer) => putChat(client, workspace.id, answer),
  });
  // Tried once for each newest message: a refusal is not asked for again and again.
  const tried = useRef('');
  const state = `${chat.last_message?.id ?? ''} ${chat.unread}`;
  const due = may && isSeen && isVisible && chat.unread > 0 && !isPending;
  useEffect(() => {
    if (!due || tried.current === state) return;
    tried.current = state;
    mutate();
  }, [due, state, mutate]);
}
