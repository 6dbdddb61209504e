/** Receiving a room's messages when storing them fails. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Signal } from '../../contract/signal.ts';
import { toStanza } from '../../../../test/support/channels/xmpp/stanza.ts';
import { createTelling } from '../session/telling.ts';
import { scriptedStream } from '../../../../test/support/channels/xmpp/scripted-stream.ts';
import { createRoomInbound } from './room-inbound.ts';

const ROOM = 'tea@rooms.example.com';

test('a message that cannot be stored ends the connection without an unhandled rejection', async () => {
  const escaped: unknown[] = [];
  const onEscaped = (error: unknown): void => void escaped.push(error);
  process.on('unhandledRejection', onEscaped);
  onTestFinished(() => void process.off('unhandledRejection', onEscaped));
  const faults: unknown[] = [];
  const warned: string[] = [];
  const fault = new Error('the disk is full');
  const telling = createTelling(
    { position: { archive: '', rooms: {} }, emit: () => Promise.reject(fault) },
    (error) => faults.push(error),
  );
  const inbound = createRoomInbound({
    stream: scriptedStream('support@example.com'),
    telling,
    room: ROOM,
    read: (): Signal[] => [{ kind: 'profile', address: ROOM, name: 'Tea' }],
    takeChanges: () => [],
    log: { warn: (_, message) => void warned.push(message) },
  });
  inbound.begin(null);
  inbound.hear({
    stanza: toStanza(`<message from='${ROOM}/ada' type='groupchat'><body>Hello</body></message>`),
    stanzaId: null,
    at: new Date(),
    isArchived: false,
    author: null,
  });

  await vi.waitFor(() => expect(warned).toHaveLength(1));
  // Unhandled rejections are reported after all pending work.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(faults).toEqual([fault]);
  expect(escaped).toEqual([]);
});
