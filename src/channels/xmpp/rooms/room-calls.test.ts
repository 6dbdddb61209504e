/** Creating a group on a server that doesn't let the account create rooms. */
import { expect, test } from 'vitest';
import { joinFault } from './joining.ts';
import { createRoomCalls } from './room-calls.ts';
import type { Room } from './room.ts';
import { scriptedStream } from '../../../../test/support/channels/xmpp/scripted-stream.ts';
import { toStanza } from '../../../../test/support/channels/xmpp/stanza.ts';

// Prosody responds with the first, ejabberd with the second.
test.for(['not-allowed', 'forbidden'])(
  'a service that refuses to create a room with %s',
  async (condition) => {
    const answer = `<presence type='error'><error type='auth'><${condition} xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>`;
    const dropped: Room[] = [];
    const room = {
      state: 'out',
      enter: () => Promise.reject(joinFault(toStanza(answer))),
    } as unknown as Room;
    const calls = createRoomCalls({
      stream: scriptedStream('support@example.com'),
      inviting: { invite: async () => undefined, handle: () => false },
      nick: 'support',
      service: 'rooms.example.com',
      getRoom: () => null,
      makeRoom: () => room,
      dropRoom: (one) => dropped.push(one),
      ready: async () => room,
    });
    const group = { clientId: 'grp_1', subject: 'Tea', description: null, settings: {}, participants: [] };
    const created = calls.create(group, new AbortController().signal);
    await expect(created).rejects.toMatchObject({ kind: 'rejected', code: 'not_allowed' });
    expect(dropped).toEqual([room]);
  },
);
