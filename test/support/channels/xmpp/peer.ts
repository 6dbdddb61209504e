/**
 * Somebody at the other end: an account of the server with a program of its own, on the client library alone. What it sends
 * it sends once, whatever becomes of the server; what it sees stays in the order in which it came.
 */
import { randomUUID } from 'node:crypto';
import { xml } from '@xmpp/client';
import type { Element } from '@xmpp/xml';
import { Refused } from '../../../conformance/suite/group-harness.ts';
import type { Peer, Sight } from '../../../conformance/suite/harness.ts';
import { getLast, readArchive } from './archive-reader.ts';
import { peerGroups } from './peer-groups.ts';
import { MUC } from './peer-room.ts';
import { getId, getViews } from './peer-sights.ts';
import {
  composing,
  correction,
  delivered,
  displayed,
  messageStanza,
  reaction,
  retraction,
} from './peer-stanzas.ts';
import { type Link, openSession, settled } from './session.ts';
import type { XmppServer, XmppUser } from './xmpp-server.ts';

const SENDS: Peer['sends'] = ['text', 'image', 'video', 'audio', 'document', 'location'];
const bare = (jid: unknown): string => String(jid).split('/')[0]!;

export interface XmppPeer extends Peer {
  user: XmppUser;
  groups: NonNullable<Peer['groups']>;
  /** Any stanza, once; resolves when the server has it. It needs an `id`. */
  write(stanza: Element): Promise<void>;
  /** Ends its connection; its account stays. */
  close(): Promise<void>;
}

/** Resolves once it is online. */
export async function startPeer(server: XmppServer, user: XmppUser, resource = 'peer'): Promise<XmppPeer> {
  const sights: Sight[] = [];
  const taken = new Set<string>();
  /** Of its archive, what was seen last; undefined until it was online, null where nothing was there then. */
  let newest: string | null | undefined;
  let last: Promise<void> = Promise.resolve();

  const takeMessage = async (stanza: Element): Promise<void> => {
    const ids = stanza.getChildren('stanza-id', 'urn:xmpp:sid:0');
    const stanzaId = ids.find(({ attrs }) => attrs['by'] === user.address);
    if (stanzaId) {
      if (taken.has(getId(stanzaId))) return;
      taken.add(getId(stanzaId));
      newest = getId(stanzaId);
    }
    if (bare(stanza.attrs['from']) === user.address || stanza.attrs['type'] === 'error') return;
    const about = { externalId: getId(stanza), named: (id: string) => id, ca: server.ca };
    sights.push(...(await getViews(stanza, about)));
  };
  const inviteIn = (stanza: Element): [room: string, password: string | null] | null => {
    const mediated = stanza.getChild('x', `${MUC}#user`);
    if (mediated?.getChild('invite')) return [bare(stanza.attrs['from']), mediated.getChildText('password')];
    const direct = stanza.getChild('x', 'jabber:x:conference')?.attrs;
    return direct ? [String(direct['jid']), (direct['password'] as string | undefined) ?? null] : null;
  };
  const take = async (stanza: Element): Promise<void> => {
    const from = bare(stanza.attrs['from']);
    const room = rooms.get(from);
    if (stanza.name === 'iq' || stanza.getChild('result', 'urn:xmpp:mam:2')) return;
    if (room && (stanza.name === 'presence' || stanza.attrs['type'] === 'groupchat'))
      return room.take(stanza);
    if (room && stanza.attrs['type'] === 'error') return room.take(stanza);
    if (stanza.name === 'presence') {
      if (stanza.attrs['type'] === 'subscribe')
        await session.use((link) => link.send(xml('presence', { to: from, type: 'subscribed' })));
      return;
    }
    const invite = inviteIn(stanza);
    // In its own time: what the room says comes through here.
    if (invite) void session.use((link) => accept(link, ...invite)).catch(() => undefined);
    else await takeMessage(stanza);
  };

  const catchUp = async (link: Link): Promise<void> => {
    await link.send(xml('presence'));
    if (newest === undefined) newest = await getLast(link, null);
    else
      for (const { id, message } of await readArchive(link, null, newest)) {
        message.append(xml('stanza-id', { xmlns: 'urn:xmpp:sid:0', by: user.address, id }));
        await takeMessage(message);
      }
    for (const room of rooms.values())
      if (room.isIn)
        await room.enter(link).catch((error: Error) => {
          // A room that is gone, or closed to it, is no reason to stay away; one whose archive could not be read is.
          if (!(error instanceof Refused) && error.name !== 'StanzaError') throw error;
        });
  };
  const about = { address: user.address, roomsAt: server.rooms, ca: server.ca, sends: SENDS };
  const { groups, rooms, accept } = peerGroups(about, () => session);
  const session = openSession(server, user, {
    resource,
    onStanza: (stanza) => (last = last.then(() => take(stanza))),
    onOnline: catchUp,
  });
  await session.use(settled);

  const write = async (stanza: Element): Promise<void> => {
    const id = getId(stanza);
    let isSecond = false;
    await session.insist(async (link) => {
      if (isSecond && (await readArchive(link)).some(({ message }) => getId(message) === id)) return;
      isSecond = true;
      await link.send(stanza);
      await settled(link);
    });
  };
  const chatWith = ({ address }: { address: string }) => ({ address, type: 'chat' as const });
  return {
    user,
    address: user.address,
    chat: { kind: 'direct', key: user.address, address: user.address },
    sends: SENDS,
    groups,
    write,
    async seen() {
      await last;
      return [...sights];
    },
    async send(to, message) {
      const id = randomUUID();
      const stanza = await session.insist((link) =>
        messageStanza(link, chatWith(to), id, message, to.address, server.ca),
      );
      await write(stanza);
      return id;
    },
    sendUnder: (to, id, text) =>
      write(xml('message', { to: to.address, type: 'chat', id }, xml('body', {}, text))),
    edit: (to, id, text) => write(correction(chatWith(to), id, text)),
    revoke: (to, id) => write(retraction(chatWith(to), id)),
    react: (to, id, emoji) => write(reaction(chatWith(to), id, emoji)),
    markDelivered: (to, id) => write(delivered(chatWith(to), id)),
    markRead: (to, id) => write(displayed(chatWith(to), id)),
    setTyping: (to) => write(composing(chatWith(to))),
    // Who is asked may see it from then on, and asks for the same.
    comeOnline: (to) => write(xml('presence', { to: to.address, type: 'subscribe', id: randomUUID() })),
    close: () => session.close(),
  };
}
