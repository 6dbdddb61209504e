/** Messages on their way out. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isMediaType, type MediaType } from '../../../src/channels/contract/capabilities.ts';
import type { OutboundMessage } from '../../../src/channels/contract/connection.ts';
import { HOSTILE_TEXTS, shownAs } from './hostile-texts.ts';
import { getFile, outbound, getOutbound, sha256 } from './samples.ts';
import { getMessageTypes, never, type World } from './world.ts';

const MANY = 20;

export function describeSending(get: () => World): void {
  describe('sending', () => {
    test('every type that is claimed arrives with all it has', async () => {
      const { capabilities, pair, proves, seenBy, harness } = get();
      const { peer, send } = await pair();
      for (const type of getMessageTypes(capabilities))
        await proves(type, async () => {
          const bytes = randomBytes(3_000);
          const message = getOutbound(peer, type, bytes, capabilities.types[type]!.text !== null);
          const result = await send(message);
          const id = result.externalId ?? message.clientId;
          expect(Math.abs(result.at.getTime() - Date.now())).toBeLessThan(60_000);
          const seen = await seenBy(peer, 'message', ({ externalId }) => externalId === id);
          expect(seen).toMatchObject({
            type: harness.shownAs?.[type] ?? type,
            text: message.content.text,
            data: message.content.data,
            file: isMediaType(type) ? sha256(bytes) : null,
          });
        });
    });

    test('a large file is not held in memory, and arrives whole', async ({ skip }) => {
      const { capabilities, pair, seenBy } = get();
      const limit = capabilities.types.document?.bytes ?? 0;
      if (limit < 5_000_000) skip('not applicable: it takes no large documents');
      const { peer, send } = await pair();
      const bytes = randomBytes(Math.min(limit, 5_000_001));
      const content = { text: null, file: getFile('document', bytes), data: null };
      const message = outbound(peer, { type: 'document', content });
      const { externalId } = await send(message);
      const seen = await seenBy(
        peer,
        'message',
        (one) => one.externalId === (externalId ?? message.clientId),
      );
      expect(seen.file).toBe(sha256(bytes));
    });

    test('what was sent before is sent again as the driver promises', async () => {
      const { harness, pair, seenBy } = get();
      const { peer, send, connection } = await pair();
      const message = outbound(peer, { text: 'only once' });
      const first = await send(message);
      if (harness.driver.resend === 'deduplicated') {
        const [again, once] = await Promise.all([
          send({ ...message, attempt: 1 }),
          send({ ...message, attempt: 2 }),
        ]);
        expect([again.externalId, once.externalId]).toEqual([first.externalId, first.externalId]);
      }
      if (harness.driver.resend === 'lookup') {
        const found = await connection.lookup!(message.clientId, message.chat, never());
        expect(found).toMatchObject({ externalId: first.externalId });
        const { clientId } = outbound(peer);
        expect(await connection.lookup!(clientId, message.chat, never())).toBeNull();
      } else expect(connection.lookup).toBeUndefined();
      const { externalId } = await send(outbound(peer, { text: 'the next' }));
      await seenBy(peer, 'message', (seen) => seen.text === 'the next' || seen.externalId === externalId);
      const seen = (await peer.seen()).filter(
        (sight) => sight.kind === 'message' && sight.text === 'only once',
      );
      expect(seen).toHaveLength(1);
    });

    test('messages of a chat arrive in their order', async () => {
      const { pair, eventually } = get();
      const { peer, send } = await pair();
      const texts = Array.from({ length: MANY }, (_, nth) => `number ${nth}`);
      for (const text of texts) await send(outbound(peer, { text }));
      await eventually(async () => {
        const seen = await peer.seen();
        expect(seen.flatMap((sight) => (sight.kind === 'message' ? [sight.text] : []))).toEqual(texts);
      });
    });

    test('what is over a limit is refused for good', async () => {
      const { capabilities, pair } = get();
      const { peer, send } = await pair();
      const rejected = (message: OutboundMessage): Promise<void> =>
        expect(send(message), message.type).rejects.toMatchObject({ kind: 'rejected' });
      for (const [type, limit] of Object.entries(capabilities.types)) {
        const isMedia = isMediaType(type);
        if (limit.text !== null)
          await rejected(
            outbound(peer, {
              type: type as MediaType,
              content: {
                text: '🙂'.repeat(limit.text + 1),
                file: isMedia ? getFile(type, Buffer.from('x')) : null,
                data: null,
              },
            }),
          );
        if (!isMedia) continue;
        const withFile = (file: Parameters<typeof getFile>[2]): OutboundMessage =>
          outbound(peer, {
            type,
            content: { text: null, file: getFile(type, Buffer.from('x'), file), data: null },
          });
        if (limit.bytes !== undefined) await rejected(withFile({ size: limit.bytes + 1 }));
        if (limit.mimeTypes) await rejected(withFile({ mimeType: 'application/x-nothing' }));
      }
      expect(await peer.seen()).toEqual([]);
    });

    test('a type that is not claimed is refused for good', async ({ skip }) => {
      const { capabilities, pair } = get();
      if (capabilities.types.poll) skip('not applicable: it has polls');
      const { peer, send } = await pair();
      const content = { text: null, file: null, data: { question: 'Tea?', options: ['Yes', 'No'] } };
      await expect(send(outbound(peer, { type: 'poll', content }))).rejects.toMatchObject({
        kind: 'rejected',
      });
    });

    test('to nobody is refused for good', async ({ skip }) => {
      const { harness, pair, told } = get();
      const address = harness.unknownAddress ?? skip('not applicable: its server does not tell');
      const opened = await pair();
      const message = outbound(opened.peer, { chat: { ...opened.peer.chat, key: address, address } });
      const fault = await opened.send(message).then(
        () => null,
        (error: unknown) => error,
      );
      const { kind } = (fault as { kind: string } | null) ?? { kind: 'rejected' };
      expect(kind).toBe('rejected');
      // The server may acknowledge a message before it refuses it.
      if (fault === null)
        await told(
          opened,
          'receipt',
          ({ status, clientId }) => status === 'failed' && clientId === message.clientId,
        );
    });

    test('hostile text arrives as text', async () => {
      const { pair, seenBy } = get();
      const { peer, send } = await pair();
      for (const text of HOSTILE_TEXTS) {
        const message = outbound(peer, { text });
        const { externalId } = await send(message);
        const id = externalId ?? message.clientId;
        const seen = await seenBy(peer, 'message', (sight) => sight.externalId === id);
        expect(shownAs(seen.text!)).toBe(shownAs(text));
      }
      expect((await peer.seen()).filter(({ kind }) => kind === 'message')).toHaveLength(HOSTILE_TEXTS.length);
    });

    test('a hostile subject stays one', async ({ skip }) => {
      const { claims, pair, seenBy } = get();
      if (!claims('threads')) skip('not applicable: it has no subjects');
      const { peer, send } = await pair();
      const subject = 'Hello\r\nBcc: everybody@example.com\r\n\r\nbody \u202E \0 🏴‍☠️';
      await send(outbound(peer, { text: 'with a subject', subject }));
      const seen = await seenBy(peer, 'message', ({ text }) => text?.trim() === 'with a subject');
      const words = (text: string): string => text.replaceAll(/[\s\0\ufffd]+/g, ' ').trim();
      expect(words(seen.subject!)).toBe(words(subject));
      expect((await peer.seen()).filter(({ kind }) => kind === 'message')).toHaveLength(1);
    });
  });
}
