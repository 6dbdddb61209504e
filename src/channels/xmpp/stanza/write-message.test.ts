/** Building stanzas: compared with the examples in the XEPs, and read back by our own reader. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OutboundMessage } from '../../contract/connection.ts';
import type { InboundMessage } from '../../contract/signal.ts';
import { HOSTILE_TEXTS } from '../../../../test/conformance/suite/hostile-texts.ts';
import { readMessage } from './read-message.ts';
import { AT, HER, ME, toStanza } from '../../../../test/support/channels/xmpp/stanza.ts';
import type { Target } from './target.ts';
import { getLength, without, xmlText } from './text.ts';
import {
  writeCorrection,
  writeDisplayed,
  writeReaction,
  writeReceipt,
  writeRetraction,
} from './write-change.ts';
import { writeMessage } from './write-message.ts';

const ID = 'msg_01h2xcejqtf2nbrexx3vqjhp41';
const TO_HER: Target = { address: HER, kind: 'direct', isOccupant: false };
const ROOM: Target = { address: 'coven@rooms.lit', kind: 'group', isOccupant: false };

const message = (text: string | null, changes: Partial<OutboundMessage> = {}): OutboundMessage => ({
  id: ID,
  clientId: ID,
  chat: { kind: 'direct', key: HER, address: HER },
  type: 'text',
  content: { text, file: null, data: null },
  subject: null,
  threadId: null,
  replyTo: null,
  references: [],
  mentions: [],
  automatic: false,
  attempt: 0,
  ...changes,
});
/** Reads a stanza as its recipient receives it. */
const heard = (stanza: { toString(): string; attrs: Record<string, unknown> }): InboundMessage => {
  stanza.attrs['from'] = `${ME}/x`;
  const [signal] = readMessage(toStanza(stanza.toString()), { account: HER, stanzaId: 's1', at: AT });
  if (signal?.kind !== 'message') throw new Error(`no message, but ${JSON.stringify(signal)}`);
  return signal;
};
const file = { url: 'https://files.lit/a/b.png', name: 'b.png', mimeType: 'image/png', size: 3 };

