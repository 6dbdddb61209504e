/** That the emulators start, answer and end. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  CHANNEL_TOOLS,
  HAS_CHANNEL_TOOLS,
  readVendorApi,
  startCrabline,
  startEmulate,
  startPrism,
} from '../support/channels/channel-tools.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const isGone = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`).then(
    () => false,
    () => true,
  );

describe('emulators of channels', needs(CHANNEL_TOOLS, HAS_CHANNEL_TOOLS), () => {
  test("crabline answers Telegram's getMe and the phone number of WhatsApp, and ends", async () => {
    await using folder = await temporaryFolder();
    const ports: number[] = [];
    {
      await using telegram = await startCrabline('telegram', { recorderPath: join(folder.path, 'telegram') });
      const { botToken, endpoints } = telegram.about;
      const me = await fetch(`${endpoints.apiRoot}/bot${botToken}/getMe`);
      expect(await me.json()).toMatchObject({ ok: true, result: { is_bot: true } });
      await using whatsapp = await startCrabline('whatsapp', { recorderPath: join(folder.path, 'whatsapp') });
      const { accessToken, phoneNumberId, graphVersion, endpoints: graph } = whatsapp.about;
      const number = await fetch(`${new URL(graph.apiRoot).origin}/${graphVersion}/${phoneNumberId}`, {
        headers: { authorization: `Bearer ${accessToken}` },
      });
      expect(await number.json()).toMatchObject({ id: phoneNumberId });
      ports.push(telegram.port, whatsapp.port);
    }
    for (const port of ports) expect(await isGone(port)).toBe(true);
  });

  test('emulate answers for a Twilio account', async () => {
    const account = { sid: `AC${'0'.repeat(32)}`, auth_token: 'twilio_test_auth_token' };
    await using twilio = await startEmulate('twilio', { account });
    const path = `/2010-04-01/Accounts/${account.sid}.json`;
    const get = (token: string) =>
      fetch(twilio.about.url + path, {
        headers: { authorization: `Basic ${btoa(`${account.sid}:${token}`)}` },
      });
    expect(await (await get(account.auth_token)).json()).toMatchObject({ sid: account.sid });
    expect(await get('wrong')).toHaveStatus(401);
  });
});

describe('a published description', needs(CHANNEL_TOOLS, HAS_CHANNEL_TOOLS), () => {
  test('is served by Prism', async () => {
    await using folder = await temporaryFolder();
    const document = join(folder.path, 'twilio.json');
    await writeFile(document, readVendorApi('twilio-api-v2010.json'));
    await using prism = await startPrism(document);
    const path = `/2010-04-01/Accounts/AC${'0'.repeat(32)}/Messages.json`;
    const answer = await fetch(prism.url + path, { method: 'POST' });
    expect([401, 422]).toContain(answer.status);
  });
});
