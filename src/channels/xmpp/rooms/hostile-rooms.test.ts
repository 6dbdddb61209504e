/** Hostile rooms, occupants and strangers: each is trusted only for what it has authority over. */
import xml, { type Element } from '@xmpp/xml';
import { afterEach, expect, test, vi } from 'vitest';
import { DriverError } from '../../contract/driver-error.ts';
import type { Json } from '../../contract/json.ts';
import type { GroupSignal, InboundMessage, Signal } from '../../contract/signal.ts';
import { toStanza } from '../../../../test/support/channels/xmpp/stanza.ts';
import { restore } from '../stanza/unread.ts';
import { createTelling } from '../session/telling.ts';
import { scriptedStream } from '../../../../test/support/channels/xmpp/scripted-stream.ts';
import { MAX_PEOPLE } from './occupants.ts';
import { createRooms, type Rooms } from './rooms.ts';

const ME = 'support@example.com';
const ROOM = 'tea@rooms.example.com';
const USER = "xmlns='http://jabber.org/protocol/muc#user'";
const FEATURES = ['http://jabber.org/protocol/muc', 'urn:xmpp:sid:0', 'urn:xmpp:occupant-id:0'];
const stopped: (() => void)[] = [];
afterEach(() => stopped.splice(0).forEach((stop) => stop()));

const toInfo = (features: readonly string[]): Element =>
  xml(
    'query',
    {},
    xml('identity', { category: 'conference', type: 'text', name: 'Tea' }),
    ...features.map((name) => xml('feature', { var: name })),
  );

interface World {
  rooms: Rooms;
  signals: Signal[];
  asked: string[];
  position(): Json;
  sent: Element[];
  /** Delivers a stanza and returns whether it was handled. */
  hear(text: string): boolean;
  messages(): InboundMessage[];
  groups(): GroupSignal[];
  idle(): Promise<void>;
}

/** Puts the account in a room under its nick. The room hides addresses unless `features` says otherwise. */
async function inRoom(
  features: readonly string[] = FEATURES,
  isRoomOf = (to: string): boolean => to === ROOM,
  { checkMs, isIn = () => true }: { checkMs?: number; isIn?: () => boolean } = {},
): Promise<World> {
  const told: Signal[] = [];
  const asked: string[] = [];
  let position: Json = { archive: '', rooms: { [ROOM]: { archive: null, nick: 'support' } } };
  const refusal = (code: string) => Promise.reject(new DriverError('rejected', code, code));
  const stream = scriptedStream(ME, (payload, to) => {
    asked.push(`${payload.getNS()} ${to}`);
    if (payload.getNS() === 'urn:xmpp:ping')
      return isIn() ? Promise.resolve(null) : refusal('not_acceptable');
    if (payload.getNS() !== 'http://jabber.org/protocol/disco#info') return refusal('forbidden');
    return isRoomOf(to ?? '') ? Promise.resolve(toInfo(features)) : Promise.resolve(xml('query'));
  });
  const telling = createTelling(
    {
      position,
      async emit(signals, moved) {
        told.push(...signals);
        if (moved !== undefined) position = moved;
      },
    },
    (error) => {
      throw error;
    },
  );
  const log = { debug: () => undefined, warn: () => undefined };
  const rooms = createRooms({
    stream,
    telling,
    context: { log },
    nick: 'support',
    service: null,
    acceptsInvites: true,
    ...(checkMs !== undefined && { checkMs }),
  });
  stream.onStanza(rooms.handle);
  stream.onStanza(rooms.onInvitation);
  stopped.push(() => rooms.stop());
  const world: World = {
    rooms,
    signals: told,
    asked,
    position: () => position,
    sent: stream.sent,
    hear: (text) => stream.receive(toStanza(text)),
    messages: () => told.filter((signal) => signal.kind === 'message'),
    groups: () => told.filter((signal) => signal.kind === 'group'),
    idle: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))),
  };
  const rejoined = rooms.rejoin();
  await vi.waitFor(() => expect(stream.sent).toHaveLength(1));
  world.hear(presence('support', "<status code='110'/>", 'own-id'));
  world.hear(`<message from='${ROOM}' type='groupchat'><subject>Tea at five</subject></message>`);
  await rejoined;
  expect(world.groups()[0]).toMatchObject({ membership: 'joined', about: { subject: 'Tea at five' } });
  return world;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll("'", '&apos;').replaceAll('<', '&lt;');
