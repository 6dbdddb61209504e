/** The driver against crabline, an emulator of Telegram by others: what crabline has. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createEgress } from '../../src/platform/egress/egress.ts';
import { telegramDriver } from '../../src/channels/telegram/telegram.driver.ts';
import { CHANNEL_TOOLS, HAS_CHANNEL_TOOLS, startCrabline } from '../support/channels/channel-tools.ts';
import { allowing } from '../support/egress.ts';
import { needs } from '../support/needs.ts';
import { PATIENCE } from '../support/patience.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { Peer } from './suite/harness.ts';
import { newStore, recordedContext } from './suite/recorded-context.ts';
import { getFile, outbound } from './suite/samples.ts';

const never = (): AbortSignal => new AbortController().signal;

test('a bot of crabline receives and sends', needs(CHANNEL_TOOLS, HAS_CHANNEL_TOOLS), async () => {
  await using folder = await temporaryFolder();
  const recorderPath = join(folder.path, 'telegram.jsonl');
  await using crabline = await startCrabline('telegram', { recorderPath });
  const { botToken, endpoints, adminToken } = crabline.about;
  const egress = createEgress({ allow: allowing('127.0.0.1') });
  const account = {
    workspaceId: 'w',
    instanceId: 'i',
    name: 'bot',
    settings: { api_root: endpoints.apiRoot },
    credentials: { token: botToken },
    address: '424242',
  };
  const store = newStore(account);
  const context = recordedContext({ egress }, account, store);
  const connection = await telegramDriver.open(context);
  try {
    expect(connection.address).toBe('424242');
    const inbound = await fetch(endpoints.adminInboundUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-crabline-admin-token': adminToken },
      body: JSON.stringify({ chatId: 77, fromId: 77, fromName: 'Ann', text: 'hello' }),
    });
    expect(inbound).toHaveStatus(200);
    await vi.waitFor(
      () =>
        expect(store.signals).toMatchObject([
          { kind: 'message', externalId: '77/1', from: '77', fromName: 'Ann', text: 'hello' },
        ]),
      PATIENCE,
    );
    const chat = { kind: 'direct' as const, key: '77', address: '77' };
    const peer = { chat } as Peer;
    const theirs = { clientId: null, externalId: '77/1', fromMe: false, author: '77' };
    const sent = await connection.send(outbound(peer, { text: 'answer', replyTo: theirs }), never());
    expect(sent).toMatchObject({ externalId: '77/2', status: 'sent' });
    const mine = { clientId: null, externalId: '77/2', fromMe: true, author: null };
    await connection.edit!(chat, mine, 'changed', never());
    await connection.react!(chat, theirs, '👍', never());
    await connection.setTyping!(chat, true, never());
    for (const type of ['image', 'video', 'audio', 'document'] as const) {
      const content = { text: 'caption', file: getFile(type, Buffer.from('bytes')), data: null };
      await connection.send(outbound(peer, { type, content }), never());
    }
    await connection.revoke!(chat, mine, never());
    await connection.probe(never());
    const lines = (await readFile(recorderPath, 'utf8')).trim().split('\n');
    const calls = lines.map((line) => JSON.parse(line) as { path?: string; accepted?: boolean });
    const refused = calls.filter(({ accepted, path }) => accepted === false && path !== undefined);
    expect(refused).toEqual([]);
    const wrong = { ...account, credentials: { token: `424242:${'x'.repeat(30)}` } };
    await expect(
      telegramDriver.open(recordedContext({ egress }, wrong, newStore(wrong))),
    ).rejects.toMatchObject({
      kind: 'refused',
    });
  } finally {
    await connection.close();
    await egress.close();
  }
});
