/**
 * A workspace in which everything that waits for a time is in use, and a probe that all of it moves within seconds: sends,
 * deliveries and their retries, rules, publications, and messages for later.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Account, openAccount, succeeded } from './account.ts';
import { connectInstance } from './messaging-worlds.ts';
import { untilWithin } from './until.ts';

/** Far longer than anything takes, and shorter than the smallest step of a clock. */
const until = untilWithin({ withinMs: 120_000, everyMs: 50 });

export const ALL_WORK = [
  'a message, its delivery and its rule',
  'a publication',
  'a delayed publication',
  'a scheduled message',
];
export const RETRIED = ['/webhook', '/rule'];

export interface ClockWorld extends AsyncDisposable {
  /** Two instances that write to each other, and the second one's ID. */
  account: Account;
  instances: { anna: string; dora: string };
  /**
   * Starts work of each kind and waits for its end.
   * @param label different for each probe
   * @returns `ALL_WORK`
   */
  probe(label: string): Promise<string[]>;
  /** Starts work of each kind that waits for a retry. Resolves once the first try has failed. */
  leaveRetries(label: string): Promise<void>;
  /** Waits for the end of what `leaveRetries` started. @returns `RETRIED` */
  retried(label: string): Promise<string[]>;
}

/** Path → bodies that were answered 200, and 500. */
type Calls = Record<'taken' | 'refused', Map<string, string[]>>;

async function startReceiver() {
  const calls: Calls = { taken: new Map(), refused: new Map() };
  let refuses = (_path: string, _body: string): boolean => false;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const path = request.url!;
      const isRefused = refuses(path, body);
      const bodies = calls[isRefused ? 'refused' : 'taken'];
      bodies.set(path, [...(bodies.get(path) ?? []), body]);
      response.statusCode = isRefused ? 500 : 200;
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Whether a call with the label in its body was answered so. */
    has: (how: keyof Calls, path: string, label: string): boolean =>
      (calls[how].get(path) ?? []).some((body) => body.includes(label)),
    refuse(decide: typeof refuses) {
      refuses = decide;
    },
    close: () => server.close(),
  };
}

/** @param base of a server that lets anybody sign up and call 127.0.0.1 */
export async function openClockWorld(base: string): Promise<ClockWorld> {
  const receiver = await startReceiver();
  const account = await openAccount(base);
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
  const ask = async (method: string, path: string, body?: unknown): Promise<any> => {
    // A database's clock is set with all tables locked, for which a call may not wait.
    let answer!: Response;
    await until(
      `${method} ${path}`,
      async () => (answer = await account.call(method, path, body)).status !== 503,
    );
    return (await succeeded(answer)).json();
  };

  const sandbox = (name: string) =>
    connectInstance(account, { name, channel: 'sandbox', settings: { replies: false } });
  const instances = { anna: await sandbox('anna'), dora: await sandbox('dora') };
  await ask('POST', '/webhooks', { url: `${receiver.base}/webhook`, events: ['message.received'] });
  await ask('POST', '/rules', {
    name: 'calls',
    events: ['message.received'],
    actions: [{ type: 'call_webhook', url: `${receiver.base}/rule` }],
    rate_limit: { limit: 600, burst: 600 },
  });
  const endpoint = async (more: object): Promise<string> =>
    (
      await ask('POST', '/publishing-endpoints', {
        name: 'news',
        auth: { type: 'bearer' },
        destinations: [{ instance_id: instances.anna, to: 'dora', template: '{{ payload.text }}' }],
        ...more,
      })
    ).id;
  const endpoints = { now: await endpoint({}), later: await endpoint({ schedule: { delay_seconds: 1 } }) };

  const send = (label: string, more: object = {}) =>
    ask('POST', '/messages', {
      instance_id: instances.anna,
      to: 'dora',
      type: 'text',
      text: { body: label },
      ...more,
    });
  const delivered = ({ id }: { id: string }, what: string): Promise<void> =>
    until(`${what} is delivered`, async () => (await ask('GET', `/messages/${id}`)).status === 'delivered');
  const called = (path: string, label: string): Promise<void> =>
    until(`${path} is called for ${label}`, () => receiver.has('taken', path, label));
  const published = async (id: string, label: string): Promise<void> => {
    const publication = await ask('POST', `/publish/${id}`, { text: label });
    await until(
      `${label} is published`,
      async () => (await ask('GET', `/publications/${publication.id}`)).status === 'published',
    );
    await called('/webhook', label);
  };

  return {
    account,
    instances,
    async probe(label) {
      const moving: Promise<void>[] = [
        send(`${label} message`).then(async (message) => {
          await delivered(message, label);
          for (const path of RETRIED) await called(path, `${label} message`);
        }),
        published(endpoints.now, `${label} publication`),
        published(endpoints.later, `${label} delayed publication`),
        send(`${label} scheduled`, { scheduled_at: new Date(Date.now() + 1_500).toISOString() }).then(
          (message) => delivered(message, `${label}, scheduled`),
        ),
      ];
      await Promise.all(moving);
      return moving.map((_, nth) => ALL_WORK[nth]!);
    },
    async leaveRetries(label) {
      receiver.refuse((_path, body) => body.includes(label));
      await send(label);
      for (const path of RETRIED)
        await until(`${path} refuses ${label}`, () => receiver.has('refused', path, label));
      receiver.refuse(() => false);
    },
    async retried(label) {
      await Promise.all(RETRIED.map((path) => called(path, label)));
      return [...RETRIED];
    },
    async [Symbol.asyncDispose]() {
      receiver.close();
    },
  };
}