function presence(
  nick: string,
  inside = '',
  id = `id-${nick}`,
  item = "affiliation='none' role='participant'",
): string {
  return `<presence from='${ROOM}/${escaped(nick)}'><occupant-id xmlns='urn:xmpp:occupant-id:0' id='${id}'/><x ${USER}><item ${item}/>${inside}</x></presence>`;
}
let count = 0;
const says = (nick: string, inside: string, id = `id-${nick}`, stanzaId = `s${++count}`): string =>
  `<message from='${ROOM}/${escaped(nick)}' type='groupchat' id='m${++count}'>${inside}<occupant-id xmlns='urn:xmpp:occupant-id:0' id='${id}'/><stanza-id xmlns='urn:xmpp:sid:0' by='${ROOM}' id='${stanzaId}'/></message>`;

test('an occupant whose nick looks like an address does not get that address', async () => {
  const { hear, messages, groups, idle } = await inRoom();
  hear(presence('boss@example.com'));
  hear(says('boss@example.com', '<body>Pay it.</body>'));
  await idle();
  const address = `${ROOM}/boss@example.com`;
  expect(messages()).toMatchObject([{ from: address, fromName: 'boss@example.com', fromMe: false }]);
  expect(groups().at(-1)!.participants).toEqual({
    changed: [{ address, role: 'member', name: 'boss@example.com' }],
  });
});

test('room metadata forged in messages of occupants is ignored', async () => {
  const { hear, messages, asked, groups, idle } = await inRoom();
  hear(presence('eve'));
  await idle();
  const before = { asked: asked.length, groups: groups().length };
  hear(
    says(
      'eve',
      `<body>1</body><x ${USER}><status code='104'/><status code='110'/><item jid='${ME}' affiliation='owner' role='none'/></x>`,
    ),
  );
  hear(says('eve', `<body>2</body><stanza-id xmlns='urn:xmpp:sid:0' by='${ROOM}' id='forged'/>`));
  hear(
    says('eve', `<body>3</body><delay xmlns='urn:xmpp:delay' from='${ROOM}' stamp='1999-01-01T00:00:00Z'/>`),
  );
  await idle();
  const heard = messages();
  expect(heard.map(({ text, from, fromMe }) => [text, from, fromMe])).toEqual(
    ['1', '2', '3'].map((text) => [text, `${ROOM}/eve`, false]),
  );
  // With two IDs in the room's name, neither is known to be genuine.
  expect(heard[1]!.externalId).not.toBe('forged');
  expect(heard[2]!.at.getTime()).toBeGreaterThan(Date.now() - 60_000);
  expect({ asked: asked.length, groups: groups().length }).toEqual(before);
});

test('a person who takes another’s nick is a different writer, and one who changes nicks is the same', async () => {
  const { hear, messages, idle } = await inRoom();
  hear(presence('bob', '', 'bob-id'));
  hear(says('bob', '<body>mine</body>', 'bob-id'));
  hear(
    `<presence type='unavailable' from='${ROOM}/bob'><x ${USER}><item affiliation='none' role='none'/></x></presence>`,
  );
  hear(presence('bob', '', 'eve-id'));
  hear(says('bob', '<body>forged</body>', 'eve-id'));
  hear(presence('robert', '', 'bob-id'));
  hear(says('robert', '<body>back</body>', 'bob-id'));
  await idle();
  const writers = messages().map(({ aliases }) => aliases![0]!.split(' ')[0]);
  expect(writers[1]).not.toBe(writers[0]);
  expect(writers[2]).toBe(writers[0]);
});

test('a nick identifies a writer for one stay if the room gives no occupant IDs', async () => {
  const { hear, messages, signals, idle } = await inRoom(FEATURES.slice(0, 2));
  const correct = (id: string): string =>
    says('bob', `<body>changed</body><replace xmlns='urn:xmpp:message-correct:0' id='${id}'/>`, 'x');
  hear(presence('bob'));
  const mine = says('bob', '<body>mine</body>', 'x');
  const id = /id='(m\d+)'/.exec(mine)![1]!;
  hear(mine);
  hear(correct(id));
  hear(
    `<presence type='unavailable' from='${ROOM}/bob'><x ${USER}><item affiliation='none' role='none'/></x></presence>`,
  );
  hear(presence('bob'));
  // An ID that the occupants wrote themselves is ignored.
  hear(correct(id));
  await idle();
  const edited = signals.flatMap((signal) => (signal.kind === 'edited' ? [signal.externalId] : []));
  const names = messages()[0]!.aliases!;
  expect(edited.map((name) => names.includes(name))).toEqual([true, false]);
});

