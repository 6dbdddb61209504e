import type { Chat } from '../../api/types.ts';
import { PersonMark } from '../../design/PersonMark.tsx';
import { GroupMark } from '../groups/GroupMark.tsx';
import { chatTitle } from '../messages/message-text.ts';

interface ChatMarkProps {
  chat: Chat;
  /** The group's picture, if it is loaded. */
  picture?: React.ComponentProps<typeof GroupMark>['picture'];
  /** Pixels. */
  size: number;
}

/** The picture of a chat: the group's, or the first letter of the person's name. */
export function ChatMark({ chat, picture = null, size }: ChatMarkProps) {
  if (chat.kind === 'group') return <GroupMark picture={picture} size={size} />;
  return <PersonMark name={chatTitle(chat)} address={chat.address} size={size} />;
}
