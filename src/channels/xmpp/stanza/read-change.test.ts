/** Changes to existing messages, and messages in rooms. The stanzas follow the examples in the XEPs. */
import { describe, expect, test } from 'vitest';
import type { Signal } from '../../contract/signal.ts';
import type { RoomView } from './room-view.ts';
import { readMessage } from './read-message.ts';
import { AT, HER, ME, toStanza } from '../../../../test/support/channels/xmpp/stanza.ts';

const ID = 'msg_01h2xcejqtf2nbrexx3vqjhp41';

const readFrom = (from: string, to: string, content: string, type = 'chat'): Signal[] =>
  readMessage(toStanza(`<message from='${from}' to='${to}' type='${type}' id='m9'>${content}</message>`), {
    account: ME,
    stanzaId: 's1',
    at: AT,
  });
const read = (content: string): Signal[] => readFrom(`${HER}/balcony`, ME, content);

describe('changes', () => {
  test('a correction (0308) names only messages of its writer', () => {
    const signals = read("<body>But soft</body><replace xmlns='urn:xmpp:message-correct:0' id='bad1'/>");
    expect(signals).toMatchObject([
      { kind: 'edited', externalId: `by:${HER} ${HER} bad1`, text: 'But soft', changeId: 's1' },
    ]);
    const forged = read(`<body>mine</body><replace xmlns='urn:xmpp:message-correct:0' id='${ID}'/>`);
    expect(forged.map((signal) => 'externalId' in signal && signal.externalId)).toEqual([
      `by:${HER} ${HER} ${ID}`,
    ]);
    expect(forged[0]).not.toHaveProperty('clientId', ID);
  });

  test.each([
    ['0424', "<retract id='m0' xmlns='urn:xmpp:message-retract:1'/><body>fallback</body>"],
    [
      '0424 before version 0.4',
      "<apply-to id='m0' xmlns='urn:xmpp:fasten:0'><retract xmlns='urn:xmpp:message-retract:0'/></apply-to><body>x</body>",
    ],
  ])('a retraction (%s) names only messages of its writer and is not a message', (_, content) => {
    expect(read(content)).toMatchObject([{ kind: 'revoked', externalId: `by:${HER} ${HER} m0` }]);
    expect(read(content)).toHaveLength(1);
  });

  test('reactions (0444) replace earlier ones, and the newest is kept', () => {
    const react = (...emoji: string[]) =>
      read(
        `<reactions id='m0' xmlns='urn:xmpp:reactions:0'>${emoji.map((one) => `<reaction>${one}</reaction>`).join('')}</reactions><body>x</body>`,
      );
    expect(react('👋', '🐢')).toMatchObject([
      { kind: 'reacted', externalId: `${HER} m0`, clientId: null, author: HER, fromMe: false, emoji: '🐢' },
    ]);
    expect(react()).toMatchObject([{ emoji: null }]);
    expect(react('no emoji at all')).toEqual([]);
    expect(react(...Array.from({ length: 10_000 }, () => '👋'))).toHaveLength(1);
  });

  test('receipts (0184), markers (0333) and errors name messages of their recipient', () => {
    const name = `by:${ME} ${HER} ${ID}`;
    const error = `<error type='cancel'><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>`;
    expect(read(`<received xmlns='urn:xmpp:receipts' id='${ID}'/>`)).toEqual([
      {
        kind: 'receipt',
        externalId: name,
        clientId: ID,
        isDirect: true,
        status: 'delivered',
        error: null,
        at: AT,
        heardIn: HER,
      },
    ]);
    expect(read(`<displayed xmlns='urn:xmpp:chat-markers:0' id='${ID}'/>`)).toMatchObject([
      { status: 'read', upTo: true, clientId: ID },
    ]);
    expect(
      readMessage(
        toStanza(`<message from='${HER}' to='${ME}/x' type='error' id='${ID}'>${error}</message>`),
        {
          account: ME,
          stanzaId: null,
          at: AT,
        },
      ),
    ).toMatchObject([{ status: 'failed', clientId: ID, error: { code: 'recipient_unknown' } }]);
  });

  test('messages read on another device of the account are marked as read', () => {
    const read_ = readFrom(`${ME}/x`, HER, "<displayed xmlns='urn:xmpp:chat-markers:0' id='m1'/>");
    expect(read_).toMatchObject([
      { kind: 'receipt', externalId: `by:${HER} ${HER} m1`, clientId: null, status: 'read' },
    ]);
    expect(readFrom(`${ME}/x`, HER, "<received xmlns='urn:xmpp:receipts' id='m1'/>")).toEqual([]);
  });
});

