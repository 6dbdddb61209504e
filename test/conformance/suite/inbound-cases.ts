/** What comes in: once, in order, and not lost. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isMediaType } from '../../../src/channels/contract/capabilities.ts';
import { HOSTILE_TEXTS, shownAs } from './hostile-texts.ts';
import { toMessages } from './recorded-context.ts';
import { getInbound, outbound, sha256, textMessage } from './samples.ts';
import { never, type World } from './world.ts';

const MANY = 20;

export function describeHearing(get: () => World): void {
  describe('hearing', () => {
    test('every type that somebody sends arrives with all it has', async () => {
      const { pair, told, harness, fileTold } = get();
      const opened = await pair();
      const { account, peer } = opened;
      for (const type of peer.sends) {
        const bytes = randomBytes(3_000);
        const message = getInbound(type, bytes);
        const id = await peer.send(account, message);
        const heard = await told(opened, 'message', ({ externalId }) => externalId === id);
        expect(heard).toMatchObject({ type, from: peer.address, fromMe: false, data: message.data });
        expect(heard.text).toBe(message.text);
        expect(harness.driver.normalizeAddress(heard.from, account.settings)).toBe(heard.from);
        expect(heard.chat).toMatchObject({ kind: 'direct', address: peer.address });
        expect(Math.abs(heard.at.getTime() - Date.now())).toBeLessThan(60_000);
        if (isMediaType(type))
          expect(await fileTold(heard.file)).toMatchObject({ size: bytes.length, sha256: sha256(bytes) });
        else expect(heard.file).toBeNull();
      }
    });

    test('messages arrive in their order, each once', async () => {
      const { pair, eventually } = get();
      const { account, peer, context } = await pair();
      const ids: string[] = [];
      for (let nth = 0; nth < MANY; nth++) ids.push(await peer.send(account, textMessage(`number ${nth}`)));
      await eventually(() => expect(context.messages().map(({ externalId }) => externalId)).toEqual(ids));
    });

    test('what was told but not stored is told again, under the same ID', async () => {
      const { pair, open, told, eventually } = get();
      const first = await pair();
      const { account, peer, context } = first;
      const before = await peer.send(account, textMessage('stored'));
      await told(first, 'message', ({ externalId }) => externalId === before);
      context.crash();
      const lost = await peer.send(account, textMessage('not stored'));
      await eventually(() =>
        expect(toMessages(context.dropped).map(({ externalId }) => externalId)).toContain(lost),
      );
      // The channel is told that it arrived only once it is stored.
      const receipts = (await peer.seen()).filter(
        (sight) => sight.kind === 'receipt' && sight.externalId === lost,
      );
      expect(receipts).toEqual([]);
      await first.connection.close();
      const again = await open(account, context.store);
      await told(again, 'message', ({ externalId }) => externalId === lost);
      const after = await peer.send(account, textMessage('after it'));
      await told(again, 'message', ({ externalId }) => externalId === after);
      // What is told again has its old ID; nothing has two.
      const ids = context.messages().map(({ externalId }) => externalId);
      expect([...new Set(ids)]).toEqual([before, lost, after]);
      const texts = new Map(context.messages().map((message) => [message.externalId, message.text]));
      expect([...texts.values()]).toEqual(['stored', 'not stored', 'after it']);
    });

    test('what came while there was no connection arrives afterwards', async ({ skip }) => {
      const { claims, pair, open, proves, eventually } = get();
      if (!claims('history')) skip('not applicable: it does not claim to');
      await proves('history', async () => {
        const { account, peer, context, connection } = await pair();
        await connection.close();
        const ids: string[] = [];
        for (let nth = 0; nth < 3; nth++) ids.push(await peer.send(account, textMessage(`missed ${nth}`)));
        await open(account, context.store);
        await eventually(() => {
          const heard = context.messages().map(({ externalId }) => externalId);
          expect(heard.filter((id) => ids.includes(id))).toEqual(ids);
        });
      });
    });

    test("the account's own messages from elsewhere arrive as its own", async ({ skip }) => {
      const { claims, harness, pair, told, proves } = get();
      if (!claims('own_copies')) skip('not applicable: it does not claim to');
      const write = harness.writeElsewhere ?? skip('the harness cannot write elsewhere');
      await proves('own_copies', async () => {
        const opened = await pair();
        const { account, peer } = opened;
        await write(account, peer, 'written elsewhere');
        const copy = await told(opened, 'message', ({ text }) => text === 'written elsewhere');
        expect(copy).toMatchObject({ fromMe: true, from: account.address });
        expect(copy.chat.address).toBe(peer.address);
      });
    });

    test('a message of ours is no message of others', async () => {
      const { pair, told } = get();
      const opened = await pair();
      const { account, peer, send, context } = opened;
      const message = outbound(peer, { text: 'from us' });
      const { externalId } = await send(message);
      const id = await peer.send(account, textMessage('from them'));
      await told(opened, 'message', (heard) => heard.externalId === id);
      const copies = context.messages().filter((heard) => heard.externalId !== id);
      for (const copy of copies) {
        expect(copy.fromMe).toBe(true);
        expect([copy.clientId, copy.externalId]).toContain(copy.clientId ? message.clientId : externalId);
      }
    });

    test('hostile text arrives as text', async () => {
      const { pair, told } = get();
      const opened = await pair();
      for (const text of HOSTILE_TEXTS) {
        const id = await opened.peer.send(opened.account, textMessage(text));
        const heard = await told(opened, 'message', ({ externalId }) => externalId === id);
        expect(shownAs(heard.text!)).toBe(shownAs(text));
      }
      expect(opened.context.messages()).toHaveLength(HOSTILE_TEXTS.length);
      await opened.connection.probe(never());
    });
  });
}
