import type { Chat, Message } from '../../api/types.ts';
import { chatTitle } from './message-text.ts';

/** Returns the title of a message's chat; until it is loaded, the address of the other side. */
export const chatLabel = (
  { chat, direction, from, to }: Message,
  chats: ReadonlyMap<string, Chat>,
): string => {
  const known = chats.get(chat.id);
  return known ? chatTitle(known) : ((direction === 'inbound' ? from : to) ?? chat.id);
};
