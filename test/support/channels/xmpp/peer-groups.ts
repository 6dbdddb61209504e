/** What somebody does with groups, with the client library alone. */
import { randomBytes, randomUUID } from 'node:crypto';
import { xml } from '@xmpp/client';
import type { GroupSettings, ParticipantAction } from '../../../../src/channels/contract/connection.ts';
import { type PeerGroups, Refused } from '../../../conformance/suite/group-harness.ts';
import type { Peer } from '../../../conformance/suite/harness.ts';
import { aboutRoom, configure, toList, MUC, type PeerRoom, peerRoom, getRole } from './peer-room.ts';
import { correction, messageStanza, reaction, retraction } from './peer-stanzas.ts';
import { ask, type Link, type Session } from './session.ts';

const AFFILIATIONS: Record<ParticipantAction, string> = {
  add: 'member',
  remove: 'none',
  promote: 'admin',
  demote: 'member',
  ban: 'outcast',
  unban: 'none',
};

const flag = (value: boolean): string => (value ? '1' : '0');
const getFields = ({
  announceOnly,
  locked,
  membersOnly,
}: Partial<GroupSettings>): Record<string, string> => ({
  ...(announceOnly !== undefined && { 'muc#roomconfig_moderatedroom': flag(announceOnly) }),
  ...(locked !== undefined && { 'muc#roomconfig_changesubject': flag(!locked) }),
  ...(membersOnly !== undefined && { 'muc#roomconfig_membersonly': flag(membersOnly) }),
});

export interface GroupsOf {
  groups: PeerGroups;
  rooms: Map<string, PeerRoom>;
  /** Into a room to which somebody invites. */
  accept(link: Link, room: string, password: string | null): Promise<void>;
}

