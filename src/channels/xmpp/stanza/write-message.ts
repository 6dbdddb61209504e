/** Builds the stanza of an outbound message. Everything from the caller becomes text or an attribute, never markup. */
import xml, { type Element } from '@xmpp/xml';
import type { MessageRef, OutboundMessage } from '../../contract/connection.ts';
import { parseJid } from '../wire/address.ts';
import { getChatType, type Target } from './target.ts';
import { NS } from './namespaces.ts';
import { getLength, xmlText } from './text.ts';

export interface WrittenFile {
  /** Where the recipient downloads the file. */
  url: string;
  name: string;
  mimeType: string;
  size: number;
}

/** Returns the ID that the channel uses for a message: the room's ID in rooms, the writer's ID in direct chats. */
export const getName = (message: MessageRef, kind: 'direct' | 'group'): string | null =>
  kind === 'group' ? (message.externalId ?? message.clientId) : (message.clientId ?? message.externalId);

function toReply({ replyTo, chat }: OutboundMessage): Element[] {
  const id = replyTo && getName(replyTo, chat.kind);
  if (!replyTo || id === null) return [];
  // In a room the writer is an occupant, whom we may know by a different address.
  const author = chat.kind === 'direct' && replyTo.author ? { to: xmlText(replyTo.author) } : {};
  return [xml('reply', { xmlns: NS.reply, id: xmlText(id), ...author })];
}

/** Returns the range of a mention such as `@ada` in the text, in code points. */
function getLocation(address: string, text: string): { begin: string; end: string } | null {
  const jid = parseJid(address);
  const name = `@${jid?.resource ?? jid?.local ?? address}`;
  const at = text.toLowerCase().indexOf(name.toLowerCase());
  if (at === -1) return null;
  const begin = getLength(text.slice(0, at));
  return { begin: String(begin), end: String(begin + getLength(text.slice(at, at + name.length))) };
}

const getMentions = ({ mentions }: OutboundMessage, text: string): Element[] =>
  mentions.map((address) => {
    const uri = `xmpp:${encodeURI(xmlText(address))}`;
    return xml('reference', { xmlns: NS.reference, type: 'mention', uri, ...getLocation(address, text) });
  });

function placed({ content }: OutboundMessage): { body: string; parts: Element[] } {
  const { latitude, longitude, name, address } = content.data as Record<string, number | string | null>;
  const body = `geo:${latitude},${longitude}`;
  const words = (tag: string, value: unknown) =>
    typeof value === 'string' ? [xml(tag, {}, xmlText(value))] : [];
  const geoloc = xml(
    'geoloc',
    { xmlns: NS.geoloc },
    xml('lat', {}, String(latitude)),
    xml('lon', {}, String(longitude)),
    ...words('description', name),
    ...words('text', address),
  );
  return { body, parts: [geoloc, xml('fallback', { xmlns: NS.fallback, for: NS.geoloc }, xml('body'))] };
}

/**
 * Sends a file as a link that every client shows (XEP-0066) and as a file share (XEP-0447). With a caption the body
 * contains both; XEP-0428 marks the part for the file.
 */
function shared(file: WrittenFile, caption: string | null): { body: string; parts: Element[] } {
  const before = caption === null ? '' : `${caption}\n`;
  const start = getLength(before);
  const end = start + getLength(file.url);
  const about = xml(
    'file',
    { xmlns: NS.fileMetadata },
    xml('media-type', {}, xmlText(file.mimeType)),
    xml('name', {}, xmlText(file.name)),
    xml('size', {}, String(file.size)),
  );
  const target = xml('url-data', { xmlns: NS.urlData, target: file.url });
  const parts = [
    xml('x', { xmlns: NS.oob }, xml('url', {}, file.url)),
    xml('file-sharing', { xmlns: NS.sfs, disposition: 'inline' }, about, xml('sources', {}, target)),
    // The range includes the line break after the caption, so that none remains.
    xml(
      'fallback',
      { xmlns: NS.fallback, for: NS.sfs },
      xml('body', { start: String(Math.max(0, start - 1)), end: String(end) }),
    ),
  ];
  return { body: `${before}${file.url}`, parts };
}

/**
 * @param file the uploaded file, if any
 * @returns a stanza with the client ID as `id` and origin ID (XEP-0359)
 */
export function writeMessage(message: OutboundMessage, target: Target, file: WrittenFile | null): Element {
  const { clientId, content, type, subject, chat } = message;
  const text = content.text === null ? null : xmlText(content.text);
  const { body, parts } = file
    ? shared(file, text)
    : type === 'location'
      ? placed(message)
      : { body: text ?? '', parts: [] };
  return xml(
    'message',
    { to: target.address, type: getChatType(target), id: clientId },
    ...(subject === null || chat.kind === 'group' ? [] : [xml('subject', {}, xmlText(subject))]),
    xml('body', {}, body),
    ...parts,
    ...toReply(message),
    ...getMentions(message, body),
    xml('origin-id', { xmlns: NS.sid, id: clientId }),
    ...(chat.kind === 'direct'
      ? [xml('request', { xmlns: NS.receipts }), xml('markable', { xmlns: NS.markers })]
      : []),
    ...(target.isOccupant ? [xml('x', { xmlns: NS.mucUser })] : []),
  );
}
