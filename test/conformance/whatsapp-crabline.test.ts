/** The driver against crabline, an emulator of the WhatsApp Cloud API by others: what crabline has, which is text. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEgress } from '../../src/platform/egress/egress.ts';
import { whatsappDriver } from '../../src/channels/whatsapp/whatsapp.driver.ts';
import { CHANNEL_TOOLS, HAS_CHANNEL_TOOLS, startCrabline } from '../support/channels/channel-tools.ts';
import { sign } from '../support/channels/whatsapp/webhooks.ts';
import { allowing } from '../support/egress.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { Peer } from './suite/harness.ts';
import { newStore, recordedContext } from './suite/recorded-context.ts';
import { outbound } from './suite/samples.ts';

const APP_SECRET = '0123456789abcdef0123456789abcdef';
const PERSON = '15551234567@s.whatsapp.net';
const never = (): AbortSignal => new AbortController().signal;

test('a number of crabline receives and sends', needs(CHANNEL_TOOLS, HAS_CHANNEL_TOOLS), async () => {
  await using folder = await temporaryFolder();
  const recorderPath = join(folder.path, 'whatsapp.jsonl');
  await using crabline = await startCrabline('whatsapp', { recorderPath });
  const { accessToken, adminToken, endpoints, phoneNumberId } = crabline.about;
  const egress = createEgress({ allow: allowing('127.0.0.1') });
  const credentials = {
    access_token: accessToken,
    app_secret: APP_SECRET,
    verify_token: 'a verify token',
  };
  const account = {
    workspaceId: 'w',
    instanceId: 'i',
    name: 'number',
    settings: {
      api_root: endpoints.apiRoot,
      phone_number_id: phoneNumberId,
      business_account_id: '102290129340398',
    },
    credentials,
    address: '+15550000000',
  };
  const store = newStore(account);
  const connection = await whatsappDriver.open(recordedContext({ egress }, account, store));
  try {
    expect(connection.address).toBe('+15550000000');
    const inbound = await fetch(endpoints.adminInboundUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-crabline-admin-token': adminToken },
      body: JSON.stringify({ chatJid: PERSON, senderJid: PERSON, text: 'hello', pushName: 'Ann' }),
    });
    expect(inbound).toHaveStatus(200);
    const { webhook } = (await inbound.json()) as { webhook: { entry: object[] } };
    const told = Buffer.from(JSON.stringify(webhook));
    const request = {
      method: 'POST' as const,
      url: 'https://fairlead.example/channels/token',
      query: new URLSearchParams(),
      headers: { 'x-hub-signature-256': sign(told, APP_SECRET) },
      body: told,
      at: new Date(),
    };
    const outcome = whatsappDriver.ingress!.receive(request, account);
    if (outcome.kind !== 'accepted') throw new Error(`the webhook was ${outcome.kind}`);
    await connection.receive(outcome.parts, never());
    expect(store.signals).toMatchObject([
      { kind: 'message', from: '+15551234567', fromName: 'Ann', type: 'text', text: 'hello' },
    ]);
    const { externalId } = store.signals[0] as unknown as { externalId: string };
    const chat = { kind: 'direct' as const, key: '+15551234567', address: '+15551234567' };
    const peer = { chat } as Peer;
    const theirs = { clientId: null, externalId, fromMe: false, author: chat.address };
    const sent = await connection.send(outbound(peer, { text: 'answer', replyTo: theirs }), never());
    expect(sent).toMatchObject({ status: 'sent', externalId: expect.stringMatching(/./) });
    await connection.markRead!(chat, theirs, never());
    await connection.probe(never());
    const lines = (await readFile(recorderPath, 'utf8')).trim().split('\n');
    const calls = lines.map(
      (line) => JSON.parse(line) as { path?: string; accepted?: boolean; body?: object },
    );
    expect(calls.filter(({ accepted, path }) => accepted === false && path !== undefined)).toEqual([]);
    expect(calls.map(({ body }) => body)).toContainEqual(
      expect.objectContaining({
        to: expect.stringMatching(/^\+?15551234567$/),
        text: expect.objectContaining({ body: 'answer' }),
      }),
    );
    const wrong = { ...account, credentials: { ...credentials, access_token: 'EAAwrongwrongwrong' } };
    await expect(
      whatsappDriver.open(recordedContext({ egress }, wrong, newStore(wrong))),
    ).rejects.toMatchObject({ kind: 'refused' });
  } finally {
    await connection.close();
    await egress.close();
  }
});
