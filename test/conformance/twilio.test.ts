/** What every driver must do, by Twilio as `emulate` plays it; and that Twilio's own description allows each request. */
import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connection } from '../../src/channels/contract/connection.ts';
import { twilioDriver } from '../../src/channels/twilio/twilio.driver.ts';
import { createEgress, type Egress } from '../../src/platform/egress/egress.ts';
import {
  CHANNEL_TOOLS,
  HAS_CHANNEL_TOOLS,
  readVendorApi,
  startPrism,
} from '../support/channels/channel-tools.ts';
import { startTwilioHarness } from '../support/channels/twilio/twilio-harness.ts';
import { allowing } from '../support/egress.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import type { Peer } from './suite/harness.ts';
import { newStore, recordedContext } from './suite/recorded-context.ts';
import { getOutbound } from './suite/samples.ts';
import { describeDriver } from './suite/suite.ts';
import { getMessageTypes, never } from './suite/world.ts';

interface Schema {
  items?: Schema;
}
interface Operation {
  requestBody: { content: Record<string, { schema: { properties: Record<string, Schema> } }> };
}
interface Description {
  paths: Record<string, { post?: Operation }>;
}

/**
 * Writes the part of Twilio's description that the driver uses, which Prism loads much faster. Prism reads a form parameter
 * that occurs once as a string, even where the description has an array.
 */
async function describeMessaging(folder: string): Promise<string> {
  const given = JSON.parse(readVendorApi('twilio-api-v2010.json')) as Description;
  const paths = Object.entries(given.paths).filter(([path]) =>
    /\/(Messages|IncomingPhoneNumbers|IncomingPhoneNumbers\/\{Sid\})\.json$/.test(path),
  );
  const messages = paths.find(([path]) => path.endsWith('/Messages.json'))![1];
  const { properties } = messages.post!.requestBody.content['application/x-www-form-urlencoded']!.schema;
  properties['MediaUrl'] = properties['MediaUrl']!.items!;
  const path = join(folder, 'twilio.json');
  await writeFile(path, JSON.stringify({ ...given, paths: Object.fromEntries(paths) }));
  return path;
}

describe('conformance', needs(CHANNEL_TOOLS, HAS_CHANNEL_TOOLS), () => {
  describeDriver('twilio', startTwilioHarness, process.env['CONFORMANCE'] === 'write');
});

describe('requests', needs(CHANNEL_TOOLS, HAS_CHANNEL_TOOLS), () => {
  let folder: TemporaryFolder;
  let prism: Awaited<ReturnType<typeof startPrism>>;
  let egress: Egress;
  beforeAll(async () => {
    folder = await temporaryFolder();
    prism = await startPrism(await describeMessaging(folder.path), false);
    egress = createEgress({ allow: allowing('127.0.0.1') });
  });
  afterAll(async () => {
    await egress?.close();
    await prism?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const open = async (from: string): Promise<Connection> => {
    const account = {
      workspaceId: randomUUID(),
      instanceId: randomUUID(),
      name: from,
      settings: { account_sid: `AC${'a'.repeat(32)}`, from, api_url: prism.url },
      credentials: { auth_token: 'any' },
      address: from,
    };
    const context = recordedContext({ egress }, account, newStore(account));
    // The number of the description's example, so that its webhook is set, too.
    return twilioDriver.open({ ...context, ingressUrl: 'https://fairlead.example.com/channels/token' });
  };

  test.each(['+18089255327', `MG${'a'.repeat(32)}`])('from %s are as Twilio describes them', async (from) => {
    const connection = await open(from);
    const address = '+14155552345';
    const peer = { address, chat: { kind: 'direct', key: address, address } } as Peer;
    const capabilities = twilioDriver.capabilities({});
    for (const type of getMessageTypes(capabilities)) {
      const message = getOutbound(peer, type, randomBytes(100), true);
      expect(await connection.send(message, never())).toMatchObject({
        externalId: expect.stringMatching(/^(SM|MM)/),
      });
    }
    await connection.probe(never());
    await connection.close();
  });

  test('that Twilio does not describe are refused', async () => {
    const path = `/2010-04-01/Accounts/AC${'a'.repeat(32)}/Messages.json`;
    const post = async (form: Record<string, string>): Promise<number> => {
      const headers = { authorization: `Basic ${btoa('a:b')}` };
      const body = new URLSearchParams(form);
      return (await fetch(prism.url + path, { method: 'POST', headers, body })).status;
    };
    expect(await post({ To: '+14155552345', Body: 'Hi' })).toBe(201);
    expect(await post({ Body: 'Hi' })).toBe(422);
    expect(await post({ To: '+14155552345', Body: 'Hi', MessagingServiceSid: 'no SID' })).toBe(422);
  });
});
