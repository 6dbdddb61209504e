import { getRouteApi, Link } from '@tanstack/react-router';
import { IconBellOff, IconUsersGroup } from '@tabler/icons-react';
import type { Chat } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { exactTime, useFromClock } from '../../ui/time.ts';
import { chatTitle, previewOf, shortTime } from './chat-text.ts';
import classes from './chat-list.module.css';

const route = getRouteApi('/w/$workspace/chats');
const MAX_SHOWN = 99;

interface ChatRowProps {
  chat: Chat;
  selected: boolean;
  /** Its channel, where there are several. */
  instance: string | undefined;
}

/** One chat of the list. */
export function ChatRow({ chat, selected, instance }: ChatRowProps) {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const { last_message_at: at, last_message: last, unread } = chat;
  const time = useFromClock((now) => (at === null ? '' : shortTime(at, now)));
  return (
    <li>
      <Link
        className={classes.chat}
        to="/w/$workspace/chats/$id"
        params={{ workspace: workspace.slug, id: chat.id }}
        search={{ ...search, new: undefined, to: undefined }}
        aria-current={selected || undefined}
      >
        <span className={classes.chatTop}>
          {chat.kind === 'group' && (
            <IconUsersGroup className={classes.kind} size={15} stroke={1.75} aria-label="Group" />
          )}
          <span className={classes.chatTitle} dir="auto">
            {chatTitle(chat)}
          </span>
          {at !== null && (
            <time dateTime={at} data-tip={exactTime(at)}>
              {time}
            </time>
          )}
        </span>
        <span className={classes.chatBelow}>
          <span className={classes.preview} data-failed={last?.status === 'failed' || undefined} dir="auto">
            {last?.status === 'failed' && 'Failed. '}
            {previewOf(chat)}
          </span>
          {chat.muted && <IconBellOff size={13} aria-label="Muted" />}
          {unread > 0 && (
            <span className={classes.unread} data-muted={chat.muted || undefined}>
              {unread > MAX_SHOWN ? `${MAX_SHOWN}+` : unread}
              <span className={classes.hidden}> unread</span>
            </span>
          )}
        </span>
        {instance !== undefined && <span className={classes.chatInstance}>{instance}</span>}
      </Link>
    </li>
  );
}