export function peerGroups(
  about: { address: string; roomsAt: string; ca: string; sends: Peer['sends'] },
  session: () => Session,
): GroupsOf {
  const nick = about.address.split('@')[0]!;
  const rooms = new Map<string, PeerRoom>();
  const work = <T>(what: (link: Link) => Promise<T>): Promise<T> =>
    session()
      .insist(what)
      .catch((error: Error) => {
        throw error.name === 'StanzaError' ? new Refused(error.message, { cause: error }) : error;
      });

  const enter = async (link: Link, address: string, password: string | null): Promise<PeerRoom> => {
    const room = rooms.get(address) ?? peerRoom(address, nick, password, about.ca);
    rooms.set(address, room);
    if (!room.isIn) await room.enter(link);
    return room;
  };
  const inside = (address: string): PeerRoom => {
    const room = rooms.get(address);
    if (!room) throw new Error(`${about.address} is not in ${address}.`);
    return room;
  };
  const setItem = (link: Link, room: string, item: Record<string, string>): Promise<unknown> =>
    ask(link, 'set', room, xml('query', { xmlns: `${MUC}#admin` }, xml('item', item)));
  const add = async (link: Link, room: string, jid: string): Promise<void> => {
    await setItem(link, room, { jid, affiliation: 'member' });
    await link.send(
      xml('message', { to: room }, xml('x', { xmlns: `${MUC}#user` }, xml('invite', { to: jid }))),
    );
  };
  const setSubject = async (link: Link, room: string, subject: string): Promise<void> => {
    const message = xml(
      'message',
      { to: room, type: 'groupchat', id: randomUUID() },
      xml('subject', {}, subject),
    );
    // The room gives it no ID of ours back: that it answers a later question says that it took it.
    await Promise.race([inside(room).say(link, message), aboutRoom(link, room)]);
  };

  const groups: PeerGroups = {
    async create({ subject, settings = {} }, members) {
      const key = `group-${randomBytes(5).toString('hex')}@${about.roomsAt}`;
      await work(async (link) => {
        await enter(link, key, null);
        await configure(link, key, {
          'muc#roomconfig_roomname': subject,
          'muc#roomconfig_persistentroom': '1',
          'muc#roomconfig_whois': 'anyone',
          'muc#roomconfig_changesubject': '1',
          ...getFields(settings),
        });
        await setSubject(link, key, subject);
        for (const member of members) await add(link, key, member);
      });
      return { kind: 'group', key, address: key };
    },
    see: ({ key }) =>
      work(async (link) => {
        const room = rooms.get(key);
        if (!room?.isIn) return null;
        const { name, features, fields } = await aboutRoom(link, key);
        const present = [...room.occupants.values()].filter(({ jid }) => jid !== null);
        const people = new Map(present.map(({ jid, affiliation }) => [jid!, affiliation]));
        for (const affiliation of ['member', 'admin', 'owner'])
          for (const jid of await toList(link, key, affiliation)) people.set(jid, affiliation);
        const changes =
          fields.get('muc#roominfo_changesubject') ?? fields.get('muc#roomconfig_changesubject');
        return {
          subject: room.subject || name,
          description: fields.get('muc#roominfo_description') || null,
          picture: null,
          settings: {
            announceOnly: features.has('muc_moderated'),
            locked: changes !== undefined && changes !== '1' && changes !== 'true',
            membersOnly: features.has('muc_membersonly'),
          },
          participants: [...people].map(([address, affiliation]) => ({
            address,
            role: getRole(affiliation),
            ...(!present.some(({ jid }) => jid === address) && { isAbsent: true }),
          })),
        };
      }),
    update: ({ key }, { subject, description, settings = {} }) =>
      work(async (link) => {
        if (subject !== undefined) await setSubject(link, key, subject);
        const fields = {
          ...(description !== undefined && { 'muc#roomconfig_roomdesc': description }),
          ...getFields(settings),
        };
        if (Object.keys(fields).length) await configure(link, key, fields);
      }),
    changeParticipants: ({ key }, action, address) =>
      work(async (link) => {
        if (action === 'add') return add(link, key, address);
        await setItem(link, key, { jid: address, affiliation: AFFILIATIONS[action] });
        if (action !== 'remove') return;
        for (const [occupant, { jid }] of inside(key).occupants)
          if (jid === address)
            await setItem(link, key, { nick: occupant, role: 'none' }).catch(() => undefined);
      }),
    async join(invite) {
      const [, address = '', rest = ''] = /^(?:xmpp:)?([^?]+)(.*)$/.exec(invite) ?? [];
      const password = /[;&]password=([^;&]*)/.exec(rest)?.[1];
      const room = decodeURIComponent(address);
      rooms.delete(room);
      await work((link) => enter(link, room, password === undefined ? null : decodeURIComponent(password)));
    },
    leave: ({ key }) =>
      work(async (link) => {
        // Who leaves a group for good is no member of it any more (XEP-0045, 7.10, backwards); an owner stays one.
        const remove = xml('query', { xmlns: 'jabber:iq:register' }, xml('remove'));
        await ask(link, 'set', key, remove).catch(() => undefined);
        await link.send(xml('presence', { to: `${key}/${nick}`, type: 'unavailable' }));
        rooms.delete(key);
      }),
    invite: ({ key }) => Promise.resolve(`xmpp:${key}?join`),
    destroy: ({ key }) =>
      work(async (link) => {
        await ask(link, 'set', key, xml('query', { xmlns: `${MUC}#owner` }, xml('destroy')));
        rooms.delete(key);
      }),
    within: (chat) => {
      const { key } = chat;
      const to = { address: key, type: 'groupchat' as const };
      return {
        address: about.address,
        chat,
        sends: about.sends,
        seen: async () => [...(rooms.get(key)?.sights ?? [])],
        async send(_to, message) {
          const room = inside(key);
          const id = randomUUID();
          const author = message.replyTo === null ? '' : room.getAuthor(message.replyTo);
          return work(async (link) =>
            room.say(link, await messageStanza(link, to, id, message, author, about.ca)),
          );
        },
        sendUnder: async (_to, id, text) =>
          void (await work((link) =>
            inside(key).say(link, xml('message', { to: key, type: 'groupchat', id }, xml('body', {}, text))),
          )),
        edit: async (_to, name, text) =>
          void (await work((link) =>
            inside(key).say(link, correction(to, inside(key).getOwnId(name), text)),
          )),
        revoke: async (_to, name) => void (await work((link) => inside(key).say(link, retraction(to, name)))),
        react: async (_to, name, emoji) =>
          void (await work((link) => inside(key).say(link, reaction(to, name, emoji)))),
      };
    },
  };
  return { groups, rooms, accept: async (link, room, password) => void (await enter(link, room, password)) };
}
