/** A room as somebody sees it who is in it. */
import { xml } from '@xmpp/client';
import type { Element } from '@xmpp/xml';
import type { GroupRole } from '../../../../src/channels/contract/connection.ts';
import { Refused } from '../../../conformance/suite/group-harness.ts';
import type { Sight } from '../../../conformance/suite/harness.ts';
import { getLast, readArchive } from './archive-reader.ts';
import { getId, getViews } from './peer-sights.ts';
import { ask, type Link } from './session.ts';

export const MUC = 'http://jabber.org/protocol/muc';
const USER = `${MUC}#user`;

interface Occupant {
  /** Bare; null where the room doesn't show it. */
  jid: string | null;
  affiliation: string;
  role: string;
}

export interface PeerRoom {
  readonly address: string;
  readonly occupants: ReadonlyMap<string, Occupant>;
  readonly sights: Sight[];
  readonly subject: string;
  /** Whether somebody is in it, oneself. */
  readonly isIn: boolean;
  /** @throws Error with the condition where the room refuses it */
  enter(link: Link): Promise<void>;
  take(stanza: Element): Promise<void>;
  /** @returns what the room calls it. @throws Error with the condition where the room refuses it */
  say(link: Link, stanza: Element): Promise<string>;
  /** What somebody wrote under that ID in it, as its writer calls it. */
  getOwnId(name: string): string;
  /** Who wrote it, as a reply names him. */
  getAuthor(name: string): string;
}

interface Waiting {
  resolve(name: string): void;
  reject(error: Error): void;
}

const getCondition = (stanza: Element): string =>
  stanza.getChild('error')?.getChildElements()[0]?.name ?? 'no error';

export const getRole = (affiliation: string): GroupRole =>
  affiliation === 'owner' || affiliation === 'admin' ? affiliation : 'member';

