/** Builds the requests that send messages. */
import type { MessageRef, OutboundMessage } from '../contract/connection.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';
import { areButtons, checkContent, type Choice, type Choices } from './check-content.ts';
import { isUserId, toRecipient } from './address.ts';

const MAX_CONTACTS = 5;
const HAS_URL = /https?:\/\//i;

type Body = { [name: string]: Json };

const rejected = (code: string, detail: string): DriverError => new DriverError('rejected', code, detail);

/** Returns the fields that every message has. */
export function toEnvelope(chat: OutboundMessage['chat'], replyTo: MessageRef | null): Body {
  return {
    messaging_product: 'whatsapp',
    recipient_type: chat.kind === 'group' ? 'group' : 'individual',
    ...(isUserId(chat.address) ? { recipient: chat.address } : { to: toRecipient(chat.address) }),
    ...(replyTo?.externalId ? { context: { message_id: replyTo.externalId } } : {}),
  };
}

/** A form is a flow at Meta. Its answer has the ID of the choice as `flow_token`. */
function toFlow({ id, title, form_id: flowId }: Choice): Body {
  const parameters = { flow_message_version: '3', flow_id: flowId!, flow_cta: title, flow_token: id };
  return { type: 'flow', action: { name: 'flow', parameters } };
}

function toButtons(choices: readonly Choice[], listButton: string): Body {
  const isShort = areButtons(choices);
  const rows = choices.map(({ id, title }) => ({ id, title }));
  return {
    type: isShort ? 'button' : 'list',
    action: isShort
      ? { buttons: rows.map((reply) => ({ type: 'reply', reply })) }
      : { button: listButton, sections: [{ title: listButton, rows }] },
  };
}

function toInteractive({ body, choices, header, footer }: Choices, listButton: string): Body {
  const form = choices.find(({ form_id: formId }) => formId !== undefined);
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
  // Of messages that were queued before the check was.
  const [fault] = checkContent(type, content.data);
  if (fault) throw rejected(fault.code, fault.detail);
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
