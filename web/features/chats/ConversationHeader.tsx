/** The header of a chat: title, instance and actions. */
import { ActionIcon, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import {
  IconArchive,
  IconArrowLeft,
  IconBell,
  IconBellOff,
  IconBellZ,
  IconPencil,
  IconUser,
  IconUsersGroup,
} from '@tabler/icons-react';
import atoms from '../../design/atoms.module.css';
import { send } from '../../api/call.ts';
import { t } from '../../copy/text.ts';
import { putChat } from '../../api/chat-cache.ts';
import { type ChatChange, updateChat } from '../../api/chats.ts';
import type { Chat, Group, Instance } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { notifyFailed } from '../../design/notify.ts';
import { TextLink } from '../../design/links.tsx';
import { useActions } from '../../patterns/actions/use-actions.tsx';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { StateDot } from '../../design/StateDot.tsx';
import ui from '../../design/ui.module.css';
import { stateTone } from '../instances/instance-text.ts';
import { participantsLabel } from '../groups/group-text.ts';
import { ChatMark } from './ChatMark.tsx';
import { chatTitle } from '../messages/message-text.ts';
import classes from './chats.module.css';

const ChatDialog = lazyDialog(() => import('./ChatDialog.tsx'), 'ChatDialog');

const route = getRouteApi('/w/$workspace/chats');
const EIGHT_HOURS_MS = 8 * 3_600_000;

interface ConversationHeaderProps {
  chat: Chat;
  instance: Instance | undefined;
  /** The chat's group, once loaded. */
  group: Group | undefined;
}

export function ConversationHeader({ chat, instance, group }: ConversationHeaderProps) {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const put = (answer: Chat) => putChat(client, workspace.id, answer);
  const { mutate } = useMutation({
    mutationFn: (change: ChatChange) => send(workspace.id, updateChat(chat.id, change)),
    onSuccess: put,
    onError: notifyFailed,
  });
  const until = (ms: number) => new Date(Date.now() + ms).toISOString();
  const params = { workspace: workspace.slug };
  const { actions, dialogs } = useActions<Chat>([
    {
      id: 'contact',
      label: () => t('View contact'),
      icon: IconUser,
      applies: ({ contact_id: contact }) => contact !== null,
      run: ({ contact_id: contact }) =>
        void navigate({ to: '/w/$workspace/contacts', params, search: { id: contact ?? undefined } }),
    },
    {
      id: 'group',
      label: () => t('View group'),
      icon: IconUsersGroup,
      applies: () => group !== undefined,
      run: () =>
        void navigate({ to: '/w/$workspace/groups/$id', params: { ...params, id: group?.id ?? '' } }),
    },
    {
      id: 'edit',
      label: () => t('Edit'),
      icon: IconPencil,
      scope: 'chats:write',
      dialog: ChatDialog,
      done: (_chat, answer: Chat) => put(answer),
    },
    {
      id: 'unmute',
      label: () => t('Unmute'),
      icon: IconBell,
      scope: 'chats:write',
      applies: ({ muted }) => muted,
      run: () => mutate({ muted: false }),
    },
    {
      id: 'mute-8h',
      label: () => t('Mute for 8 hours'),
      icon: IconBellZ,
      scope: 'chats:write',
      applies: ({ muted }) => !muted,
      run: () => mutate({ muted_until: until(EIGHT_HOURS_MS) }),
    },
    {
      id: 'mute',
      label: () => t('Mute indefinitely'),
      icon: IconBellOff,
      scope: 'chats:write',
      applies: ({ muted }) => !muted,
      run: () => mutate({ muted: true }),
    },
    {
      id: 'archive',
      label: ({ archived }) => (archived ? t('Unarchive') : t('Archive')),
      icon: IconArchive,
      scope: 'chats:write',
      run: ({ archived }) => mutate({ archived: !archived }),
    },
  ]);
  return (
    <header className={classes.head}>
      <ActionIcon
        className={classes.back}
        variant="subtle"
        color="gray"
        aria-label={t('Back to chats')}
        renderRoot={(props) => (
          <Link to="/w/$workspace/chats" params={{ workspace: workspace.slug }} search={search} {...props} />
        )}
      >
        <IconArrowLeft size={18} />
      </ActionIcon>
      <ChatMark chat={chat} picture={group?.picture ?? null} size={34} />
      <div className={atoms.rest}>
        <Title order={1} size="h2" lineClamp={1} dir="auto">
          {chatTitle(chat)}
        </Title>
        <Text component="div" size="xs" c="dimmed" className={classes.headAbout}>
          {group && (
            <TextLink
              to="/w/$workspace/groups/$id"
              params={{ workspace: workspace.slug, id: group.id }}
              className={classes.headCount}
            >
              {participantsLabel(group.participants_count)}
            </TextLink>
          )}
          {chat.kind !== 'group' && chatTitle(chat) !== chat.address && (
            <span className={`${ui.mono} ${atoms.cut}`}>{chat.address}</span>
          )}
          {instance && <StateDot tone={stateTone(instance.state)}>{instance.name}</StateDot>}
        </Text>
      </div>
      {chat.muted && <IconBellOff size={16} aria-label={t('Muted')} />}
      {chat.archived && <IconArchive size={16} aria-label={t('Archived')} />}
      <ActionButtons record={chat} of={chatTitle(chat)} actions={actions} />
      {dialogs}
    </header>
  );
}