export function peerRoom(address: string, nick: string, password: string | null, ca: string): PeerRoom {
  const occupants = new Map<string, Occupant>();
  const sights: Sight[] = [];
  /** Names that the room gave, by who wrote the message and what he calls it. */
  const names = new Map<string, string>();
  const own = (id: string): string => `${nick} ${id}`;
  const authors = new Map<string, string>();
  const waiting = new Map<string, Waiting>();
  let entering: Waiting | null = null;
  let isIn = false;
  let subject = '';
  /** Of the room's archive, what was seen last; undefined until it has been inside, null where nothing was there then. */
  let newest: string | null | undefined;

  const takePresence = (stanza: Element): void => {
    const [, from = ''] = String(stanza.attrs['from']).split(/\/(.*)/s);
    const type = stanza.attrs['type'] as string | undefined;
    if (type === 'error') {
      entering?.reject(new Refused(`${address}: ${getCondition(stanza)}`));
      return;
    }
    const about = stanza.getChild('x', USER);
    const item = about?.getChild('item')?.attrs ?? {};
    const isMe = about?.getChildren('status').some(({ attrs }) => attrs['code'] === '110') ?? false;
    if (type === 'unavailable') occupants.delete(from);
    else
      occupants.set(from, {
        jid: (item['jid'] as string | undefined)?.split('/')[0] ?? null,
        affiliation: String(item['affiliation']),
        role: String(item['role']),
      });
    if (isMe) isIn = type === undefined;
    if (isMe && isIn) entering?.resolve('');
  };

  const takeMessage = async (stanza: Element): Promise<void> => {
    const [, from] = String(stanza.attrs['from']).split(/\/(.*)/s);
    const id = getId(stanza);
    if (stanza.attrs['type'] === 'error') {
      waiting.get(id)?.reject(new Refused(`${address}: ${getCondition(stanza)}`));
      return;
    }
    if (stanza.getChild('subject') && !stanza.getChild('body'))
      subject = stanza.getChildText('subject') ?? '';
    const stanzaId = stanza
      .getChildren('stanza-id', 'urn:xmpp:sid:0')
      .find((one) => one.attrs['by'] === address);
    const name = stanzaId ? getId(stanzaId) : id;
    if (stanzaId) newest = name;
    // What nobody named can't come twice.
    if (from !== undefined && name !== '' && authors.has(name)) return;
    names.set(`${from} ${id}`, name);
    authors.set(name, String(stanza.attrs['from']));
    if (from === nick) waiting.get(id)?.resolve(name);
    if (from === undefined || from === nick) return;
    const found = await getViews(stanza, {
      externalId: name,
      named: (one) => names.get(`${from} ${one}`) ?? one,
      ca,
    });
    const who = occupants.get(from)?.jid ?? `${address}/${from}`;
    sights.push(...found.map((sight) => (sight.kind === 'message' ? { ...sight, from: who } : sight)));
  };

  return {
    address,
    occupants,
    sights,
    get subject() {
      return subject;
    },
    get isIn() {
      return isIn;
    },
    async enter(link) {
      occupants.clear();
      const entered = new Promise<string>((resolve, reject) => (entering = { resolve, reject }));
      // While a session begins nothing is told yet: its own eyes are needed.
      const look = (stanza: Element): void => {
        if (stanza.name === 'presence' && String(stanza.attrs['from']).startsWith(`${address}/`))
          takePresence(stanza);
      };
      link.on('stanza', look);
      try {
        const extra = password === null ? [] : [xml('password', {}, password)];
        const history = xml('history', { maxstanzas: '0' });
        await link.send(
          xml('presence', { to: `${address}/${nick}` }, xml('x', { xmlns: MUC }, history, ...extra)),
        );
        await entered;
      } finally {
        link.off('stanza', look);
        entering = null;
      }
      if (newest === undefined) {
        newest = await getLast(link, address);
        return;
      }
      for (const { id, message } of await readArchive(link, address, newest)) {
        message.append(xml('stanza-id', { xmlns: 'urn:xmpp:sid:0', by: address, id }));
        await takeMessage(message);
      }
    },
    take: async (stanza) => (stanza.name === 'presence' ? takePresence(stanza) : takeMessage(stanza)),
    async say(link, stanza) {
      const id = getId(stanza);
      const known = names.get(own(id));
      if (known !== undefined) return known;
      const said = new Promise<string>((resolve, reject) => waiting.set(id, { resolve, reject }));
      await link.send(stanza);
      return said.finally(() => waiting.delete(id));
    },
    getOwnId: (name) => [...names].find(([, given]) => given === name)?.[0].slice(own('').length) ?? name,
    getAuthor: (name) => authors.get(name) ?? address,
  };
}

/** What the room says of itself. */
export async function aboutRoom(
  link: Link,
  room: string,
): Promise<{ name: string; features: Set<string>; fields: Map<string, string> }> {
  const info = await ask(link, 'get', room, xml('query', { xmlns: 'http://jabber.org/protocol/disco#info' }));
  const form = info!.getChild('x', 'jabber:x:data');
  return {
    name: String(info!.getChild('identity')?.attrs['name'] ?? ''),
    features: new Set(info!.getChildren('feature').map(({ attrs }) => String(attrs['var']))),
    fields: new Map(
      (form?.getChildren('field') ?? []).map((field) => [
        String(field.attrs['var']),
        field.getChildText('value') ?? '',
      ]),
    ),
  };
}

/** @returns addresses on one of its lists; none where they are not shown */
export async function toList(link: Link, room: string, affiliation: string): Promise<string[]> {
  const query = xml('query', { xmlns: `${MUC}#admin` }, xml('item', { affiliation }));
  const answer = await ask(link, 'get', room, query).catch(() => null);
  return (answer?.getChildren('item') ?? []).map(({ attrs }) => String(attrs['jid']));
}

export const configure = (link: Link, room: string, fields: Record<string, string>): Promise<unknown> =>
  ask(
    link,
    'set',
    room,
    xml(
      'query',
      { xmlns: `${MUC}#owner` },
      xml(
        'x',
        { xmlns: 'jabber:x:data', type: 'submit' },
        xml('field', { var: 'FORM_TYPE', type: 'hidden' }, xml('value', {}, `${MUC}#roomconfig`)),
        ...Object.entries(fields).map(([name, value]) =>
          xml('field', { var: name }, xml('value', {}, value)),
        ),
      ),
    ),
  );
