/**
 * Converts a message stanza to signals. Pure: the caller has already verified the source of the stanza (the live
 * stream, the archive, a carbon from the account itself, or a room). Nothing that the sender chose makes a message the
 * account's own.
 */
import type { Element } from '@xmpp/xml';
import { readBare, readFull } from '../wire/address.ts';
import type { RoomAuthor, RoomView } from './room-view.ts';
import type { InboundMessage, Signal } from '../../contract/signal.ts';
import { getAttribute, getChild, getChildren, idIn, ownText } from './elements.ts';
import { archiveName, chatName, clientIdIn, digestName, writerName } from './names.ts';
import { NS } from './namespaces.ts';
import { readChange, readMarks, readModeration } from './read-change.ts';
import type { About, Spoken } from './spoken.ts';
import { readContent } from './read-content.ts';

const MAX_MENTIONS = 50;
const MAX_NAME = 255;

/** Removes the resource, even an invalid one. */
const toBare = (jid: string | null): string | null => readBare(jid?.split('/', 1)[0]);

function spokenInRoom(stanza: Element, about: About, room: RoomView, author: RoomAuthor): Spoken {
  const { address, title } = room;
  return {
    ...about,
    chat: { kind: 'group', key: address, address, title },
    from: author.address,
    fromName: author.name,
    fromMe: author.isMe,
    mayBeOurs: author.mayBeMe ?? false,
    writer: author.key,
  };
}

function spokenDirectly(stanza: Element, about: About): Spoken | null {
  const [from, to] = [getAttribute(stanza, 'from'), getAttribute(stanza, 'to')];
  // The server omits the address of the account itself.
  const writer = from === null ? about.account : toBare(from);
  if (writer === null) return null;
  const fromMe = writer === about.account;
  const [bare, full] = fromMe ? [toBare(to ?? about.account), to] : [writer, from];
  if (bare === null) return null;
  // In a private message in a room, only the resource identifies the person.
  const person = about.isRoom?.(bare) ? (readFull(full) ?? bare) : bare;
  const nick = fromMe ? null : getChild(stanza, 'nick', NS.nick)?.getText().trim().slice(0, MAX_NAME);
  return {
    ...about,
    chat: { kind: 'direct', key: person, address: person, title: null },
    from: fromMe ? about.account : person,
    fromName: nick || null,
    fromMe,
    writer: fromMe ? about.account : person,
  };
}

/** Returns the names that later stanzas use for a message, besides its unique ID. */
function getAliases(stanza: Element, { chat, writer, stanzaId }: Spoken): string[] {
  const origin = getChild(stanza, 'origin-id', NS.sid);
  const chosen = [idIn(stanza), origin && idIn(origin)].filter((id) => id !== null);
  const ids = [...new Set(chosen)];
  if (chat.kind === 'direct')
    return ids.flatMap((id) => [
      chatName(chat.key, id),
      ...(writer ? [writerName(chat.key, writer, id)] : []),
    ]);
  if (writer === null) return [];
  return [...new Set([...ids, ...(stanzaId === null ? [] : [stanzaId])])].map((id) =>
    writerName(chat.key, writer, id),
  );
}

function getUniqueId(stanza: Element, { account, chat, from, stanzaId, at }: Spoken): string {
  if (stanzaId !== null)
    return chat.kind === 'group' ? chatName(chat.key, stanzaId) : archiveName(account, stanzaId);
  const id = idIn(stanza);
  const once = id === null ? [at.toISOString()] : [];
  return digestName(chat.key, from, id ?? '', ownText(stanza, 'body') ?? '', ...once);
}

function toReply(stanza: Element, { account, chat }: Spoken): { externalId: string } | null {
  const reply = getChild(stanza, 'reply', NS.reply);
  const id = reply && idIn(reply);
  if (!reply || id === null) return null;
  const isToMe = chat.kind === 'direct' && toBare(getAttribute(reply, 'to')) === account;
  const clientId = isToMe ? clientIdIn(id) : null;
  return { externalId: clientId ?? chatName(chat.key, id) };
}