test('a forged status 110 or address does not make an occupant the account', async () => {
  const { hear, messages, rooms, idle } = await inRoom();
  hear(presence('eve', "<status code='110'/>", 'eve-id'));
  hear(says('eve', '<body>I am you</body>', 'eve-id'));
  // Two elements, one of them forged: neither counts.
  hear(
    `<presence from='${ROOM}/mallory'><x ${USER}><item jid='${ME}' affiliation='owner' role='moderator'/></x><x ${USER}><item affiliation='none' role='visitor'/></x></presence>`,
  );
  hear(says('mallory', '<body>me too</body>', 'mallory-id'));
  await idle();
  expect(messages().map(({ fromMe, from }) => [fromMe, from])).toEqual([
    [false, `${ROOM}/eve`],
    [false, `${ROOM}/mallory`],
  ]);
  expect(rooms.isRoom(ROOM)).toBe(true);
});

test('the actor of a change is resolved from the nick that the room gives', async () => {
  const { hear, groups } = await inRoom();
  hear(presence('ada', '', 'a', "affiliation='owner' role='moderator' jid='ada@example.com/x'"));
  hear(presence('bob', '', 'b', "affiliation='none' role='participant' jid='bob@example.com/x'"));
  const getReported = (change: object) => expect.objectContaining({ participants: { changed: [change] } });
  await vi.waitFor(() =>
    expect(groups()).toContainEqual(getReported({ address: 'bob@example.com', role: 'member', name: 'bob' })),
  );
  hear(
    `<presence type='unavailable' from='${ROOM}/bob'><x ${USER}><item affiliation='none' role='none' jid='bob@example.com/x'><actor nick='ada'/></item><status code='307'/></x></presence>`,
  );
  await vi.waitFor(() =>
    expect(groups().at(-1)).toMatchObject({
      by: 'ada@example.com',
      participants: { changed: [{ address: 'bob@example.com', role: null, gone: 'removed' }] },
    }),
  );
});

test.each([
  [
    "<item affiliation='none' role='none'><actor jid='ada@example.com'/></item><status code='307'/>",
    'removed',
    'ada@example.com',
  ],
  ["<item affiliation='outcast' role='none'/><status code='301'/>", 'banned', null],
  ["<item affiliation='none' role='none'/><status code='322'/>", 'removed', null],
  ["<item affiliation='none' role='none'/><destroy/>", 'destroyed', null],
])('the account is removed from the room: %s', async (inside, membership, by) => {
  const { hear, groups, position, rooms, idle } = await inRoom();
  hear(
    `<presence type='unavailable' from='${ROOM}/support'><x ${USER}>${inside}<status code='110'/></x></presence>`,
  );
  await idle();
  expect(groups().at(-1)).toMatchObject({ membership, by });
  expect(position()).toMatchObject({ rooms: {} });
  expect(rooms.isRoom(ROOM)).toBe(false);
  // Later messages of the room are dropped.
  const before = groups().length;
  expect(hear(says('eve', '<body>still there?</body>'))).toBe(true);
  await idle();
  expect(groups()).toHaveLength(before);
});

test('a room is entered again if its service shuts down or loses the connection', async () => {
  const { hear, groups, sent, rooms } = await inRoom();
  hear(
    `<presence type='unavailable' from='${ROOM}/support'><x ${USER}><item affiliation='none' role='none'/><status code='332'/></x></presence>`,
  );
  expect(rooms.isRoom(ROOM)).toBe(true);
  await vi.waitFor(() => expect(sent.filter(({ name }) => name === 'presence')).toHaveLength(2));
  expect(groups().every(({ membership }) => membership === 'joined' || membership === undefined)).toBe(true);
});

test('a room that silently forgot the account is entered again', async () => {
  let isIn = true;
  const { hear, sent, asked, groups } = await inRoom(FEATURES, undefined, { checkMs: 20, isIn: () => isIn });
  const pings = () => asked.filter((one) => one === `urn:xmpp:ping ${ROOM}/support`).length;
  const entries = () => sent.filter(({ name }) => name === 'presence').length;
  await vi.waitFor(() => expect(pings()).toBeGreaterThan(2));
  expect(entries()).toBe(1);
  isIn = false;
  await vi.waitFor(() => expect(entries()).toBe(2));
  isIn = true;
  hear(presence('support', "<status code='110'/>", 'own-id'));
  hear(`<message from='${ROOM}' type='groupchat'><subject>Still tea</subject></message>`);
  await vi.waitFor(() => expect(groups().at(-1)).toMatchObject({ about: { subject: 'Still tea' } }));
  expect(entries()).toBe(2);
});

