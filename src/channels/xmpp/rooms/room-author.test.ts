/** Authors of archived room messages: nothing that a sender chooses makes them the account. */
import { expect, test } from 'vitest';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { readMessage } from '../stanza/read-message.ts';
import { toStanza } from '../../../../test/support/channels/xmpp/stanza.ts';
import { createOccupants } from './occupants.ts';
import { getAuthor, type KnownRoom } from './room-author.ts';

const ME = 'romeo@montague.lit';
const ROOM = 'coven@rooms.lit';
const ID = publicId('message', '0190f5c0-0000-7000-8000-000000000001');
const at = new Date('2026-05-05T10:00:00.000Z');

const archived = (id: string, more: Partial<KnownRoom> = {}, nick = 'romeo', content = '') => {
  const room: KnownRoom = {
    address: ROOM,
    account: ME,
    nick: 'romeo',
    ownId: null,
    hasOccupantIds: false,
    isOpen: false,
    occupants: createOccupants(),
    ...more,
  };
  return readMessage(
    toStanza(
      `<message from='${ROOM}/${nick}' to='${ME}/x' type='groupchat' id='${id}'><body>hi</body>${content}</message>`,
    ),
    {
      account: ME,
      stanzaId: 'S1',
      at,
      isArchived: true,
      room: {
        address: ROOM,
        title: null,
        author: (stanza, isArchived) => getAuthor(stanza, isArchived, room),
        getAddress: () => null,
      },
    },
  );
};

test("a message with the account's nick and a client ID may be ours, which the engine decides", () => {
  const shown = { from: `${ROOM}/romeo`, fromMe: false };
  expect(archived(ID)).toMatchObject([{ ...shown, clientId: ID, mayBeOurs: true }]);
  const [other] = archived('an-id');
  expect(other).toMatchObject({ ...shown, clientId: null });
  expect(other).not.toHaveProperty('mayBeOurs');
  expect(archived(ID, {}, 'hecate')).toMatchObject([{ from: `${ROOM}/hecate`, clientId: null }]);
});

test('an address that the room shows decides the author', () => {
  const item = (jid: string) =>
    `<x xmlns='http://jabber.org/protocol/muc#user'><item affiliation='none' role='participant' jid='${jid}'/></x>`;
  const [own] = archived(ID, { isOpen: true }, 'romeo', item(`${ME}/x`));
  expect(own).toMatchObject({ from: ME, fromMe: true, clientId: ID });
  const [hers] = archived(ID, { isOpen: true }, 'romeo', item('hecate@lit/x'));
  expect(hers).toMatchObject({ from: 'hecate@lit', fromMe: false, clientId: null });
  for (const signal of [own, hers]) expect(signal).not.toHaveProperty('mayBeOurs');
});

test('further files under such an ID are never ours', () => {
  const urls = ['one', 'two'].map(
    (name) => `<x xmlns='jabber:x:oob'><url>https://files.lit/${name}.png</url></x>`,
  );
  const signals = archived(ID, {}, 'romeo', urls.join(''));
  expect(signals).toHaveLength(2);
  expect(signals[1]).toMatchObject({ clientId: null, mayBeOurs: false, fromMe: false });
});
