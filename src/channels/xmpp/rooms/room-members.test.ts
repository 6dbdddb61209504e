/**
 * Rejections by rooms: servers reject the same request with different conditions, and the state of the room decides.
 */
import type { Element } from '@xmpp/xml';
import { describe, expect, test } from 'vitest';
import type { ParticipantAction } from '../../contract/connection.ts';
import { DriverError } from '../../contract/driver-error.ts';
import { scriptedStream } from '../../../../test/support/channels/xmpp/scripted-stream.ts';
import { createOccupants } from './occupants.ts';
import { type Affiliation, MUC } from './muc.ts';
import { changeMembers } from './room-members.ts';
import type { Room } from './room.ts';

const ME = 'support@example.com';
const ADA = 'ada@example.com';
const ROOM = 'tea@rooms.example.com';
/** The conditions with which Prosody, ejabberd, and other servers report that no occupant has the nick. */
const GONE = ['item_not_found', 'not_acceptable', 'bad_request', 'refused_by_server'];
const PERMISSION = ['forbidden', 'not_allowed', 'not_authorized'];

interface Item {
  jid?: string;
  nick?: string;
  affiliation?: Affiliation;
  role?: string;
}

/**
 * Creates a room that the account owns, with Ada in it.
 * @param answer called for each change; throws the room's rejection
 */
function world(answer: (item: Item, leave: () => void) => void, { banned = [] as string[] | string } = {}) {
  const occupants = createOccupants();
  const occupant = (nick: string, address: string, affiliation: Affiliation) =>
    occupants.enter({ nick, address, affiliation, role: 'participant', id: null, stay: nick }, null);
  occupant('support', ME, 'owner');
  occupant('Ada', ADA, 'member');
  occupants.setLists(
    new Map([
      [ME, 'owner'],
      [ADA, 'member'],
    ]),
  );
  const changes: Item[] = [];
  const leave = (): void => {
    occupants.leave('Ada', 'removed', null);
    occupants.affiliate(ADA, 'none', null);
  };
  const stream = scriptedStream(ME, async (payload: Element) => {
    const item = payload.getChild('item', MUC.admin)!.attrs as Item;
    if (item.affiliation === 'outcast' && item.jid === undefined && item.nick === undefined) {
      if (typeof banned === 'string') throw new DriverError('rejected', banned, banned);
      return null;
    }
    changes.push({ ...item });
    answer(item, leave);
    return null;
  });
  const inviting = { invite: async () => undefined, handle: () => false };
  const room = { address: ROOM, occupants } as unknown as Room;
  return {
    changes,
    leave,
    change: (action: ParticipantAction, address = ADA) =>
      changeMembers({ stream, inviting }, room, action, [address], new AbortController().signal),
  };
}
const refuse = (code: string): never => {
  throw new DriverError('rejected', code, code);
};
const done = [{ address: ADA, error: null }];

describe('removing a participant', () => {
  test('takes one change if the room removes people who lose membership', async () => {
    const { change, changes } = world((_item, leave) => leave());
    expect(await change('remove')).toEqual(done);
    expect(changes).toEqual([{ jid: ADA, affiliation: 'none' }]);
  });

  test.for(GONE)('succeeds if the person left meanwhile and the room responds with %s', async (code) => {
    const { change, changes } = world(({ role }, leave) => {
      if (role === undefined) return;
      leave();
      refuse(code);
    });
    expect(await change('remove')).toEqual(done);
    expect(changes).toHaveLength(2);
  });

  test.for(GONE)('succeeds if the person is not there and the room responds with %s', async (code) => {
    const { change, leave } = world(() => refuse(code));
    leave();
    expect(await change('remove')).toEqual(done);
    const nameless = `${ROOM}/Bob`;
    expect(await change('remove', nameless)).toEqual([{ address: nameless, error: null }]);
  });

  test.for(GONE)('fails if the person stays and the room responds with %s', async (code) => {
    const { change } = world(() => refuse(code));
    expect(await change('remove')).toMatchObject([{ address: ADA, error: { code } }]);
  });

  test.for(PERMISSION)('fails without permission whether the person is visible or not: %s', async (code) => {
    const { change, leave } = world(() => refuse(code));
    await expect(change('remove')).rejects.toMatchObject({ code: 'not_allowed' });
    leave();
    await expect(change('remove')).rejects.toMatchObject({ code: 'not_allowed' });
  });
});

test.for(['conflict', 'not_allowed'])(
  'the last owner cannot be demoted or removed if the room responds with %s',
  async (code) => {
    const { change } = world(() => refuse(code));
    for (const action of ['demote', 'remove'] as const)
      expect(await change(action, ME)).toMatchObject([{ address: ME, error: { code: 'last_owner' } }]);
  },
);

test('an occupant who left and whose address is hidden cannot be banned', async () => {
  const { change, changes } = world(() => undefined);
  const outcome = await change('ban', `${ROOM}/Bob`);
  expect(outcome).toMatchObject([{ error: { code: 'not_a_participant' } }]);
  expect(changes).toEqual([]);
});

test('a ban is lifted without checking if the account may not read the ban list', async () => {
  const { change, changes } = world(() => undefined, { banned: 'forbidden' });
  expect(await change('unban')).toEqual(done);
  expect(changes).toEqual([{ jid: ADA, affiliation: 'none' }]);
  const refused = world(() => refuse('forbidden'), { banned: 'forbidden' });
  await expect(refused.change('unban')).rejects.toMatchObject({ code: 'not_allowed' });
});
