/**
 * The account's contacts: its roster (RFC 6121), its block list (XEP-0191), and address checks as far as servers
 * support them. Roster pushes are only accepted from the account's own server.
 */
import xml, { type Element } from '@xmpp/xml';
import type { ContactCalls } from '../contract/connection.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { ProfileSignal } from '../contract/signal.ts';
import { parseJid, readBare } from './wire/address.ts';
import { getPush } from './own-side.ts';
import { newServiceId } from './stanza/names.ts';
import { NS as STANZA } from './stanza/namespaces.ts';
import type { StanzaHandler, XmppStream } from './session/stream.ts';
import type { Telling } from './session/telling.ts';
import { NS } from './wire/namespaces.ts';

const ROSTER = 'jabber:iq:roster';
const BLOCKING = 'urn:xmpp:blocking';
const CHAT_STATES = 'http://jabber.org/protocol/chatstates';
const MAX_CONTACTS = 10_000;
const MAX_NAME = 200;
const TOLD_AT_ONCE = 500;
/** Concurrent checks. */
const CHECKED_AT_ONCE = 8;

/** Codes that mean that an address does not exist. Others may also mean that the server doesn't disclose it. */
const NOBODY = new Set(['item_not_found', 'gone', 'jid_malformed', 'remote_server_not_found']);

export interface Contacts {
  handle: StanzaHandler;
  calls: Required<ContactCalls>;
  /** Emits the roster's contacts if the settings request it. @throws DriverError */
  tellAll(): Promise<void>;
}

interface RosterItem {
  address: string;
  name: string | null;
}

function readItem(item: Element): RosterItem | null {
  const jid = parseJid(item.attrs['jid'] as string | undefined);
  if (!jid || jid.local === null || item.attrs['subscription'] === 'remove') return null;
  const name = String(item.attrs['name'] ?? '')
    .trim()
    .slice(0, MAX_NAME);
  return { address: `${jid.local}@${jid.domain}`, name: name || null };
}

const getItems = (query: Element | null): RosterItem[] =>
  (query?.getChildren('item') ?? [])
    .slice(0, MAX_CONTACTS)
    .map(readItem)
    .filter((item) => item !== null);

/** Converts roster entries to signals. */
const toSignals = (items: readonly RosterItem[]): ProfileSignal[] =>
  items.map(({ address, name }) => ({ kind: 'profile', address, name, isContact: true }));

export interface ContactsDeps {
  stream: XmppStream;
  telling: Pick<Telling, 'emit'>;
  /** Whether people on the roster become contacts. */
  takesRoster: boolean;
}

export function createContacts({ stream, telling, takesRoster }: ContactsDeps): Contacts {
  /** IDs of stanzas that were sent to see whether they are returned. */
  const trials = new Map<string, { isBack: boolean }>();

  const handle: StanzaHandler = (stanza) => {
    if (stanza.is('message') && stanza.attrs['type'] === 'error') {
      const trial = trials.get(String(stanza.attrs['id']));
      if (trial) trial.isBack = true;
      return trial !== undefined;
    }
    const roster = getPush(stanza, stream.account, 'query', ROSTER);
    if (roster) {
      stream.reply(stanza, null);
      // Failures are reported where the signal is emitted.
      if (takesRoster) telling.emit(toSignals(getItems(roster))).catch(() => undefined);
      return true;
    }
    const isBlocking = ['block', 'unblock'].some((name) => getPush(stanza, stream.account, name, BLOCKING));
    if (isBlocking) stream.reply(stanza, null);
    return isBlocking;
  };

  /**
   * Sends a chat state, which clients don't display, to an address on the account's own server, and returns whether the
   * server accepted it. A rejection arrives before the response to a later request, but not always before an
   * acknowledgement (XEP-0198), which ejabberd sends as soon as it has read the stanza.
   */
  const tryOut = async (address: string, signal: AbortSignal): Promise<boolean> => {
    const id = newServiceId();
    const trial = { isBack: false };
    trials.set(id, trial);
    try {
      const state = xml('inactive', { xmlns: CHAT_STATES });
      const hint = xml('no-store', { xmlns: STANZA.hints });
      await stream.send(xml('message', { to: address, type: 'chat', id }, state, hint));
      await stream.ping(signal);
      return !trial.isBack;
    } finally {
      trials.delete(id);
    }
  };
  const exists = async (given: string, signal: AbortSignal): Promise<boolean | null> => {
    const jid = parseJid(given);
    if (!jid) return false;
    const address = readBare(given)!;
    if (address === stream.account || address === stream.domain) return true;
    try {
      await stream.ask({ to: address, type: 'get', payload: xml('query', { xmlns: NS.discoInfo }) }, signal);
      return true;
    } catch (error) {
      if (!(error instanceof DriverError) || (error.kind !== 'rejected' && error.kind !== 'busy'))
        throw error;
      if (NOBODY.has(error.code)) return false;
    }
    return jid.domain === stream.domain ? tryOut(address, signal) : null;
  };

  const list = async (signal?: AbortSignal): Promise<RosterItem[]> => {
    const query = xml('query', { xmlns: ROSTER });
    return getItems(await stream.ask({ to: null, type: 'get', payload: query }, signal));
  };

  const blockedAddresses = async (signal: AbortSignal): Promise<ReadonlySet<string>> => {
    const answer = await stream.ask(
      { to: null, type: 'get', payload: xml('blocklist', { xmlns: BLOCKING }) },
      signal,
    );
    const items = answer?.getChildren('item').slice(0, MAX_CONTACTS) ?? [];
    return new Set(items.flatMap((item) => readBare(item.attrs['jid']) ?? []));
  };

  return {
    handle,
    async tellAll() {
      if (!takesRoster) return;
      const all = toSignals(await list());
      for (let from = 0; from < all.length; from += TOLD_AT_ONCE)
        await telling.emit(all.slice(from, from + TOLD_AT_ONCE));
    },
    calls: {
      list,
      async check(addresses, signal) {
        const found: (boolean | null)[] = [];
        for (let from = 0; from < addresses.length; from += CHECKED_AT_ONCE) {
          const some = addresses.slice(from, from + CHECKED_AT_ONCE);
          found.push(...(await Promise.all(some.map((address) => exists(address, signal)))));
        }
        return found;
      },
      async setBlocked(address, isBlocked, signal) {
        const item = xml('item', { jid: address });
        const payload = xml(isBlocked ? 'block' : 'unblock', { xmlns: BLOCKING }, item);
        try {
          await stream.ask({ to: null, type: 'set', payload }, signal);
        } catch (error) {
          if (!(error instanceof DriverError) || error.kind !== 'rejected') throw error;
          // Some servers reject a change that has no effect.
          const blocked = await blockedAddresses(signal).catch((fault: unknown) => {
            if (fault instanceof DriverError && fault.kind === 'rejected') return null;
            throw fault;
          });
          if (blocked?.has(address) !== isBlocked) throw error;
        }
      },
    },
  };
}
