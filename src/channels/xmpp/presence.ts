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
/** New contacts that are let in in an hour: each becomes a line of the account's roster, and strangers may be any number. */
const MAX_ASKING = 100;
const HOUR_MS = 3_600_000;

export interface Presence {
  handle: StanzaHandler;
  /** From now on the account is online, and hears. */
  announce(): Promise<void>;
  setTyping(chat: ChatRef, isTyping: boolean): Promise<void>;
}

/** @param deps.letsIn whether who asks to see when the account is online may, and is asked the same */
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
      waiting.clear(); // the connection is over, which was told already
    } finally {
      isTelling = false;
    }
  };

  const onPresence = (stanza: Element): boolean => {
    const from = parseJid(stanza.attrs['from'] as string | undefined);
    // What a room shows of its people is no contact's.
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
    // A bare address went as a whole.
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
    // The others are asked about again by the server, at the next connection.
    if (++asking.count > MAX_ASKING) return;
    for (const type of ['subscribed', 'subscribe'])
      stream.send(xml('presence', { to: address, type })).catch(() => undefined); // the end of the stream is reported elsewhere
  };

  /** Of a chat state that comes alone; one beside a text says nothing that the text doesn't. */
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
    // Some put a receipt or a marker beside it.
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
