/**
 * Reads changes of messages: corrections, retractions, reactions, receipts, markers, errors. A change names a message
 * together with its own sender, so that it only applies to that sender's messages; a receipt names one of the
 * receiver's.
 */
import type { Element } from '@xmpp/xml';
import type { Receipt, Signal } from '../../contract/signal.ts';
import { getAttribute, getChild, getChildren, idIn, ownText } from './elements.ts';
import { chatName, clientIdIn, isServiceId, writerName } from './names.ts';
import { NS } from './namespaces.ts';
import type { Spoken } from './spoken.ts';
import { readStanzaError } from './stanza-error.ts';
import { boundedText } from './text.ts';

const MAX_EMOJI = 64;
const MAX_EMOJI_LENGTH = 32;
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;

/** Names a message of this writer. Our own may be known only by its client ID. */
function ownNamed(
  { chat, writer, fromMe }: Spoken,
  id: string,
): { externalId: string; clientId: string | null }[] {
  if (writer === null) return [];
  return [{ externalId: writerName(chat.key, writer, id), clientId: fromMe ? clientIdIn(id) : null }];
}

function getCorrection(stanza: Element, spoken: Spoken): Signal[] | null {
  const replace = getChild(stanza, 'replace', NS.correct);
  if (!replace) return null;
  const id = idIn(replace);
  const body = ownText(stanza, 'body');
  if (id === null || body === null || body === '') return [];
  const changeId = spoken.stanzaId ?? idIn(stanza);
  return ownNamed(spoken, id).map((named) => ({
    kind: 'edited',
    ...named,
    changeId,
    text: boundedText(body),
    at: spoken.at,
  }));
}

function retractedId(stanza: Element): string | null | undefined {
  const retract = getChild(stanza, 'retract', NS.retract);
  if (retract) return idIn(retract);
  const applied = getChild(stanza, 'apply-to', NS.fasten);
  return applied && getChild(applied, 'retract', NS.oldRetract) ? idIn(applied) : undefined;
}

function getRetraction(stanza: Element, spoken: Spoken): Signal[] | null {
  const id = retractedId(stanza);
  if (id === undefined) return null;
  if (id === null) return [];
  return ownNamed(spoken, id).map((named) => ({ kind: 'revoked', ...named, at: spoken.at }));
}

/**
 * Reads a person's reactions to a message, which replace earlier ones. Only the newest is kept, which is the last in
 * the list.
 */
function getReaction(stanza: Element, { chat, from, fromMe, at }: Spoken): Signal[] | null {
  const reactions = getChild(stanza, 'reactions', NS.reactions);
  if (!reactions) return null;
  const id = idIn(reactions);
  if (id === null) return [];
  const all = getChildren(reactions, 'reaction', NS.reactions, MAX_EMOJI).map((one) => one.getText().trim());
  const emoji = all.findLast((one) => one.length <= MAX_EMOJI_LENGTH && EMOJI.test(one));
  if (emoji === undefined && all.length) return [];
  const clientId = chat.kind === 'direct' ? clientIdIn(id) : null;
  const externalId = chatName(chat.key, id);
  const named = { externalId, clientId, ...(clientId === null ? {} : { isDirect: true }) };
  return [{ kind: 'reacted', ...named, author: from, fromMe, emoji: emoji ?? null, at }];
}

/** @returns null if it is not a change and may be a message */
export const readChange = (stanza: Element, spoken: Spoken): Signal[] | null =>
  getRetraction(stanza, spoken) ?? getCorrection(stanza, spoken) ?? getReaction(stanza, spoken);

/** Reads a room's retraction of an occupant's message (XEP-0425). @param stanza sent by the room itself */
export function readModeration(stanza: Element, room: string, at: Date): Signal[] {
  const retract = getChild(stanza, 'retract', NS.retract);
  const isModerated = retract && getChild(retract, 'moderated', NS.moderate);
  const applied = getChild(stanza, 'apply-to', NS.fasten);
  const old = applied && getChild(applied, 'moderated', NS.oldModerate);
  const wasModerated = old && getChild(old, 'retract', NS.oldRetract);
  const named = isModerated ? retract : wasModerated ? applied : null;
  const id = named && idIn(named);
  return id === null ? [] : [{ kind: 'revoked', externalId: chatName(room, id), at }];
}

/** Builds a receipt for a message that was sent to the stanza's sender. */
function receipt(
  { account, chat, fromMe, at }: Spoken,
  id: string,
  status: Receipt['status'],
  more: Partial<Receipt> = {},
): Receipt {
  const receiver = fromMe ? chat.address : account;
  const clientId = fromMe ? null : clientIdIn(id);
  return {
    kind: 'receipt',
    externalId: writerName(chat.key, receiver, id),
    clientId,
    ...(clientId === null ? {} : { isDirect: true }),
    status,
    error: null,
    at,
    ...more,
  };
}

/** Reads receipts, markers and errors. Those in rooms are ignored, because each is from only one of many recipients. */
export function readMarks(stanza: Element, spoken: Spoken): Signal[] {
  if (spoken.chat.kind === 'group') return [];
  if (getAttribute(stanza, 'type') === 'error') {
    const id = idIn(stanza);
    if (id === null || isServiceId(id) || spoken.fromMe) return [];
    const { code, message: detail } = readStanzaError(stanza);
    return [receipt(spoken, id, 'failed', { error: { code, detail } })];
  }
  const marks: [Element | null, Receipt['status']][] = [
    [getChild(stanza, 'received', NS.receipts), 'delivered'],
    [getChild(stanza, 'received', NS.markers), 'delivered'],
    [getChild(stanza, 'displayed', NS.markers), 'read'],
    [getChild(stanza, 'acknowledged', NS.markers), 'read'],
  ];
  return marks.flatMap(([mark, status]) => {
    const id = mark && idIn(mark);
    // Delivery to another device of the account is not reported.
    if (id === null || (spoken.fromMe && status !== 'read')) return [];
    return [receipt(spoken, id, status, status === 'read' ? { upTo: true } : {})];
  });
}

/** Returns whether the sender requests a delivery receipt. */
export const wantsReceipt = (stanza: Element): boolean =>
  getChild(stanza, 'request', NS.receipts) !== null && idIn(stanza) !== null;