test('a flood of presences from more than 5,000 people is emitted in few signals', async () => {
  const { hear, groups, messages, idle } = await inRoom();
  const before = groups().length;
  for (let turn = 0; turn < 3; turn++)
    for (let nth = 0; nth < MAX_PEOPLE + 500; nth++) hear(presence(`n${nth}`, '', `i${nth}`));
  hear(says(`n${MAX_PEOPLE + 400}`, '<body>from behind</body>', 'late'));
  await idle();
  await vi.waitFor(() => expect(messages()).toHaveLength(1));
  const changes = groups().slice(before);
  expect(changes.length).toBeLessThan(10);
  const people = changes.flatMap(({ participants }) =>
    participants && 'changed' in participants ? participants.changed.map(({ address }) => address) : [],
  );
  expect(new Set(people).size).toBe(people.length);
  expect(people.length).toBeLessThanOrEqual(MAX_PEOPLE);
  expect(messages()[0]).toMatchObject({ text: 'from behind', from: `${ROOM}/n${MAX_PEOPLE + 400}` });
});

test('forged invitations, invitations to non-rooms, and floods of invitations are not followed', async () => {
  const { hear, asked, sent, idle } = await inRoom();
  const before = sent.length;
  const invite = `<x ${USER}><invite from='ada@example.com'/></x>`;
  expect(hear(`<message from='eve@example.com/phone'>${invite}</message>`)).toBe(false);
  hear(`<message from='eve@example.com'>${invite}</message>`);
  hear(
    `<message from='eve@example.com/phone'><x xmlns='jabber:x:conference' jid='rooms.example.com'/></message>`,
  );
  hear(
    `<message from='eve@example.com/phone' type='error'><x xmlns='jabber:x:conference' jid='${ROOM}'/></message>`,
  );
  for (let nth = 0; nth < 1000; nth++)
    hear(
      `<message from='eve@example.com/phone'><x xmlns='jabber:x:conference' jid='r${nth}@rooms.evil.example'/></message>`,
    );
  await idle();
  await vi.waitFor(() => expect(asked.filter((one) => one.includes('eve@example.com'))).toHaveLength(1));
  await idle();
  expect(sent.slice(before)).toEqual([]);
  expect(asked.filter((one) => one.includes('evil')).length).toBeLessThan(100);
});

test('an invitation to an existing room is followed, and the inviter is reported', async () => {
  const { hear, sent, groups } = await inRoom(FEATURES, (to) => to.endsWith('@rooms.example.com'));
  hear(
    "<message from='ada@example.com/x'><x xmlns='jabber:x:conference' jid='Other@rooms.example.com' password='open sesame'/></message>",
  );
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]!.attrs['to']).toBe('other@rooms.example.com/support');
  expect(sent[1]!.getChild('x')!.getChildText('password')).toBe('open sesame');
  hear(
    `<presence from='other@rooms.example.com/support'><x ${USER}><item affiliation='none' role='participant'/><status code='110'/></x></presence>`,
  );
  hear("<message from='other@rooms.example.com' type='groupchat'><subject/></message>");
  await vi.waitFor(() =>
    expect(groups().at(-1)).toMatchObject({
      key: 'other@rooms.example.com',
      membership: 'joined',
      by: 'ada@example.com',
      about: { subject: 'Tea' },
    }),
  );
});

test('a room that joining would create is left again', async () => {
  const { hear, rooms, sent } = await inRoom(FEATURES, () => true);
  const joining = rooms.calls.join('xmpp:new@rooms.example.com?join', AbortSignal.timeout(5000));
  joining.catch(() => undefined); // asserted below
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  hear(
    `<presence from='new@rooms.example.com/support'><x ${USER}><item affiliation='owner' role='moderator'/><status code='110'/><status code='201'/></x></presence>`,
  );
  await expect(joining).rejects.toMatchObject({ kind: 'rejected', code: 'group_not_found' });
  expect(sent.at(-1)!.attrs).toMatchObject({ type: 'unavailable', to: 'new@rooms.example.com/support' });
});

test('a room that floods change notices is asked one request at a time', async () => {
  const { hear, asked, idle } = await inRoom();
  const before = asked.length;
  const changed = `<message from='${ROOM}' type='groupchat'><x ${USER}><status code='104'/></x></message>`;
  const moved = (affiliation: string) =>
    `<presence from='${ROOM}/support'><x ${USER}><item affiliation='${affiliation}' role='participant'/></x></presence>`;
  for (let nth = 0; nth < 1000; nth++) {
    hear(changed);
    hear(moved(nth % 2 ? 'none' : 'member'));
  }
  for (let turn = 0; turn < 20; turn++) await idle();
  expect(asked.length - before).toBeGreaterThan(0);
  expect(asked.length - before).toBeLessThan(30);
});