function getMentions(stanza: Element, room: RoomView | null): string[] {
  const addresses = getChildren(stanza, 'reference', NS.reference, 2 * MAX_MENTIONS).flatMap((reference) => {
    const uri = getAttribute(reference, 'uri');
    if (getAttribute(reference, 'type') !== 'mention' || !uri || !/^xmpp:/i.test(uri)) return [];
    const jid = decoded(uri.slice(5).split('?', 1)[0]!);
    if (room && toBare(jid) === room.address)
      return room.getAddress(jid.slice(jid.indexOf('/') + 1)) ?? readFull(jid) ?? [];
    return toBare(jid) ?? [];
  });
  return [...new Set(addresses)].slice(0, MAX_MENTIONS);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not percent-encoded UTF-8, so it is kept unchanged
  }
}

function toMessages(stanza: Element, spoken: Spoken): InboundMessage[] {
  const content = readContent(stanza);
  if (!content) return [];
  const { chat, fromMe, mayBeOurs = false, stanzaId, account, at, from, fromName } = spoken;
  const uniqueId = getUniqueId(stanza, spoken);
  const id = idIn(stanza);
  const externalId = (chat.kind === 'group' ? (stanzaId ?? id) : (id ?? stanzaId)) ?? uniqueId;
  const { text, files, location } = content;
  const file = files[0];
  const type = file?.type ?? (location === null ? 'text' : 'location');
  const first: InboundMessage = {
    kind: 'message',
    externalId,
    uniqueId,
    aliases: getAliases(stanza, spoken),
    clientId: fromMe || mayBeOurs ? clientIdIn(id) : null,
    ...(mayBeOurs && { mayBeOurs }),
    chat,
    from,
    fromName,
    fromMe,
    to: fromMe || chat.kind === 'group' ? chat.address : account,
    type,
    text,
    file: file ? { url: file.url, fileName: file.fileName } : null,
    data: location,
    subject: chat.kind === 'group' ? null : ownText(stanza, 'subject')?.trim() || null,
    replyTo: toReply(stanza, spoken),
    mentions: getMentions(stanza, spoken.room ?? null),
    at,
  };
  const further = files.slice(1).map(({ url, fileName, type: typeOfIt }, index): InboundMessage => ({
    ...first,
    externalId: `${externalId}/${index + 2}`,
    uniqueId: `${uniqueId}/${index + 2}`,
    aliases: [],
    clientId: null,
    mayBeOurs: false,
    type: typeOfIt,
    text: null,
    file: { url, fileName },
    replyTo: null,
    mentions: [],
  }));
  return [first, ...further];
}

/** Adds the chat to changes of messages. */
const inChat = (key: string, signals: readonly Signal[]): Signal[] =>
  signals.map((signal) =>
    signal.kind === 'receipt' ||
    signal.kind === 'edited' ||
    signal.kind === 'revoked' ||
    signal.kind === 'reacted'
      ? { ...signal, heardIn: key }
      : signal,
  );

/**
 * @param stanza a `<message/>`; for a carbon or an archive entry, the forwarded one
 * @returns the signals in order; none if the stanza has none. Never throws
 */
export function readMessage(stanza: Element, about: About): Signal[] {
  const { room = null } = about;
  const kind = getAttribute(stanza, 'type') ?? 'normal';
  if ((kind === 'groupchat') !== (room !== null)) return [];
  let spoken: Spoken | null;
  if (room) {
    const author = room.author(stanza, about.isArchived ?? false);
    // From the room itself, only moderation is read.
    if (author.name === null) return inChat(room.address, readModeration(stanza, room.address, about.at));
    spoken = spokenInRoom(stanza, about, room, author);
  } else spoken = spokenDirectly(stanza, about);
  if (!spoken) return [];
  const { key } = spoken.chat;
  if (kind === 'headline') return [];
  if (kind === 'error') return inChat(key, readMarks(stanza, spoken));
  const change = readChange(stanza, spoken);
  return inChat(key, [...(change ?? toMessages(stanza, spoken)), ...readMarks(stanza, spoken)]);
}
