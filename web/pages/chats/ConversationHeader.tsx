/** Whom a chat is with, on which channel, and what can be done with it. */
import { ActionIcon, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { IconArchive, IconArrowLeft, IconBellOff } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import { putChat } from '../../api/chat-cache.ts';
import { type ChatChange, updateChat } from '../../api/chats.ts';
import type { Chat, Group, Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { notifyFailed } from '../../ui/notify.ts';
import { TextLink } from '../../ui/links.tsx';
import { type RowAction, RowMenu } from '../../ui/RowMenu.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import ui from '../../ui/ui.module.css';
import { stateTone } from '../channels/instance-text.ts';
import { participantsWord } from '../groups/group-text.ts';
import { GroupMark } from '../groups/GroupMark.tsx';
import { chatTitle } from './chat-text.ts';
import classes from './chats.module.css';

const RenameDialog = lazy(async () => ({ default: (await import('./RenameDialog.tsx')).RenameDialog }));

const route = getRouteApi('/w/$workspace/chats');
const EIGHT_HOURS_MS = 8 * 3_600_000;

interface ConversationHeaderProps {
  chat: Chat;
  instance: Instance | undefined;
  /** Of a group's chat, once it is known. */
  group: Group | undefined;
}

export function ConversationHeader({ chat, instance, group }: ConversationHeaderProps) {
  const { workspace } = useWorkspace();
  const writes = useCan('chats:write');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const [renaming, setRenaming] = useState(false);
  const { mutate } = useMutation({
    mutationFn: (change: ChatChange) => updateChat(workspace.id, chat.id, change),
    onSuccess: (answer) => putChat(client, workspace.id, answer),
    onError: notifyFailed,
  });
  const muteFor8Hours = () => mutate({ muted_until: new Date(Date.now() + EIGHT_HOURS_MS).toISOString() });
  const mutes: RowAction[] = chat.muted
    ? [{ label: 'Unmute', onClick: () => mutate({ muted: false }) }]
    : [
        { label: 'Mute for 8 hours', onClick: muteFor8Hours },
        { label: 'Mute', onClick: () => mutate({ muted: true }) },
      ];
  const toGroup = () =>
    void navigate({
      to: '/w/$workspace/groups/$id',
      params: { workspace: workspace.slug, id: group?.id ?? '' },
    });
  const contact = chat.contact_id;
  const toContact = () =>
    void navigate({
      to: '/w/$workspace/contacts',
      params: { workspace: workspace.slug },
      search: { id: contact ?? undefined },
    });
  const actions: RowAction[] = [
    ...(contact === null ? [] : [{ label: 'Show the contact', onClick: toContact }]),
    ...(group ? [{ label: 'Show the group', onClick: toGroup }] : []),
    ...(writes
      ? [
          { label: 'Rename', onClick: () => setRenaming(true) },
          ...mutes,
          {
            label: chat.archived ? 'Take out of the archive' : 'Archive',
            onClick: () => mutate({ archived: !chat.archived }),
          },
        ]
      : []),
  ];
  return (
    <header className={classes.head}>
      <ActionIcon
        className={classes.back}
        variant="subtle"
        color="gray"
        aria-label="Back to the list"
        renderRoot={(props) => (
          <Link to="/w/$workspace/chats" params={{ workspace: workspace.slug }} search={search} {...props} />
        )}
      >
        <IconArrowLeft size={18} />
      </ActionIcon>
      {chat.kind === 'group' && <GroupMark picture={group?.picture ?? null} size={34} />}
      <div className={classes.headNames}>
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
              {participantsWord(group.participants_count)}
            </TextLink>
          )}
          {chatTitle(chat) !== chat.address && (
            <span className={`${ui.mono} ${classes.headAddress}`}>{chat.address}</span>
          )}
          {instance && <StateDot tone={stateTone(instance.state)}>{instance.name}</StateDot>}
        </Text>
      </div>
      {chat.muted && <IconBellOff size={16} aria-label="Muted" />}
      {chat.archived && <IconArchive size={16} aria-label="Archived" />}
      {actions.length > 0 && <RowMenu of="the chat" actions={actions} />}
      <OnceOpened opened={renaming}>
        <RenameDialog chat={chat} opened={renaming} onClose={() => setRenaming(false)} />
      </OnceOpened>
    </header>
  );
}
