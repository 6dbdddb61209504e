/** Reads live message stanzas: messages to the account, and copies that its server makes for other devices. */
import type { Element } from '@xmpp/xml';
import { forwarded, isArchiveResult } from './session/archive.ts';
import { readBare } from './wire/address.ts';
import {
  getAttribute,
  getChild,
  getChildren,
  idIn,
  isTransient,
  ownText,
  timeIn,
} from './stanza/elements.ts';
import { NS } from './stanza/namespaces.ts';

export interface LiveStanza {
  stanza: Element;
  /** The ID in the account's archive; null if the server gives none. */
  stanzaId: string | null;
  at: Date;
  /** Whether it is a copy of what another device of the account sent or received. That device sends the receipt. */
  isCopy: boolean;
}

const MAX_STANZA_IDS = 16;
/** Whether archives store it according to XEP-0313: it has a body. */
export const isKept = (stanza: Element): boolean => ownText(stanza, 'body') !== null && !isTransient(stanza);

/**
 * Returns the ID that `by` assigned (XEP-0359); null if there are several in its name, because Prosody 0.12 keeps a
 * stranger's ID in messages that it archives, and adds its own after it.
 */
function stanzaIdBy(stanza: Element, by: string): string | null {
  const named = getChildren(stanza, 'stanza-id', NS.sid, MAX_STANZA_IDS).filter(
    (element) => readBare(getAttribute(element, 'by')) === by,
  );
  return named.length === 1 ? idIn(named[0]!) : null;
}

/** Returns when a delayed message arrived, according to the account's own server. */
function delayedBy(stanza: Element, { account, domain }: { account: string; domain: string }): Date | null {
  const delay = getChildren(stanza, 'delay', NS.delay, MAX_STANZA_IDS).find((element) => {
    const from = getAttribute(element, 'from');
    return from === domain || readBare(from) === account;
  });
  return delay ? timeIn(delay) : null;
}

const copyIn = (stanza: Element): { kind: 'sent' | 'received'; wrapper: Element } | null => {
  for (const kind of ['sent', 'received'] as const) {
    const wrapper = getChild(stanza, kind, NS.carbons);
    if (wrapper) return { kind, wrapper };
  }
  return null;
};

/**
 * @returns null for messages of rooms (`groupchat`), archive entries, and copies (XEP-0280) not sent by the account's
 *   own server
 */
export function readLive(stanza: Element, of: { account: string; domain: string }): LiveStanza | null {
  if (stanza.getName() !== 'message' || isArchiveResult(stanza)) return null;
  const copy = copyIn(stanza);
  if (!copy) {
    if (getAttribute(stanza, 'type') === 'groupchat') return null;
    const at = delayedBy(stanza, of) ?? new Date();
    return { stanza, stanzaId: stanzaIdBy(stanza, of.account), at, isCopy: false };
  }
  const from = getAttribute(stanza, 'from');
  if (from !== null && (from.includes('/') || readBare(from) !== of.account)) return null;
  const inner = forwarded(copy.wrapper);
  if (!inner || getAttribute(inner.stanza, 'type') === 'groupchat') return null;
  const party = getAttribute(inner.stanza, copy.kind === 'sent' ? 'from' : 'to')?.split('/', 1)[0];
  if (readBare(party) !== of.account) return null;
  const at = inner.at ?? delayedBy(inner.stanza, of) ?? new Date();
  return { stanza: inner.stanza, stanzaId: stanzaIdBy(inner.stanza, of.account), at, isCopy: true };
}

/** Returns a key that is equal for the live and the archived form of a message. */
export const likeness = (stanza: Element): string =>
  JSON.stringify([getAttribute(stanza, 'from'), getAttribute(stanza, 'id'), ownText(stanza, 'body')]);

/** Whether the archive should have it although it arrived without the archive's ID. */
export const belongsInArchive = ({ stanza, stanzaId }: LiveStanza): boolean =>
  stanzaId === null && isKept(stanza) && !['error', 'headline'].includes(getAttribute(stanza, 'type') ?? '');
