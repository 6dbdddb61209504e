import { getRouteApi, Link } from '@tanstack/react-router';
import { IconBellOff } from '@tabler/icons-react';
import { plural, t } from '../../copy/text.ts';
import type { Chat } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { exactTime, useFromClock } from '../../design/time.ts';
import { ChatMark } from './ChatMark.tsx';
import { chatTitle } from '../messages/message-text.ts';
import { getPreview, shortTime } from './chat-text.ts';
import classes from './chat-list.module.css';

const route = getRouteApi('/w/$workspace/chats');
const MAX_SHOWN = 99;

interface ChatRowProps {
  chat: Chat;
  selected: boolean;
  /** Name of its instance, if there are several. */
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
        search={{ ...search, new: undefined, to: undefined, message: undefined }}
        aria-current={selected || undefined}
      >
        <ChatMark chat={chat} size={34} />
        <span className={classes.chatBody}>
          <span className={classes.chatTop}>
            {chat.kind === 'group' && <span className={classes.hidden}>{t('Group')}</span>}
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
              {last?.status === 'failed'
                ? t('Not sent: {text}', { text: getPreview(chat) })
                : getPreview(chat)}
            </span>
            {chat.muted && <IconBellOff size={13} aria-label={t('Muted')} />}
            {unread > 0 && (
              <span className={classes.unread} data-muted={chat.muted || undefined}>
                <span aria-hidden>{unread > MAX_SHOWN ? `${MAX_SHOWN}+` : unread}</span>
                <span className={classes.hidden}>
                  {plural(unread, { one: '{count} unread', other: '{count} unread' })}
                </span>
              </span>
            )}
          </span>
          {instance !== undefined && <span className={classes.chatInstance}>{instance}</span>}
        </span>
      </Link>
    </li>
  );
}
