import { createHmac, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { allowing, startEgress, startHttp } from '../../../test/support/egress.ts';
import type { DriverContext } from '../contract/driver.ts';
import type { IngressOutcome } from '../contract/ingress.ts';
import type { Json } from '../contract/json.ts';
import type { Signal } from '../contract/signal.ts';
import { toFailure } from './errors.ts';
import { twilioDriver } from './twilio.driver.ts';

const SID = `AC${'0'.repeat(32)}`;
const MESSAGE = `SM${'1'.repeat(32)}`;
const TOKEN = '12345';
const URL_OF_INSTANCE = 'https://fairlead.example.com/channels/token';
const SETTINGS = { account_sid: SID, from: '+15551234567' };
const INBOUND = {
  AccountSid: SID,
  MessageSid: MESSAGE,
  From: '+15557654321',
  To: '+15551234567',
  Body: 'Hi & hello',
  NumMedia: '0',
};

const sign = (url: string, form: Record<string, string>, token = TOKEN): string => {
  const fields = Object.keys(form)
    .toSorted()
    .map((name) => name + form[name]);
  return createHmac('sha1', token)
    .update(url + fields.join(''))
    .digest('base64');
};

function receive(
  form: Record<string, string>,
  { signature = '', url = URL_OF_INSTANCE, body = new URLSearchParams(form).toString() } = {},
): IngressOutcome {
  return twilioDriver.ingress!.receive(
    {
      method: 'POST',
      url,
      query: new URL(url).searchParams,
      headers: { 'x-twilio-signature': signature || sign(url, form) },
      body: Buffer.from(body),
      at: new Date(),
    },
    { settings: SETTINGS, credentials: { auth_token: TOKEN } },
  );
}

describe('a webhook', () => {
  test("is verified as Twilio's own example is signed", () => {
    // https://www.twilio.com/docs/usage/webhooks/webhooks-security
    const form = {
      CallSid: 'CA1234567890ABCDE',
      Caller: '+14158675310',
      Digits: '1234',
      From: '+14158675310',
      To: '+18005551212',
    };
    const url = 'https://example.com/myapp.php?foo=1&bar=2';
    const signature = 'L/OH5YylLD5NRKLltdqwSvS0BnU=';
    // The signature is right; the form is no message of this account.
    expect(receive(form, { url, signature })).toMatchObject({ kind: 'refused', code: 'invalid_request' });
  });

  test('is accepted as it was signed, with its port or without', () => {
    for (const url of [URL_OF_INSTANCE, URL_OF_INSTANCE.replace('.com/', '.com:443/')])
      expect(receive(INBOUND, { signature: sign(url, INBOUND) })).toMatchObject({
        kind: 'accepted',
        parts: [{ id: MESSAGE, body: { kind: 'message', from: '+15557654321', text: 'Hi & hello' } }],
        answer: { body: '<Response/>' },
      });
  });

  const signature = sign(URL_OF_INSTANCE, INBOUND);
  test.each<[string, Parameters<typeof receive>]>([
    ['signed with another token', [INBOUND, { signature: sign(URL_OF_INSTANCE, INBOUND, 'other') }]],
    ['with a cut signature', [INBOUND, { signature: signature.slice(0, 10) }]],
    ['without a signature', [INBOUND, { signature: '?' }]],
    ['with a changed field', [{ ...INBOUND, Body: 'other' }, { signature }]],
    ['with a further field', [{ ...INBOUND, MediaUrl0: 'https://example.com' }, { signature }]],
    ['with a cut body', [INBOUND, { signature, body: 'AccountSid=' }]],
    ['at another URL', [INBOUND, { signature, url: 'https://fairlead.example.com/channels/other' }]],
  ])('%s is refused', (_, given) => {
    expect(receive(...given)).toMatchObject({ kind: 'refused', code: 'signature_invalid' });
  });

  test('of another account is refused', () => {
    expect(receive({ ...INBOUND, AccountSid: `AC${'9'.repeat(32)}` })).toMatchObject({
      kind: 'refused',
      code: 'invalid_request',
    });
  });
});

interface Server {
  requests: { path: string; authorization: string | undefined; form: URLSearchParams }[];
  answer: { status: number; body: object };
}

/** Twilio as far as these tests need it. */
async function open(ingressUrl: string | null = URL_OF_INSTANCE) {
  const file = randomBytes(1000);
  const server: Server = { requests: [], answer: { status: 201, body: { sid: MESSAGE } } };
  const { port } = await startHttp((request, response) => {
    void buffer(request).then((body) => {
      const { authorization } = request.headers;
      const path = request.url!;
      server.requests.push({ path, authorization, form: new URLSearchParams(body.toString()) });
      if (path === '/file') response.writeHead(200, { 'content-type': 'image/png' }).end(file);
      else if (path.endsWith('/Media/gone')) response.writeHead(404).end();
      else if (path.includes('/Media/')) response.writeHead(307, { location: '/file' }).end();
      if (response.writableEnded) return;
      const { status, body: answer } = request.method === 'POST' ? server.answer : { status: 200, body: {} };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  const base = `http://127.0.0.1:${port}`;
  const emitted: Signal[] = [];
  const files: Buffer[] = [];
  const context = {
    workspaceId: 'w',
    instanceId: 'i',
    name: 'Support',
    settings: { ...SETTINGS, api_url: base } as Json,
    credentials: { auth_token: TOKEN },
    egress: startEgress({ allow: allowing('127.0.0.1') }),
    position: null,
    log: { debug: () => undefined, warn: () => undefined },
    ingressUrl,
    signal: new AbortController().signal,
    emit: async (signals) => void emitted.push(...signals),
    async receiveFile(source) {
      const bytes = await buffer(source);
      files.push(bytes);
      return { size: bytes.length, sha256: 'x' };
    },
    pairing: () => undefined,
    saveCredentials: async () => undefined,
    ended: () => undefined,
  } satisfies DriverContext;
  const connection = await twilioDriver.open(context);
  return { connection, server, base, emitted, file, files };
}

const { signal } = new AbortController();
const text = {
  id: 'msg_1',
  clientId: 'msg_1',
  chat: { kind: 'direct', key: '+15557654321', address: '+15557654321' },
  type: 'text',
  content: { text: 'Hi', file: null, data: null },
  subject: null,
  threadId: null,
  replyTo: null,
  references: [],
  mentions: [],
  automatic: false,
  attempt: 0,
} as const;

describe('a connection', () => {
  test.each<[number, number, string, string]>([
    [400, 21211, 'rejected', 'recipient_invalid'],
    [400, 21610, 'rejected', 'recipient_unsubscribed'],
    [400, 12345, 'rejected', 'rejected_by_channel'],
    [401, 20003, 'refused', 'authentication_failed'],
    [429, 20429, 'busy', 'rate_limited'],
    [500, 20500, 'unknown', 'no_answer'],
    [503, 20503, 'busy', 'channel_unavailable'],
  ])('that is answered with %i and error %i is %s', async (status, code, kind, named) => {
    const { connection, server } = await open();
    server.answer = { status, body: { code, message: 'because', status } };
    await expect(connection.send(text, signal)).rejects.toMatchObject({ kind, code: named });
  });

  test('says by which number Twilio knows the recipient, if that is another', async () => {
    const { connection, server } = await open();
    const sentTo = async (to: unknown) => {
      server.answer = { status: 201, body: { sid: MESSAGE, to } };
      return (await connection.send(text, signal)).address;
    };
    expect(await sentTo('+55 11 8765-4321')).toBe('+551187654321');
    for (const same of ['+15557654321', undefined, null, 5, '', '+1'])
      expect(await sentTo(same)).toBe(undefined);
  });

  test('asks for statuses with the ID of the message, and understands them', async () => {
    const { connection, server, emitted } = await open();
    await connection.send(text, signal);
    const url = server.requests.at(-1)!.form.get('StatusCallback')!;
    expect(url).toBe(`${URL_OF_INSTANCE}?message=msg_1`);
    const statuses = ['queued', 'sent', 'delivered', 'undelivered'];
    for (const status of statuses) {
      const form = { AccountSid: SID, MessageSid: MESSAGE, MessageStatus: status, ErrorCode: '30003' };
      const outcome = receive(form, { url });
      if (outcome.kind !== 'accepted') throw new Error('the status was refused');
      await connection.receive(outcome.parts, signal);
    }
    expect(emitted).toMatchObject([
      { kind: 'receipt', clientId: 'msg_1', status: 'sent', error: null },
      { kind: 'receipt', clientId: 'msg_1', status: 'delivered' },
      { kind: 'receipt', clientId: 'msg_1', status: 'failed', error: { code: 'recipient_unavailable' } },
    ]);
    expect(toFailure('')).toMatchObject({ code: 'rejected_by_channel' });
  });

  test('registers nothing while it is only checked', async () => {
    const { server } = await open(null);
    expect(server.requests.map(({ form }) => form.size)).toEqual([0]);
  });

  test('downloads files with the token, which it does not give to where they lie', async () => {
    const { connection, server, base, emitted, file, files } = await open();
    const form = {
      ...INBOUND,
      NumMedia: '3',
      MediaUrl0: `${base}/Media/1`,
      MediaContentType0: 'image/png',
      MediaUrl1: `${base}/Media/gone`,
      MediaContentType1: 'application/pdf',
      MediaUrl2: 'not a URL',
      MediaContentType2: 'image/png',
    };
    const outcome = receive(form);
    if (outcome.kind !== 'accepted') throw new Error('the message was refused');
    await connection.receive(outcome.parts, signal);
    expect(emitted).toMatchObject([
      { externalId: MESSAGE, type: 'image', text: 'Hi & hello', file: { received: { size: 1000 } } },
      { externalId: `${MESSAGE}/2`, type: 'document', text: null, file: null },
      { kind: 'unprocessed', reason: 'malformed', type: 'media', raw: { sid: MESSAGE } },
    ]);
    expect(files).toEqual([file]);
    const asked = server.requests.filter(({ path }) => path === '/Media/1' || path === '/file');
    expect(asked.map(({ authorization }) => authorization !== undefined)).toEqual([true, false]);
  });
});
