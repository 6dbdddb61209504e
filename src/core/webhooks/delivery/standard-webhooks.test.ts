/** Deliveries of the running product, verified by the library that receivers use: `standardwebhooks`. */
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { unitsFor, writeEvent } from '../../../../test/support/events/outbox.ts';
import { toUuid } from '../../vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { type Received, type Receiver, startReceiver } from '../../../../test/support/webhooks.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Non-ASCII characters, and those that end scripts, lines and strings elsewhere. */
const NAME = 'Schlüssel 灯台 🚢 "quoted" \\ \u2028 </script>';
const OWN = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
const receivers: Receiver[] = [];

beforeAll(async () => {
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
  home = await startWorkspace(app);
});
afterAll(async () => {
  await app.stop();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

const post = async (path: string, body: object = {}) => {
  const answer = await app.call(path, { key: home.key, method: 'POST', body });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
};

/** A webhook with a receiver of its own, which answers with these statuses, then 200. */
async function hook(body: object = {}, statuses: number[] = []) {
  const receiver = await startReceiver(() => statuses.shift() ?? 200);
  receivers.push(receiver);
  const { id, secret } = await post('/webhooks', { url: receiver.url, events: ['api_key.created'], ...body });
  return {
    path: `/webhooks/${id}`,
    uuid: toUuid('webhook', id)!,
    secret: secret as string,
    received: receiver.received,
    /** Returns the next request that arrives after those so far. */
    next: async (act: () => Promise<unknown>): Promise<Received> => {
      const before = receiver.received.length;
      await act();
      await vi.waitFor(() => expect(receiver.received).toHaveLength(before + 1), PATIENCE);
      return receiver.received.at(-1)!;
    },
  };
}

const makeKey = async () => {
  const made = await home.owner.call('/api-keys', {
    workspace: home.workspace,
    body: { name: NAME, scopes: ['events:read'] },
  });
  expect(made).toHaveStatus(201);
};

/**
 * Verifies a delivery with the library.
 * @throws WebhookVerificationError
 */
const verify = (secret: string, { headers, body }: Received) =>
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any event
  new Webhook(secret).verify(body, headers as Record<string, string>) as any;
const expectRefused = (secret: string, received: Received) =>
  expect(() => verify(secret, received)).toThrow(WebhookVerificationError);
const getSignatures = ({ headers }: Received) => String(headers['webhook-signature']).split(' ');

/** The signed time is the time of the attempt, in seconds of this machine's clock. */
function expectFresh({ headers, at }: Received): void {
  const arrived = (performance.timeOrigin + at) / 1000;
  expect(Math.abs(arrived - Number(headers['webhook-timestamp']))).toBeLessThan(2);
}

describe('a delivery verifies', () => {
  test('at the first attempt, and is the event that the API shows', async () => {
    const { secret, next } = await hook();
    const received = await next(makeKey);
    const event = verify(secret, received);
    expect(received.headers).toMatchObject({ 'webhook-id': event.id, 'content-type': 'application/json' });
    expect(getSignatures(received)).toHaveLength(1);
    expectFresh(received);
    expect(event.data.object.name).toBe(NAME);
    expect((await app.call(`/events/${event.id}`, { key: home.key })).body).toEqual(event);
  });

  test('at each retry, with the same ID and a time of its own', async () => {
    const { secret, received, next } = await hook({}, [500]);
    const first = await next(makeKey);
    await vi.waitFor(() => expect(received).toHaveLength(2), PATIENCE);
    const second = received[1]!;
    for (const one of [first, second]) {
      expect(verify(secret, one).data.object.name).toBe(NAME);
      expectFresh(one);
    }
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(second.body).toBe(first.body);
    expect(second.at - first.at).toBeGreaterThan(3_900);
    expect(second.headers['webhook-timestamp']).not.toBe(first.headers['webhook-timestamp']);
    expect(second.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
  });

  test('when it is asked for again after a rotation, by both secrets', async () => {
    const { path, secret, received, next } = await hook();
    await next(makeKey);
    const rotated = await post(`${path}/rotate-secret`);
    const delivery = await vi.waitFor(async () => {
      const { body } = await app.call(`${path}/deliveries`, { key: home.key });
      expect(body.data[0].status).toBe('succeeded');
      return body.data[0].id as string;
    }, PATIENCE);
    const again = await next(() => post(`/deliveries/${delivery}/retry`));
    expect(again.headers['webhook-id']).toBe(received[0]!.headers['webhook-id']);
    for (const one of [secret, rotated.secret])
      expect(verify(one, again)).toEqual(verify(secret, received[0]!));
  });

  test.each([
    ['24 bytes', OWN],
    ['64 bytes', `whsec_${Buffer.alloc(64, 0xfb).toString('base64')}`],
  ])('by a secret of %s that the caller brought', async (_name, own) => {
    const { secret, next } = await hook({ secret: own });
    expect(secret).toBe(own);
    const received = await next(makeKey);
    expect(verify(own, received).data.object.name).toBe(NAME);
    expectRefused(own === OWN ? `whsec_${Buffer.alloc(24, 1).toString('base64')}` : OWN, received);
  });

  test('with the most data that an event may hold, and with more, which is cut', async () => {
    const { secret, next } = await hook({ events: ['member.updated'] });
    const send = (text: string) =>
      next(() =>
        writeEvent(unitsFor(app.database.db), toUuid('workspace', home.workspace)!, {
          type: 'member.updated',
          more: { text },
        }),
      );
    const getSize = (value: object) => Buffer.byteLength(JSON.stringify(value));
    const capacity = 256 * 1024 - getSize(verify(secret, await send('')).data);
    const whole = verify(secret, await send('ü'.repeat(Math.floor(capacity / 2)) + 'x'.repeat(capacity % 2)));
    expect([whole.truncated, getSize(whole.data)]).toEqual([false, 256 * 1024]);
    const cut = verify(secret, await send('ü'.repeat(capacity)));
    expect(cut.truncated).toBe(true);
    expect(getSize(cut.data)).toBeLessThanOrEqual(256 * 1024);
  });
});

describe('a rotated secret', () => {
  test.each([
    ['that is made', {}],
    ['that the caller brought', { secret: OWN }],
  ])('%s signs beside the one before for a day, then alone', async (_name, body) => {
    const { path, uuid, secret: before, next } = await hook();
    const { secret: after, previous_secret_expires_at } = await post(`${path}/rotate-secret`, body);
    expect(after).not.toBe(before);
    expect(Math.abs(Date.parse(previous_secret_expires_at) - Date.now() - DAY_MS)).toBeLessThan(60_000);

    // A process reads a cached webhook again after a change, or after a minute.
    const goOn = async (time: string): Promise<string | null> => {
      await app.database.pool.query(
        'update webhooks set previous_secret_until = previous_secret_until - $2::interval where id = $1',
        [uuid, time],
      );
      const description = `${time} later`;
      const changed = await app.call(path, { key: home.key, method: 'PATCH', body: { description } });
      expect(changed).toHaveStatus(200);
      return changed.body.previous_secret_expires_at;
    };
    for (const time of ['0 s', '23 h 59 min']) {
      expect(await goOn(time)).not.toBeNull();
      const during = await next(makeKey);
      expect(getSignatures(during)).toHaveLength(2);
      for (const one of [before, after]) expect(verify(one, during).data.object.name).toBe(NAME);
    }
    expect(await goOn('61 s')).toBeNull();
    const later = await next(makeKey);
    expect(getSignatures(later)).toHaveLength(1);
    expect(verify(after, later).data.object.name).toBe(NAME);
    expectRefused(before, later);
  });

  test('ends the one before the one before at once', async () => {
    const { path, secret: first, next } = await hook();
    const { secret: second } = await post(`${path}/rotate-secret`);
    const { secret: third } = await post(`${path}/rotate-secret`);
    const received = await next(makeKey);
    for (const one of [second, third]) expect(verify(one, received).data.object.name).toBe(NAME);
    expectRefused(first, received);
  });
});

describe('the library refuses', () => {
  let secret: string;
  let genuine: Received;
  beforeAll(async () => {
    const made = await hook();
    secret = made.secret;
    genuine = await made.next(makeKey);
  });

  test.each([
    ['one letter of the body', (one: Received) => ({ body: one.body.replace('灯', '火') })],
    ['a blank after the body', (one: Received) => ({ body: `${one.body} ` })],
    ['its id', () => ({ headers: { 'webhook-id': 'evt_01h2xcejqtf2nbrexx3vqjhp41' } })],
    [
      'its time',
      (one: Received) => ({
        headers: { 'webhook-timestamp': `${Number(one.headers['webhook-timestamp']) + 1}` },
      }),
    ],
    ['no signature', () => ({ headers: { 'webhook-signature': '' } })],
  ])('a delivery with %s changed', (_name, change: (one: Received) => Partial<Received>) => {
    const { headers, body = genuine.body } = change(genuine);
    expect(body !== genuine.body || headers).toBeTruthy();
    expect(verify(secret, genuine).type).toBe('api_key.created');
    expectRefused(secret, { ...genuine, body, headers: { ...genuine.headers, ...headers } });
  });
});
