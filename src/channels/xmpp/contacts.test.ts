/** Blocking on servers that reject a change that has no effect. */
import xml from '@xmpp/xml';
import { describe, expect, test } from 'vitest';
import { DriverError } from '../contract/driver-error.ts';
import { createContacts } from './contacts.ts';
import { scriptedStream } from '../../../test/support/channels/xmpp/scripted-stream.ts';

const PEST = 'pest@example.com';

/** Creates contacts on a server that rejects each change. @param blocked its block list; null if it shows none */
function contacts(code: string, blocked: string[] | null) {
  const stream = scriptedStream('support@example.com', async (payload) => {
    const isRead = payload.is('blocklist', 'urn:xmpp:blocking');
    if (!isRead || blocked === null) throw new DriverError('rejected', code, code);
    return xml('blocklist', {}, ...blocked.map((jid) => xml('item', { jid })));
  });
  return createContacts({ stream, telling: { emit: async () => undefined }, takesRoster: false }).calls;
}
const signal = new AbortController().signal;

describe.for(['item_not_found', 'not_acceptable', 'conflict'])(
  'a server that rejects a change with %s',
  (code) => {
    test('succeeds if the contact is already in the requested state', async () => {
      const unblocked = contacts(code, ['other@example.com']).setBlocked(PEST, false, signal);
      await expect(unblocked).resolves.toBeUndefined();
      const blocked = contacts(code, ['PEST@example.com']).setBlocked(PEST, true, signal);
      await expect(blocked).resolves.toBeUndefined();
    });

    test('fails if the contact is in the other state', async () => {
      const refused = { kind: 'rejected', code };
      await expect(contacts(code, [PEST]).setBlocked(PEST, false, signal)).rejects.toMatchObject(refused);
      await expect(contacts(code, []).setBlocked(PEST, true, signal)).rejects.toMatchObject(refused);
    });

    test('fails if the server does not show its block list', async () => {
      for (const isBlocked of [true, false])
        await expect(contacts(code, null).setBlocked(PEST, isBlocked, signal)).rejects.toMatchObject({
          code,
        });
    });
  },
);
