/** Builds the requests that send messages. */
import type { MessageRef, OutboundMessage } from '../contract/connection.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';
import { isUserId, toRecipient } from './address.ts';

const MAX_BUTTONS = 3;
const MAX_BUTTON = 20;
const MAX_ROW = 24;
const MAX_FLOW_BUTTON = 30;
const MAX_HEADER = 60;
const MAX_CONTACTS = 5;
const HAS_URL = /https?:\/\//i;

type Body = { [name: string]: Json };

/** How long a text is for Meta: in UTF-16 units, which is never less than what people count. */
const isWithin = (text: string, max: number): boolean => Array.from(text).length <= max;

const rejected = (code: string, detail: string): DriverError => new DriverError('rejected', code, detail);

/** What every message has. */
export function toEnvelope(chat: OutboundMessage['chat'], replyTo: MessageRef | null): Body {
  return {
    messaging_product: 'whatsapp',
    recipient_type: chat.kind === 'group' ? 'group' : 'individual',
    ...(isUserId(chat.address) ? { recipient: chat.address } : { to: toRecipient(chat.address) }),
    ...(replyTo?.externalId ? { context: { message_id: replyTo.externalId } } : {}),
  };
}

interface Choice {
  id: string;
  title: string;
  form_id?: string;
}

interface Choices {
  body: string;
  choices: Choice[];
  header?: string | null;
  footer?: string | null;
}

/** A form is a flow at Meta. Its answer has the ID of the choice as `flow_token`. */
function toFlow({ id, title, form_id: flowId }: Choice): Body {
  if (!isWithin(title, MAX_FLOW_BUTTON))
    throw rejected(
      'choice_too_long',
      `A choice with a form has at most ${MAX_FLOW_BUTTON} characters on WhatsApp.`,
    );
  const parameters = { flow_message_version: '3', flow_id: flowId!, flow_cta: title, flow_token: id };
  return { type: 'flow', action: { name: 'flow', parameters } };
}

/** Up to three short choices are buttons; more, or longer ones, are a list behind a button. */
function toButtons(choices: readonly Choice[], listButton: string): Body {
  if (choices.some(({ title }) => !isWithin(title, MAX_ROW)))
    throw rejected('choice_too_long', `A choice has at most ${MAX_ROW} characters on WhatsApp.`);
  if (new Set(choices.map(({ id }) => id)).size < choices.length)
    throw rejected('choice_not_unique', 'The IDs of the choices must differ.');
  const isShort = choices.length <= MAX_BUTTONS && choices.every(({ title }) => isWithin(title, MAX_BUTTON));
  const rows = choices.map(({ id, title }) => ({ id, title }));
  return {
    type: isShort ? 'button' : 'list',
    action: isShort
      ? { buttons: rows.map((reply) => ({ type: 'reply', reply })) }
      : { button: listButton, sections: [{ title: listButton, rows }] },
  };
}

function toInteractive({ body, choices, header, footer }: Choices, listButton: string): Body {
  for (const [name, text] of Object.entries({ header, footer }))
    if (text && !isWithin(text, MAX_HEADER))
      throw rejected('text_too_long', `The ${name} has at most ${MAX_HEADER} characters on WhatsApp.`);
  const form = choices.find(({ form_id: formId }) => formId !== undefined);
  if (form && choices.length > 1)
    throw rejected('form_not_alone', 'A choice with a form must be the only choice on WhatsApp.');
  return {
    ...(form ? toFlow(form) : toButtons(choices, listButton)),
    ...(header ? { header: { type: 'text', text: header } } : {}),
    body: { text: body },
    ...(footer ? { footer: { text: footer } } : {}),
  };
}

interface Card {
  name: string;
  phones?: string[] | null;
  emails?: string[] | null;
  organization?: string | null;
}

function toContacts(cards: readonly Card[]): Json {
  if (cards.length > MAX_CONTACTS)
    throw rejected('too_many_contacts', `A message has at most ${MAX_CONTACTS} contacts on WhatsApp.`);
  return cards.map(({ name, phones, emails, organization }) => ({
    // One name of a person besides the formatted one is required.
    name: { formatted_name: name, first_name: name },
    ...(phones?.length ? { phones: phones.map((phone) => ({ phone })) } : {}),
    ...(emails?.length ? { emails: emails.map((email) => ({ email })) } : {}),
    ...(organization ? { org: { company: organization } } : {}),
  }));
}

interface Place {
  latitude: number;
  longitude: number;
  name?: string | null;
  address?: string | null;
}

const toLocation = ({ latitude, longitude, name, address }: Place): Body => ({
  latitude: String(latitude),
  longitude: String(longitude),
  ...(name ? { name } : {}),
  ...(address ? { address } : {}),
});

function toFile({ type, content: { text, file } }: OutboundMessage, mediaId: string): Body {
  const isDocument = type === 'document';
  return {
    id: mediaId,
    ...(text === null ? {} : { caption: text }),
    ...(isDocument && file?.fileName ? { filename: file.fileName } : {}),
    ...(type === 'voice' ? { voice: true } : {}),
  };
}

/**
 * Returns the content of a message under Meta's name of its type. Templates are in templates.ts.
 * @param mediaId of its uploaded file; null if it has none
 * @throws DriverError rejected
 */
export function toContent(message: OutboundMessage, mediaId: string | null, listButton: string): Body {
  const { type, content } = message;
  if (content.file && mediaId !== null) {
    const name = type === 'voice' ? 'audio' : type;
    return { type: name, [name]: toFile(message, mediaId) };
  }
  const data = content.data as never;
  switch (type) {
    case 'text': {
      const body = content.text ?? '';
      return { type, text: { body, preview_url: HAS_URL.test(body) } };
    }
    case 'location':
      return { type, location: toLocation(data) };
    case 'contacts':
      return { type, contacts: toContacts(data) };
    case 'interactive':
      return { type, interactive: toInteractive(data, listButton) };
    default:
      throw rejected('unsupported_type', `WhatsApp does not support messages of type ${type}.`);
  }
}

/** @param emoji null removes the reaction */
export const toReaction = (chat: OutboundMessage['chat'], messageId: string, emoji: string | null): Body => ({
  ...toEnvelope(chat, null),
  type: 'reaction',
  reaction: { message_id: messageId, emoji: emoji ?? '' },
});
