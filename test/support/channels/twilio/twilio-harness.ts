/** Twilio for the conformance suite: the emulator `emulate`, whose simulator plays the telephones. */
import { randomInt, randomUUID } from 'node:crypto';
import { twilioDriver } from '../../../../src/channels/twilio/twilio.driver.ts';
import { createEgress } from '../../../../src/platform/egress/egress.ts';
import type { Harness, Peer, Sight, TestAccount } from '../../../conformance/suite/harness.ts';
import { sha256 } from '../../../conformance/suite/samples.ts';
import { allowing } from '../../egress.ts';
import { PATIENCE } from '../../patience.ts';
import { startEmulate, toolVersion } from '../channel-tools.ts';
import { startFileServer } from '../file-server.ts';
import { startStoredIngress } from '../stored-ingress.ts';

const SID = `AC${'0'.repeat(31)}1`;
const TOKEN = 'twilio_test_auth_token';
const ACCOUNT = `/2010-04-01/Accounts/${SID}`;

interface TwilioMessage {
  sid: string;
  body: string | null;
  num_media: string;
}

const toNumber = (): string => `+1555${randomInt(1_000_000, 9_999_999)}`;

export async function startTwilioHarness(): Promise<Harness & { stop(): Promise<void> }> {
  const seed = { account: { sid: SID, auth_token: TOKEN } };
  let emulator = await startEmulate('twilio', seed);
  const { port } = emulator;
  const { url } = emulator.about;
  const files = await startFileServer();
  const ingress = await startStoredIngress(twilioDriver);
  const egress = createEgress({ allow: allowing('127.0.0.1'), limits: { keepAliveMs: 10 } });
  const workspaceId = randomUUID();
  const numbers: string[] = [];

  const call = async <T>(path: string, form?: Record<string, string>): Promise<T> => {
    const answer = await fetch(url + path, {
      method: form ? 'POST' : 'GET',
      headers: { authorization: `Basic ${btoa(`${SID}:${TOKEN}`)}`, connection: 'close' },
      body: form && new URLSearchParams(form),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const buy = (number: string) => call(`${ACCOUNT}/IncomingPhoneNumbers.json`, { PhoneNumber: number });

  const makeAccount = async (apiUrl = url): Promise<TestAccount> => {
    const from = toNumber();
    numbers.push(from);
    await buy(from);
    return {
      workspaceId,
      instanceId: randomUUID(),
      name: from,
      settings: { account_sid: SID, from, api_url: apiUrl },
      credentials: { auth_token: TOKEN },
      address: from,
    };
  };

  async function toSight({ sid, body, num_media }: TwilioMessage): Promise<Sight> {
    const about = {
      kind: 'message' as const,
      externalId: sid,
      text: body,
      data: null,
      replyTo: null,
      mentions: [],
    };
    if (num_media === '0') return { ...about, type: 'text', file: null };
    const { media_list } = await call<{ media_list: { uri: string }[] }>(
      `${ACCOUNT}/Messages/${sid}/Media.json`,
    );
    const file = await fetch(media_list[0]!.uri, { headers: { connection: 'close' } });
    const family = file.headers.get('content-type')!.split('/')[0]!;
    const type = family === 'application' ? 'document' : (family as 'image');
    return { ...about, type, file: sha256(Buffer.from(await file.arrayBuffer())) };
  }

  const makePeer = async (): Promise<Peer> => {
    const address = toNumber();
    return {
      address,
      chat: { kind: 'direct', key: address, address },
      async seen() {
        const query = new URLSearchParams({ To: address, PageSize: '1000' });
        const { messages } = await call<{ messages: TwilioMessage[] }>(
          `${ACCOUNT}/Messages.json?${query.toString()}`,
        );
        return Promise.all(messages.toReversed().map(toSight));
      },
      sends: ['text'],
      async send(to, { text }) {
        const form = { From: address, To: to.address, Body: text ?? '' };
        return (await call<TwilioMessage>('/_twilio/simulate/inbound-message', form)).sid;
      },
      async markDelivered(_to, sid) {
        await call('/_twilio/simulate/message-status', { MessageSid: sid, Status: 'delivered' });
      },
    };
  };

  return {
    driver: {
      ...twilioDriver,
      async open(context) {
        const connection = await ingress.open(context);
        return {
          ...connection,
          send: (message, signal) => connection.send(files.withFileUrl(message), signal),
        };
      },
    },
    egress,
    makeAccount: () => makeAccount(),
    makePeer,
    refused: (account) => ({ ...account, credentials: { auth_token: 'wrong' } }),
    keptConnection: null,
    makeSlowAccount: () => makeAccount(files.silentUrl),
    // Too short for any telephone: error 21201.
    unknownAddress: '+123456',
    server: {
      stop: async () => emulator[Symbol.asyncDispose](),
      async start() {
        emulator = await startEmulate('twilio', seed, port);
        for (const number of numbers) await buy(number);
      },
    },
    versions: async () => ({ 'the emulator': `${await toolVersion('emulate')} (not Twilio)` }),
    sameAddresses: [
      ['+15551234567', 'tel:+1 (555) 123-4567'],
      ['+49301234567', '0049 30 1234567'],
    ],
    badAddresses: [
      '030 1234567',
      '+0123456789',
      '+1234567890123456',
      'ada@example.com',
      'a sender of an SMS',
    ],
    patience: PATIENCE.timeout,
    async stop() {
      await egress.close();
      await emulator[Symbol.asyncDispose]();
      await ingress[Symbol.asyncDispose]();
      await files[Symbol.asyncDispose]();
    },
  };
}
