/** Reads reactions to messages. */
import type { MessageReactionUpdated, Update } from '@grammyjs/types';
import { toExternalId } from './address.ts';
import { readChat, readUser } from './people.ts';
import { integer, list, object, text, time, type Untrusted } from './untrusted.ts';
import type { InboundDeps, Outcome } from './update.ts';

const MAX_REACTIONS = 12;
/** Shown for paid reactions, and for custom emoji without a standard equivalent. */
const OTHER_REACTION = '⭐';

/** Returns the emoji of one reaction. */
async function readReaction(
  { findEmoji }: InboundDeps,
  given: unknown,
  signal: AbortSignal,
): Promise<string> {
  const { emoji, custom_emoji_id: custom } = object<{ emoji: string; custom_emoji_id: string }>(given) ?? {};
  const id = text(custom, 64);
  return text(emoji, 32) ?? (id === null ? null : await findEmoji(id, signal)) ?? OTHER_REACTION;
}

/** Emits the current reactions of a person on a message. */
export async function onReaction(
  deps: InboundDeps,
  update: Untrusted<MessageReactionUpdated>,
  _update: Untrusted<Update>,
  signal: AbortSignal,
): Promise<Outcome> {
  const { bot, position, now } = deps;
  const [chat, number] = [readChat(update.chat, position), integer(update.message_id)];
  const author = readUser(update.user) ?? readChat(update.actor_chat, position);
  if (!chat || number === null || number < 1 || !Array.isArray(update.new_reaction)) return 'malformed';
  if (!author) return 'no_sender';
  const emojis: string[] = [];
  for (const one of list(update.new_reaction, MAX_REACTIONS))
    emojis.push(await readReaction(deps, one, signal));
  const [emoji = null, ...others] = new Set(emojis);
  const heardIn = chat.address;
  return [
    {
      kind: 'reacted',
      externalId: toExternalId(chat.id, number),
      clientId: null,
      author: author.address,
      fromMe: author.id === bot.id,
      emoji,
      ...(others.length ? { others } : {}),
      at: time(update.date, now()),
      heardIn,
    },
  ];
}