describe('a message', () => {
  test('has its ID twice, and requests receipts and markers (0359, 0184, 0333)', () => {
    expect(writeMessage(message('Neither, fair saint'), TO_HER, null).toString()).toBe(
      `<message to="${HER}" type="chat" id="${ID}"><body>Neither, fair saint</body>` +
        `<origin-id xmlns="urn:xmpp:sid:0" id="${ID}"/><request xmlns="urn:xmpp:receipts"/><markable xmlns="urn:xmpp:chat-markers:0"/></message>`,
    );
  });

  test('to a room requests no receipts or markers', () => {
    const chat = { kind: 'group' as const, key: ROOM.address, address: ROOM.address };
    const text = writeMessage(message('hi', { chat }), ROOM, null).toString();
    expect(text).toContain('type="groupchat"');
    expect(text).not.toMatch(/receipts|markers/);
  });

  test.each(HOSTILE_TEXTS)('%j arrives with forbidden characters replaced', (text) => {
    expect(heard(writeMessage(message(text), TO_HER, null)).text).toBe(xmlText(text));
    expect(heard(writeMessage(message(text, { subject: text }), TO_HER, null)).subject).toBe(
      xmlText(text).trim(),
    );
  });

  test('any text, reply and mention is well-formed and adds nothing else', () => {
    const any = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(any, any, fc.boolean(), (text, other, isFile) => {
        const written = writeMessage(
          message(text, {
            replyTo: { clientId: null, externalId: other, fromMe: false, author: other },
            mentions: [other],
          }),
          TO_HER,
          isFile ? file : null,
        );
        const signal = heard(written);
        if (isFile)
          expect(signal).toMatchObject({ text: xmlText(text).trim() || null, file: { url: file.url } });
        else expect(signal.text).toBe(xmlText(text));
        expect(signal.clientId).toBeNull();
      }),
      { numRuns: 150 },
    );
  });

  test('that replies names the message by its writer’s ID, or in a room by the room’s ID', () => {
    const reference = { clientId: ID, externalId: 'S1', fromMe: true, author: ME };
    expect(writeMessage(message('yes', { replyTo: reference }), TO_HER, null).toString()).toContain(
      `<reply xmlns="urn:xmpp:reply:0" id="${ID}" to="${ME}"/>`,
    );
    const chat = { kind: 'group' as const, key: ROOM.address, address: ROOM.address };
    expect(writeMessage(message('yes', { chat, replyTo: reference }), ROOM, null).toString()).toContain(
      '<reply xmlns="urn:xmpp:reply:0" id="S1"/>',
    );
  });

  test('has the address and the range in code points of each mention (0372)', () => {
    expect(writeMessage(message('👍 @Juliet!', { mentions: [HER] }), TO_HER, null).toString()).toContain(
      `<reference xmlns="urn:xmpp:reference:0" type="mention" uri="xmpp:${HER}" begin="2" end="9"/>`,
    );
    expect(heard(writeMessage(message('nobody named', { mentions: [HER] }), TO_HER, null)).mentions).toEqual([
      HER,
    ]);
  });

  test('with a file is shown as a link by old clients and as a file with a caption by new ones', () => {
    const alone = writeMessage(message(null, { type: 'image' }), TO_HER, file);
    // Old clients show the picture only if the body is just the URL (0066).
    expect(alone.getChildText('body')).toBe(file.url);
    expect(heard(alone)).toMatchObject({
      type: 'image',
      text: null,
      file: { url: file.url, fileName: 'b.png' },
    });
    const both = writeMessage(message('Sieh 👍', { type: 'image' }), TO_HER, file);
    const range = both.getChild('fallback')!.getChild('body')!.attrs as { start: string; end: string };
    expect(without(both.getChildText('body')!, [[Number(range.start), Number(range.end)]])).toBe('Sieh 👍');
    expect(Number(range.end)).toBe(getLength(both.getChildText('body')!));
  });

  test('with a location has structured data and a geo: link as fallback', () => {
    const data = {
      latitude: 52.5163,
      longitude: -13.3777,
      name: 'Brandenburg Gate',
      address: 'Pariser Platz',
    };
    const stanza = writeMessage(
      message(null, { type: 'location', content: { text: null, file: null, data } }),
      TO_HER,
      null,
    );
    expect(stanza.getChildText('body')).toBe('geo:52.5163,-13.3777');
    expect(heard(stanza)).toMatchObject({ type: 'location', data, text: null });
  });
});

describe('changes', () => {
  test('name the message that they change, and are stored for offline recipients', () => {
    const changes = [
      writeCorrection(TO_HER, ID, 'changed'),
      writeRetraction(TO_HER, ID),
      writeReaction(TO_HER, ID, '👍'),
      writeReaction(TO_HER, ID, null),
      writeDisplayed(TO_HER, ID),
      writeReceipt(HER, ID),
    ];
    const told = changes.map((stanza) => {
      stanza.attrs['from'] = ME;
      expect(stanza.getChild('store', 'urn:xmpp:hints')).toBeDefined();
      const signals = readMessage(toStanza(stanza.toString()), { account: HER, stanzaId: null, at: AT });
      expect(signals).toHaveLength(1);
      return signals[0];
    });
    expect(told).toMatchObject([
      { kind: 'edited', externalId: `by:${ME} ${ME} ${ID}`, text: 'changed' },
      { kind: 'revoked', externalId: `by:${ME} ${ME} ${ID}` },
      { kind: 'reacted', externalId: `${ME} ${ID}`, emoji: '👍' },
      { kind: 'reacted', emoji: null },
      { kind: 'receipt', externalId: `by:${HER} ${ME} ${ID}`, status: 'read' },
      { kind: 'receipt', status: 'delivered' },
    ]);
    expect(new Set(changes.map(({ attrs }) => String(attrs['id']))).size).toBe(changes.length);
  });
});

describe('ranges', () => {
  test('are removed in code points even if they overlap or exceed the text', () => {
    expect(
      without('👍ab👍cd', [
        [0, 1],
        [3, 4],
      ]),
    ).toBe('abcd');
    expect(
      without('abc', [
        [1, 9],
        [2, 3],
        [7, 8],
      ]),
    ).toBe('a');
    expect(without('abc', [])).toBe('abc');
  });
});