describe('in a room', () => {
  const room: RoomView = {
    address: 'coven@rooms.lit',
    title: 'Coven',
    author: (stanza) => {
      const nick = String(stanza.attrs['from']).split('/')[1] ?? null;
      if (nick === null) return { address: 'coven@rooms.lit', name: null, isMe: false, key: null };
      return {
        address: nick === 'me' ? ME : `${nick}@lit`,
        name: nick,
        isMe: nick === 'me',
        key: nick === 'anon' ? null : `k-${nick}`,
      };
    },
    getAddress: (nick) => (nick === 'hecate' ? 'hecate@lit' : null),
  };
  const say = (from: string, content: string, id = 'r1'): Signal[] =>
    readMessage(
      toStanza(
        `<message from='coven@rooms.lit${from}' to='${ME}/x' type='groupchat' id='${id}'>${content}</message>`,
      ),
      { account: ME, stanzaId: 'S1', at: AT, room },
    );

  test('a message has the room’s ID, and its writer’s changes name it by the writer', () => {
    expect(say('/hecate', '<body>Harpier cries</body>')).toMatchObject([
      {
        externalId: 'S1',
        uniqueId: 'coven@rooms.lit S1',
        aliases: ['by:k-hecate coven@rooms.lit r1', 'by:k-hecate coven@rooms.lit S1'],
        chat: { kind: 'group', key: 'coven@rooms.lit', title: 'Coven' },
        from: 'hecate@lit',
        fromName: 'hecate',
        fromMe: false,
        clientId: null,
      },
    ]);
    expect(
      say('/hecate', "<body>x</body><replace xmlns='urn:xmpp:message-correct:0' id='r1'/>"),
    ).toMatchObject([{ kind: 'edited', externalId: 'by:k-hecate coven@rooms.lit r1' }]);
    expect(say('/anon', "<body>x</body><replace xmlns='urn:xmpp:message-correct:0' id='r1'/>")).toEqual([]);
  });

  test('our own message is recognized when the room reflects it', () => {
    expect(say('/me', '<body>x</body>', ID)).toMatchObject([{ fromMe: true, clientId: ID, from: ME }]);
    expect(say('/hecate', '<body>x</body>', ID)).toMatchObject([{ fromMe: false, clientId: null }]);
  });

  test('reactions and replies use the room’s ID, and receipts and markers are ignored', () => {
    expect(
      say('/hecate', "<reactions id='S0' xmlns='urn:xmpp:reactions:0'><reaction>👋</reaction></reactions>"),
    ).toMatchObject([{ externalId: 'coven@rooms.lit S0', clientId: null, author: 'hecate@lit' }]);
    expect(say('/hecate', "<body>x</body><reply xmlns='urn:xmpp:reply:0' id='S0'/>")).toMatchObject([
      { replyTo: { externalId: 'coven@rooms.lit S0' } },
    ]);
    expect(say('/hecate', `<displayed xmlns='urn:xmpp:chat-markers:0' id='${ID}'/>`)).toEqual([]);
  });

  test('mentions of nicks are resolved to addresses', () => {
    const refer = (nick: string) =>
      `<reference xmlns='urn:xmpp:reference:0' type='mention' uri='xmpp:coven@rooms.lit/${nick}'/>`;
    expect(say('/x', `<body>x</body>${refer('hecate')}${refer('nobody')}`)).toMatchObject([
      { mentions: ['hecate@lit', 'coven@rooms.lit/nobody'] },
    ]);
  });

  test('only the room itself can retract messages of others (0425)', () => {
    const moderation =
      "<retract id='S0' xmlns='urn:xmpp:message-retract:1'><moderated xmlns='urn:xmpp:message-moderate:1'/></retract>";
    expect(say('', moderation)).toEqual([
      { kind: 'revoked', externalId: 'coven@rooms.lit S0', at: AT, heardIn: 'coven@rooms.lit' },
    ]);
    expect(say('/hecate', moderation)).toMatchObject([{ externalId: 'by:k-hecate coven@rooms.lit S0' }]);
    expect(say('', '<body>The room says</body>')).toEqual([]);
  });
});
