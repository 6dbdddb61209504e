/** An open chat: header, messages and composer. */
import { useDocumentTitle, useDocumentVisibility } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import atoms from '../../design/atoms.module.css';
import { send } from '../../api/call.ts';
import { t } from '../../copy/text.ts';
import { putChat, putMessage } from '../../api/chat-cache.ts';
import { chatMessagesQuery, readChat } from '../../api/chats.ts';
import { groupQuery } from '../../api/groups.ts';
import { instanceQuery, takesMessages } from '../../api/instances.ts';
import type { Typist } from '../../api/live-chats.ts';
import { deleteMessage } from '../../api/messages.ts';
import type { Chat, Message } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import type { ActionDefinition } from '../../patterns/actions/action.ts';
import { useActions } from '../../patterns/actions/use-actions.tsx';
import { lazyDialog, SideSheet } from '../../patterns/lazy-dialogs.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { useBackCloses } from '../../patterns/use-back-closes.ts';
import type { OnAction } from './message-actions.ts';
import { chatTitle, typeWord } from '../messages/message-text.ts';
import { Composer } from './Composer.tsx';
import { ConversationHeader } from './ConversationHeader.tsx';
import { getSendBlock } from '../groups/group-text.ts';
import { getAvailableActions } from './message-actions.ts';
import { MessageLog } from './MessageLog.tsx';
import { SendingNotice } from './SendingNotice.tsx';
import { PeopleContext } from './people.ts';
import { TypingNow } from './TypingNow.tsx';
import { useMessageActions } from './use-message-actions.ts';
import { useLinkedMessage } from './use-linked-message.ts';
import { usePeopleOf } from './use-people.ts';

const ForwardDialog = lazyDialog(() => import('./ForwardDialog.tsx'), 'ForwardDialog');
const MessageSheet = lazily(() => import('./MessageSheet.tsx'), 'MessageSheet');

/** The actions that have a dialog. */
const DIALOG_ACTIONS: readonly ActionDefinition<Message, 'forward' | 'revoke'>[] = [
  {
    id: 'forward',
    label: () => t('Forward'),
    dialog: ForwardDialog,
    done: () => t('Message forwarded'),
  },
  {
    id: 'revoke',
    label: () => t('Revoke'),
    confirm: ({ id }) => ({
      title: t('Revoke message?'),
      text: t(
        'The channel deletes this message for everyone in the chat. People might have read it already.',
      ),
      button: t('Revoke'),
      call: deleteMessage(id),
    }),
  },
];

/** The message in use by the composer. */
type About = { kind: 'reply' | 'edit'; message: Message } | null;

const route = getRouteApi('/w/$workspace/chats');
const NONE: readonly Message[] = [];

/** Needs a `key` per chat. */
export function Conversation({ chat, typists }: { chat: Chat; typists: readonly Typist[] }) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const writes = useCan('messages:write');
  useDocumentTitle(`${chatTitle(chat)} · Fairlead`);
  const list = useInfiniteQuery(chatMessagesQuery(workspace.id, chat.id));
  const { data: instance, isPending: isInstancePending } = useQuery(
    instanceQuery(workspace.id, chat.instance_id),
  );
  const groupId = chat.group_id ?? '';
  const { data: group, isPending } = useQuery({
    ...groupQuery(workspace.id, groupId),
    enabled: groupId !== '',
  });
  const people = usePeopleOf(chat, group, instance, list.data ?? NONE);
  // Whether you can write in a group depends on the group, so wait for it.
  const isReady = groupId === '' || !isPending;
  const sendBlock = group ? getSendBlock(group) : null;
  const [about, setAbout] = useState<About>(null);
  const [detailsOf, setDetailsOf] = useState<string>();
  const [isAtEnd, setAtEnd] = useState(true);
  const { message: linked } = route.useSearch();
  const far = useLinkedMessage(linked, list, () => setDetailsOf(linked));
  useBackCloses(detailsOf !== undefined, () => setDetailsOf(undefined));
  useMarkRead(chat, isAtEnd && list.data !== undefined);
  const { execute, copy } = useMessageActions(workspace.id);
  const { run, dialogs } = useActions(DIALOG_ACTIONS, (_message, { answer }) =>
    putMessage(client, workspace.id, answer as Message),
  );
  const close = () => setAbout(null);
  const of = (kind: NonNullable<About>['kind']) => (about?.kind === kind ? about.message : null);

  const available = useCallback(
    (message: Message) => getAvailableActions(message, instance, writes && sendBlock === null, Date.now()),
    [instance, writes, sendBlock],
  );
  const onAction: OnAction = (message, action, emoji = null) => {
    if (action === 'copy') copy(message);
    else if (action === 'details') setDetailsOf(message.id);
    else if (action === 'reply' || action === 'edit') setAbout({ kind: action, message });
    else if (action === 'forward' || action === 'revoke') {
      close();
      run(action, message);
    } else execute(message, action, emoji);
  };
  const editing = of('edit');
  return (
    <PeopleContext value={people}>
      <section className={atoms.column} aria-label={t('Chat with {chat}', { chat: chatTitle(chat) })}>
        <ConversationHeader chat={chat} instance={instance} group={group} />
        <MessageLog
          chat={chat}
          list={list}
          // The composer would shift the messages.
          isWaiting={isInstancePending || !isReady}
          linked={linked}
          available={available}
          onAction={onAction}
          onEnd={setAtEnd}
        />
        {typists.length > 0 && <TypingNow typists={typists} />}
        {instance && writes && isReady && sendBlock === null && takesMessages(instance) && (
          <Composer
            key={editing?.id ?? 'new'}
            chat={chat}
            instance={instance}
            messages={list.data ?? NONE}
            reply={of('reply')}
            editing={editing}
            onDone={close}
          />
        )}
        {instance && <SendingNotice instance={instance} group={group} writes={writes} />}
        {dialogs}
        <SideSheet
          record={list.data?.find(({ id }) => id === detailsOf) ?? (far?.id === detailsOf ? far : undefined)}
          ids={list.data?.map(({ id }) => id) ?? []}
          title={({ type }) => typeWord(type)}
          onSelect={setDetailsOf}
        >
          {(message) => <MessageSheet message={message} />}
        </SideSheet>
      </section>
    </PeopleContext>
  );
}

/** Marks the chat as read while its end is visible in the active tab. */
function useMarkRead(chat: Chat, isSeen: boolean): void {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const canWrite = useCan('chats:write');
  const isVisible = useDocumentVisibility() === 'visible';
  const { mutate, isPending } = useMutation({
    mutationFn: () => send(workspace.id, readChat(chat.id)),
    onSuccess: (answer) => putChat(client, workspace.id, answer),
  });
  // One attempt per newest message, so that failures aren't retried endlessly.
  const tried = useRef('');
  const state = `${chat.last_message?.id ?? ''} ${chat.unread}`;
  const due = canWrite && isSeen && isVisible && chat.unread > 0 && !isPending;
  useEffect(() => {
    if (!due || tried.current === state) return;
    tried.current = state;
    mutate();
  }, [due, state, mutate]);
}
