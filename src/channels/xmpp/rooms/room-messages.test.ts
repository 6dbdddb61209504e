/** Message IDs of rooms: only unambiguous ones are accepted. */
import { expect, test } from 'vitest';
import { toStanza } from '../../../../test/support/channels/xmpp/stanza.ts';
import type { RoomInfo } from './room-info.ts';
import { getStanzaId } from './room-messages.ts';

const ROOM = 'tea@rooms.example.com';
const info = { hasStanzaIds: true } as RoomInfo;
const named = (...ids: string[]) =>
  toStanza(
    `<message>${ids.map((id) => `<stanza-id xmlns='urn:xmpp:sid:0' by='${ROOM}' id='${id}'/>`).join('')}</message>`,
  );

test('IDs of other chats, several IDs, and missing ones are rejected', () => {
  expect(getStanzaId(named('S1'), ROOM, info)).toBe('S1');
  expect(getStanzaId(named('S1'), 'other@rooms.example.com', info)).toBeNull();
  expect(getStanzaId(named('ada@example.com m1'), ROOM, info)).toBeNull();
  expect(getStanzaId(named('S1', 'S2'), ROOM, info)).toBeNull();
  expect(getStanzaId(named(), ROOM, info)).toBeNull();
});
