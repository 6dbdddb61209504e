/** A message stanza as it came live: the account's own message, a copy that its server made of one, or neither. */
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
  /** What the account's archive calls it, as its server says; null where it doesn't. */
  stanzaId: string | null;
  at: Date;
  /** A copy of what another device of the account sent or got: that one tells its writer that it arrived. */
  isCopy: boolean;
}

const MAX_STANZA_IDS = 16;
/** What XEP-0313 has archives keep: what has words. */
export const isKept = (stanza: Element): boolean => ownText(stanza, 'body') !== null && !isTransient(stanza);

/**
 * The name that `by` vouches for (XEP-0359). null where there are several in its name: Prosody 0.12 leaves a stranger's in
 * what it archives, and puts its own behind it.
 */
function stanzaIdBy(stanza: Element, by: string): string | null {
  const named = getChildren(stanza, 'stanza-id', NS.sid, MAX_STANZA_IDS).filter(
    (element) => readBare(getAttribute(element, 'by')) === by,
  );
  return named.length === 1 ? idIn(named[0]!) : null;
}

/** When the account's own server says that it came, where it came late. */
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
 * @returns null for what is nobody's message: rooms' (`groupchat`), entries of archives, and copies (XEP-0280) that somebody
 *   else than the account's own server sent
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

/** The same of a message as it came live and as the archive has it. */
export const likeness = (stanza: Element): string =>
  JSON.stringify([getAttribute(stanza, 'from'), getAttribute(stanza, 'id'), ownText(stanza, 'body')]);

/** Whether the archive must have it, though it came without the archive's name for it. */
export const belongsInArchive = ({ stanza, stanzaId }: LiveStanza): boolean =>
  stanzaId === null && isKept(stanza) && !['error', 'headline'].includes(getAttribute(stanza, 'type') ?? '');
