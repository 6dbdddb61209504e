/**
 * Presence (RFC 6121) and typing (XEP-0085), in both directions. Nothing is stored: when changes arrive faster than
 * they can be emitted, only the last of each is emitted, and an overflow is dropped.
 */
import xml, { type Element } from '@xmpp/xml';
import type { ChatRef } from '../contract/connection.ts';
import type { Signal } from '../contract/signal.ts';
import { bareJid, parseJid, readBare } from './wire/address.ts';
import { capabilities } from './disco.ts';
import { NS } from './stanza/namespaces.ts';
import type { StanzaHandler, XmppStream } from './session/stream.ts';
import type { Telling } from './session/telling.ts';

const CHAT_STATES = 'http://jabber.org/protocol/chatstates';
const STATES = ['active', 'composing', 'paused', 'inactive', 'gone'] as const;
const MAX_WAITING = 5000;
const MAX_AT_ONCE = 100;
const MAX_CONTACTS = 5000;
const MAX_RESOURCES = 5;
/**
 * Maximum new contacts accepted per hour: each is added to the account's roster, and any number of strangers can ask.
 */
const MAX_ASKING = 100;
const HOUR_MS = 3_600_000;

export interface Presence {
  handle: StanzaHandler;
  /** Sends the account's presence, after which it is online and receives messages. */
  announce(): Promise<void>;
  setTyping(chat: ChatRef, isTyping: boolean): Promise<void>;
}

/** @param deps.letsIn whether requests to see the account's presence are accepted and returned */
export function createPresence(deps: {
  stream: XmppStream;
  telling: Pick<Telling, 'emit'>;
  letsIn: boolean;
}): Presence {
  const { stream, telling, letsIn } = deps;
  /** Resources that are online, by bare address. */
  const online = new Map<string, Set<string>>();
  const asking = { since: 0, count: 0 };
  const waiting = new Map<string, Signal>();
  let isTelling = false;

  const emit = (key: string, signal: Signal): void => {
    if (waiting.size >= MAX_WAITING && !waiting.has(key)) return;
    waiting.set(key, signal);
    if (!isTelling) void tellAll();
  };
  const tellAll = async (): Promise<void> => {
    isTelling = true;
    try {
      while (waiting.size > 0) {
        const some = [...waiting].slice(0, MAX_AT_ONCE);
        for (const [key] of some) waiting.delete(key);
        await telling.emit(some.map(([, signal]) => signal));
      }
    } catch {
      waiting.clear(); // the connection has ended, which is reported elsewhere
    } finally {
      isTelling = false;
    }
  };

  const onPresence = (stanza: Element): boolean => {
    const from = parseJid(stanza.attrs['from'] as string | undefined);
    // Presence in a room is not the presence of a contact.
    if (!from || stanza.getChild('x', NS.mucUser)) return false;
    const address = bareJid(from);
    const type = stanza.attrs['type'] as string | undefined;
    if (type === 'subscribe') letIn(address);
    if ((type !== undefined && type !== 'unavailable') || address === stream.account) return true;
    const known = online.get(address);
    // Without a stored arrival, the departure can't be reported.
    if (!known && online.size >= MAX_CONTACTS) return true;
    const resources = known ?? new Set();
    const was = resources.size > 0;
    if (type === 'unavailable') resources.delete(from.resource ?? '');
    // From a bare address, all resources are offline.
    if (type === 'unavailable' && from.resource === null) resources.clear();
    if (type === undefined && resources.size < MAX_RESOURCES) resources.add(from.resource ?? '');
    if (resources.size === 0) online.delete(address);
    else online.set(address, resources);
    const isOnline = resources.size > 0;
    if (was !== isOnline) emit(address, { kind: 'presence', address, isOnline });
    return true;
  };
  const letIn = (address: string): void => {
    if (!letsIn || address === stream.account) return;
    const now = performance.now();
    if (now - asking.since > HOUR_MS) Object.assign(asking, { since: now, count: 0 });
    // The server sends the remaining requests again at the next connection.
    if (++asking.count > MAX_ASKING) return;
    for (const type of ['subscribed', 'subscribe'])
      stream.send(xml('presence', { to: address, type })).catch(() => undefined); // reported as the end of the stream
  };

  /** Handles a chat state without a text. One beside a text adds nothing to it. */
  const onState = (stanza: Element): boolean => {
    const { type } = stanza.attrs as { type?: string };
    if (type === 'error' || type === 'groupchat' || stanza.getChild('body')) return false;
    const state = STATES.find((name) => stanza.getChild(name, CHAT_STATES));
    if (!state) return false;
    const address = readBare(stanza.attrs['from'] as string | undefined);
    const isNow = !stanza.getChild('delay', NS.delay) && !stanza.getChild('x', NS.mucUser);
    if (address !== null && address !== stream.account && isNow) {
      const chat = { kind: 'direct', key: address, address, title: null } as const;
      emit(`${address} types`, { kind: 'typing', chat, address, isTyping: state === 'composing' });
    }
    // Some clients put a receipt or a marker beside it, which others handle.
    return stanza.children.filter((child) => typeof child === 'object').length === 1;
  };

  return {
    handle: (stanza) => {
      if (stanza.is('presence')) return onPresence(stanza);
      return stanza.is('message') && onState(stanza);
    },
    async announce() {
      await stream.send(xml('presence', {}, capabilities()));
    },
    async setTyping(chat, isTyping) {
      const type = chat.kind === 'group' ? 'groupchat' : 'chat';
      const state = xml(isTyping ? 'composing' : 'paused', { xmlns: CHAT_STATES });
      const hint = xml('no-store', { xmlns: NS.hints });
      await stream.send(xml('message', { to: chat.address, type }, state, hint));
    },
  };
}
