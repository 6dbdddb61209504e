/**
 * What clients do while servers are replaced one by one: each step goes through whichever server is next, so that what
 * one wrote is read and continued by another. Every answer has to be the usual one, or a 503 of a server that is busy
 * or stops, after which clients try again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, succeeded } from './account.ts';

const PERSON =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
const TARGET = 'https://example.com/there';
const AT_ONCE = 3;
const UNAVAILABLE = 503;
const AGAIN_AFTER_MS = 100;
const AGAIN_WITHIN_MS = 120_000;

export const SCOPES = ['messages:write', 'links:read', 'links:write', 'api_keys:write'];

export interface Done {
  /** Texts of messages that were accepted, in order. */
  messages: string[];
  /** Short link → visits that were answered. */
  visits: Map<string, number>;
  /** Anything but the usual answer. */
  strange: string[];
}

export interface RollingLoad {
  done: Done;
  /** Whoever serves from now on, as a balancer has it. @returns once no call is under way with anybody else, who may stop then */
  setServers(bases: string[]): Promise<void>;
  /** Waits until that many steps more were done. */
  steps(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** @param secret of a key without a rate limit that may all that is in `SCOPES` */
export function startRollingLoad(secret: string, sender: string, to: string): RollingLoad {
  const done: Done = { messages: [], visits: new Map(), strange: [] };
  const links: string[] = [];
  let bases: string[] = [];
  /** Server → calls that are under way with it. */
  const calls = new Map<string, number>();
  let turn = 0;
  let made = 0;
  let running = true;

  const asked = async (ask: (base: string) => Promise<Response>): Promise<Response> => {
    const base = bases[turn++ % bases.length]!;
    const count = (by: number) => calls.set(base, (calls.get(base) ?? 0) + by);
    count(1);
    try {
      const answer = await ask(base);
      await answer.clone().arrayBuffer();
      return answer;
    } finally {
      count(-1);
    }
  };
  const patiently = async (ask: (base: string) => Promise<Response>): Promise<Response> => {
    const deadline = performance.now() + AGAIN_WITHIN_MS;
    for (;;) {
      const answer = await asked(ask);
      if (answer.status !== UNAVAILABLE || performance.now() > deadline) return answer;
      await delay(AGAIN_AFTER_MS);
    }
  };
  const withKey =
    (key: string): Caller =>
    (method, path, body) =>
      patiently((base) =>
        fetch(`${base}/api/v1${path}`, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            ...(body ? { 'content-type': 'application/json' } : {}),
            ...(method === 'POST' ? { 'idempotency-key': JSON.stringify([path, body]).slice(0, 250) } : {}),
          },
          ...(body ? { body: JSON.stringify(body) } : {}),
        }),
      );
  const call = withKey(secret);
  const json = async (answer: Promise<Response>) =>
    (await (await succeeded(await answer)).json()) as { id: string; secret: string };

  /** The same request twice, as one whose answer was lost: the second may come to another server. */
  async function twice(path: string, body: object): Promise<void> {
    const [first, second] = [await json(call('POST', path, body)), await json(call('POST', path, body))];
    if (first.id !== second.id) throw new Error(`${path} was done twice: ${first.id} and ${second.id}`);
  }
  async function visit(slug: string): Promise<void> {
    const answer = await patiently((base) =>
      fetch(`${base}/${slug}`, { redirect: 'manual', headers: { 'user-agent': PERSON } }),
    );
    if (answer.headers.get('location') !== TARGET) throw new Error(`/${slug}: ${answer.status}`);
    done.visits.set(slug, (done.visits.get(slug) ?? 0) + 1);
  }
  async function step(n: number): Promise<void> {
    const text = `line ${n}`;
    await twice('/messages', { instance_id: sender, to, type: 'text', text: { body: text } });
    done.messages.push(text);
    if (n % 4 === 0) {
      await twice('/links', { url: TARGET, slug: `rolling-${n}` });
      links.push(`rolling-${n}`);
    }
    if (links.length) await visit(links[n % links.length]!);
    if (n % 10 === 0) {
      // A key that one server made is known to the next, and to none once it is revoked.
      const key = await json(call('POST', '/api-keys', { name: text, scopes: ['links:read'] }));
      await json(withKey(key.secret)('GET', '/me'));
      await json(call('POST', `/api-keys/${key.id}/revoke`));
    }
  }
  const worker = async (): Promise<void> => {
    while (running) {
      const n = made++;
      await step(n).catch((error: unknown) => void done.strange.push((error as Error).message));
    }
  };
  let workers: Promise<void>[] = [];
  return {
    done,
    async setServers(given) {
      bases = given;
      if (!workers.length) workers = Array.from({ length: AT_ONCE }, worker);
      while ([...calls].some(([base, count]) => count > 0 && !bases.includes(base))) await delay(5);
    },
    async steps(count) {
      const until = made + count;
      while (made < until) await delay(20);
    },
    async stop() {
      running = false;
      await Promise.all(workers);
    },
  };
}
