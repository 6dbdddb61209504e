/**
 * Callers of two nodes who send messages, create links, publish and call a model, and visitors who follow a link, while the
 * database fails. A caller sends a call again under its Idempotency-Key, to the other node, until it is acknowledged.
 */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Account, openAccount, succeeded } from '../account.ts';

/** Between two calls of one kind. */
const EVERY_MS = 100;
const RETRY_MS = 200;
const CALL_TIMEOUT_MS = 20_000;
/** No database now; the first try still runs. */
const EXPECTED = new Set([503, 409]);
const ANSWER = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'small',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi!' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});

export interface FailoverLoad {
  account: Account;
  instance: string;
  /** Slug of the link that is followed. */
  slug: string;
  webhook: string;
  /** IDs that were acknowledged, by kind of call. */
  acknowledged: { messages: Set<string>; links: Set<string>; publications: Set<string> };
  /** Model calls that got a response. */
  answered: number;
  /** Visits that were redirected, and such as were not, in words. */
  redirected: number;
  lostVisits: string[];
  /** `webhook-id` of what came to the webhook → how often. */
  delivered: Map<string, number>;
  /** Calls that were sent more than once. */
  resent: number;
  /** Answers that were neither a success nor a refusal to be expected. */
  strange: string[];
  /** Resolves with the ms until the next write that begins now is acknowledged. */
  nextWrite(): Promise<number>;
  /** Resolves once no call is left. The webhook and the provider stay. */
  stop(): Promise<void>;
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** @param bases of the nodes */
export async function startLoad(bases: readonly string[]): Promise<FailoverLoad> {
  const delivered = new Map<string, number>();
  const outside = createServer((request, response) => {
    const id = request.headers['webhook-id'];
    if (typeof id === 'string') delivered.set(id, (delivered.get(id) ?? 0) + 1);
    request.resume();
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(ANSWER);
    });
  });
  const outsideUrl = await listen(outside);

  const account = await openAccount(bases[0]!);
  const create = async (path: string, body: object): Promise<{ id: string; slug: string }> =>
    (await (await succeeded(await account.call('POST', path, body))).json()) as { id: string; slug: string };
  const instance = (
    await create('/instances', { name: 'Sandbox', channel: 'sandbox', settings: { replies: false } })
  ).id;
  await succeeded(await account.call('POST', `/instances/${instance}/connect`, {}));
  const endpoint = await create('/publishing-endpoints', {
    name: 'Endpoint',
    auth: { type: 'bearer' },
    destinations: [{ instance_id: instance, to: 'bob', template: '{{ payload.title }}' }],
  });
  await create('/model-providers', {
    kind: 'openai_compatible',
    name: 'Models',
    slug: 'models',
    base_url: `${outsideUrl}/v1`,
    models: [{ id: 'small' }],
  });
  const { slug } = await create('/links', { url: 'https://example.com/' });
  const { id: webhook } = await create('/webhooks', { url: `${outsideUrl}/hook`, events: ['*'] });
  const { secret } = await account.createKey();

  let isStopped = false;
  let turn = 0;
  const nextBase = (): string => bases[(turn += 1) % bases.length]!;
  const load: FailoverLoad = {
    account,
    instance,
    slug,
    webhook,
    acknowledged: { messages: new Set(), links: new Set(), publications: new Set() },
    answered: 0,
    redirected: 0,
    lostVisits: [],
    delivered,
    resent: 0,
    strange: [],
    async nextWrite() {
      const began = performance.now();
      await write('links', '/links', { url: 'https://example.com/next' }, `next-${began}`);
      return performance.now() - began;
    },
    async stop() {
      isStopped = true;
      await Promise.all(running);
    },
  };

  const post = async (
    path: string,
    body: object,
    key: string | null,
  ): Promise<{ status: number; body: { id: string } } | null> =>
    fetch(`${nextBase()}/api/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        ...(key !== null && { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    }).then(
      async (response) => ({ status: response.status, body: (await response.json()) as { id: string } }),
      () => null,
    );
  async function write(
    kind: keyof FailoverLoad['acknowledged'],
    path: string,
    body: object,
    key: string,
  ): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      const answer = await post(path, body, key);
      if (answer && answer.status < 300) {
        load.acknowledged[kind].add(answer.body.id);
        if (tries) load.resent += 1;
        return;
      }
      if (answer && !EXPECTED.has(answer.status))
        load.strange.push(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      await delay(RETRY_MS);
    }
  }
  const keepOn = async (call: (nth: number) => Promise<void>): Promise<void> => {
    for (let nth = 0; !isStopped; nth += 1) {
      await call(nth);
      await delay(EVERY_MS);
    }
  };
  const running = [
    keepOn((nth) =>
      write(
        'messages',
        '/messages',
        { instance_id: instance, to: 'alice', type: 'text', text: { body: `m ${nth}` } },
        `m-${nth}`,
      ),
    ),
    keepOn((nth) => write('links', '/links', { url: `https://example.com/${nth}` }, `l-${nth}`)),
    keepOn((nth) => write('publications', `/publish/${endpoint.id}`, { title: `p ${nth}` }, `p-${nth}`)),
    keepOn(async () => {
      const answer = await post(
        '/chat/completions',
        { model: 'models/small', messages: [{ role: 'user', content: 'Hi' }] },
        null,
      );
      if (answer?.status === 200) load.answered += 1;
      else if (answer && !EXPECTED.has(answer.status))
        load.strange.push(`/chat/completions: ${answer.status} ${JSON.stringify(answer.body)}`);
    }),
    keepOn(async () => {
      const answer = await fetch(`${nextBase()}/${slug}`, {
        redirect: 'manual',
        signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      }).catch((error: unknown) => String(error));
      if (typeof answer !== 'string' && answer.status === 302) load.redirected += 1;
      else load.lostVisits.push(typeof answer === 'string' ? answer : String(answer.status));
    }),
  ];
  return load;
}