const OTHER = 'other@rooms.example.com';
const inOther = (inside: string, type = ''): string =>
  `<presence ${type} from='${OTHER}/support'><x ${USER}><item affiliation='none' role='participant'/>${inside}</x></presence>`;

test('leaving a room while it is being entered also leaves it on the server', async () => {
  const { hear, rooms, sent, groups, position } = await inRoom(FEATURES, (to) =>
    to.endsWith('@rooms.example.com'),
  );
  hear(`<message from='ada@example.com/x'><x xmlns='jabber:x:conference' jid='${OTHER}'/></message>`);
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  const leaving = rooms.calls.leave(OTHER, AbortSignal.timeout(10_000));
  hear(inOther("<status code='110'/>"));
  hear(`<message from='${OTHER}' type='groupchat'><subject/></message>`);
  await vi.waitFor(() => expect(sent).toHaveLength(3));
  expect(sent[2]!.attrs).toMatchObject({ type: 'unavailable', to: `${OTHER}/support` });
  hear(inOther("<status code='110'/>", "type='unavailable'"));
  await leaving;
  expect(groups().at(-1)).toMatchObject({ key: OTHER, membership: 'left', by: ME });
  expect(Object.keys((position() as { rooms: object }).rooms)).toEqual([ROOM]);
});

test('an unresponsive room can be left, and a late response does not enter it', async () => {
  const { hear, rooms, sent, signals, groups, idle } = await inRoom(FEATURES, (to) =>
    to.endsWith('@rooms.example.com'),
  );
  const joining = rooms.calls.join(`xmpp:${OTHER}?join`, AbortSignal.timeout(10_000));
  joining.catch(() => undefined); // asserted below
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  await rooms.calls.leave(OTHER, AbortSignal.timeout(10_000));
  expect(sent.slice(2).map(({ attrs }) => attrs)).toMatchObject([
    { type: 'unavailable', to: `${OTHER}/support` },
  ]);
  await expect(joining).rejects.toMatchObject({ code: 'group_unreachable' });
  expect(groups().at(-1)).toMatchObject({ key: OTHER, membership: 'left' });
  const before = signals.length;
  hear(inOther("<status code='110'/>"));
  await idle();
  expect({ told: signals.length, isRoom: rooms.isRoom(OTHER) }).toEqual({ told: before, isRoom: false });
});

test('only the room itself can reject a message, not its occupants', async () => {
  const { hear, rooms, sent, idle } = await inRoom();
  const chat = { kind: 'group', key: ROOM, address: ROOM, title: null } as const;
  const post = toStanza(`<message to='${ROOM}' type='groupchat' id='mine'><body>Tea?</body></message>`);
  const outcome: string[] = [];
  const posted = rooms.send({ chat } as Parameters<Rooms['send']>[0], post, AbortSignal.timeout(10_000));
  posted.catch((error: unknown) => outcome.push((error as DriverError).code));
  await vi.waitFor(() => expect(sent.at(-1)!.attrs['id']).toBe('mine'));
  const refusal = (from: string): string =>
    `<message type='error' id='mine' from='${from}'><error type='auth'><forbidden xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>`;
  hear(refusal(`${ROOM}/eve`));
  await idle();
  expect(outcome).toEqual([]);
  hear(refusal(ROOM));
  await vi.waitFor(() => expect(outcome).toEqual(['no_voice']));
});

test('an unprocessed message is read again in the context of its room', async () => {
  const { rooms, hear, signals, idle } = await inRoom();
  hear(presence('ada'));
  hear(says('ada', "<hologram xmlns='urn:example:3d'/>"));
  await idle();
  const { raw } = signals.find((signal) => signal.kind === 'unprocessed')!;
  const kept = restore(raw)!;
  expect(kept.room).toBe(ROOM);
  expect(rooms.readAgain(ROOM, kept)).toMatchObject([{ kind: 'unprocessed', reason: 'unknown_kind', raw }]);

  // Simulates a version that knows the element.
  kept.stanza.append(xml('body', {}, 'Look'));
  expect(rooms.readAgain(ROOM, kept)).toMatchObject([
    {
      kind: 'message',
      chat: { kind: 'group', key: ROOM },
      from: `${ROOM}/ada`,
      fromName: 'ada',
      text: 'Look',
      at: kept.at,
    },
  ]);
  expect(rooms.readAgain('coffee@rooms.example.com', kept)).toBeNull();
});
