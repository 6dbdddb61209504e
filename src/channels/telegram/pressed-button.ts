/** Reads button presses below messages of the bot. */
import type { CallbackQuery, Message } from '@grammyjs/types';
import type { Json } from '../contract/json.ts';
import { toExternalId } from './address.ts';
import { readThreadId } from './message-place.ts';
import { readChat, readUser, toInboundChat } from './people.ts';
import { integer, list, object, text, type Untrusted } from './untrusted.ts';
import type { GivenMessage, InboundDeps, Outcome } from './update.ts';

const MAX_CALLBACK_DATA = 256;
const MAX_ROWS = 100;

/** Returns the title of the button with this data. */
function getButtonTitle(message: GivenMessage, data: string): string | null {
  const markup = object<{ inline_keyboard: unknown }>(message.reply_markup);
  for (const row of list(markup?.inline_keyboard, MAX_ROWS))
    for (const one of list(row, MAX_ROWS)) {
      const button = object<{ text: string; callback_data: string }>(one);
      if (button?.callback_data === data) return text(button.text, 100);
    }
  return null;
}

/** A button press is received as a reply. */
export function onCallback(deps: InboundDeps, query: Untrusted<CallbackQuery>): Outcome {
  const { bot, position } = deps;
  const [id, person, message] = [text(query.id, 100), readUser(query.from), object<Message>(query.message)];
  if (id === null) return 'malformed';
  if (!person) return 'no_sender';
  deps.onCallback(id);
  const [chat, number] = [readChat(message?.chat, position), integer(message?.message_id)];
  const choice = text(query.data, MAX_CALLBACK_DATA);
  // A game, or a message that was sent through an inline query.
  if (!message || choice === null) return 'unknown_kind';
  if (!chat || number === null) return 'malformed';
  const title = getButtonTitle(message, choice) ?? choice;
  const data: Json = { body: title, choices: [{ id: choice, title }], header: null, footer: null };
  return [
    {
      kind: 'message',
      externalId: `callback/${id}`,
      chat: toInboundChat(chat),
      threadId: readThreadId(message),
      from: person.address,
      fromName: person.name,
      fromUsername: person.username,
      fromMe: false,
      to: chat.isGroup ? chat.address : String(bot.id),
      type: 'interactive',
      text: title,
      file: null,
      data,
      subject: null,
      replyTo: { externalId: toExternalId(chat.id, number) },
      mentions: [],
      // Telegram does not say when a button was pressed.
      at: deps.now(),
    },
  ];
}
