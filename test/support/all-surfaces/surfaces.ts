/** The surfaces that are put under load, each at a rate of its own; what they are answered goes into the ledger. */
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { consoleCalls } from './console-calls.ts';
import { getPhase } from './ledger.ts';
import type { AllWorld } from './world.ts';

const CONNECTIONS = 64;
/** One pool for each surface, one for streams. */
const POOLS = 6;
/** That all surfaces may open. */
export const MAX_CONNECTIONS = POOLS * CONNECTIONS;
const ANSWER_WITHIN_MS = 60_000;
/** A visitor who is told to try again does, and waits on. */
const MAX_TRIES = 20;
const AGAIN_AFTER_MS = 250;
const CHATS = 100;
/** Of the console's calls, every how manieth opens a stream. */
const STREAM_EVERY = 20;
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Requests a second. */
export interface Rates {
  redirects: number;
  sends: number;
  changes: number;
  publishing: number;
  console: number;
}

export interface Surface {
  name: keyof Rates;
  /** One request. @param n its number over all phases. @throws Error when it isn't answered as it must be */
  call(n: number, planned: number, phase: string): Promise<void>;
}

export interface Surfaces extends AsyncDisposable {
  all: Surface[];
  /** Ends the connections; can be called again. */
  close(): Promise<void>;
}

/** Alike for all that are refused alike, so that they are counted together. */
const inWords = (path: string): string =>
  path
    .replace(/[a-z]+_[0-9a-z]{26}/g, '{id}')
    .replace(/^\/in\/.*/, '/in/…')
    .replace(/^\/[^/]+$/, '/{slug}');

function refusalIn(text: string): string {
  if (!text.startsWith('{')) return text.slice(0, 200);
  const { code, detail } = JSON.parse(text) as { code?: string; detail?: string };
  return `${code}: ${detail}`;
}

export async function openSurfaces(world: AllWorld): Promise<Surfaces> {
  const { base, ledger, session, key, instance, followed, changed, publish } = world;
  const pools: Pool[] = [];
  const open = (): Pool => {
    const pool = new Pool(base, {
      connections: CONNECTIONS,
      headersTimeout: ANSWER_WITHIN_MS,
      bodyTimeout: ANSWER_WITHIN_MS,
    });
    pools.push(pool);
    return pool;
  };
  const asker = () => {
    const pool = open();
    return async (
      method: 'GET' | 'POST' | 'PATCH',
      path: string,
      wanted: number,
      headers: Record<string, string>,
      body?: object,
    ): Promise<string> => {
      const ask = async () => {
        const answer = await pool.request({
          method,
          path,
          headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
          body: body ? JSON.stringify(body) : null,
        });
        return { status: answer.statusCode, text: await answer.body.text() };
      };
      let { status, text } = await ask();
      // A write that is refused for a lock says that it changed nothing.
      const mayAskAgain = () => status === 503 && (method === 'GET' || text.includes('Nothing was changed'));
      for (let tries = 1; mayAskAgain() && tries < MAX_TRIES; tries++) {
        ledger.refused++;
        await delay(AGAIN_AFTER_MS);
        ({ status, text } = await ask());
      }
      if (status !== wanted) throw new Error(`${method} ${inWords(path)}: ${status} ${refusalIn(text)}`);
      return text;
    };
  };
  const getId = (text: string): string => (JSON.parse(text) as { id: string }).id;

  const visit = asker();
  const send = asker();
  const change = asker();
  const post = asker();
  const read = asker();
  const streams = open();
  const calls = await consoleCalls(world);

  /** A page that is opened and left again. */
  const openStream = async (): Promise<void> => {
    const { statusCode, body } = await streams.request({
      method: 'GET',
      path: '/api/v1/events/stream?type=instance.*',
      headers: session,
    });
    // What breaks it off is this very end.
    body.on('error', () => undefined).destroy();
    if (statusCode !== 200) throw new Error(`a stream: ${statusCode}`);
  };

  const all: Surface[] = [
    {
      name: 'redirects',
      async call(n) {
        const { slug } = followed[(n * 7919) % followed.length]!;
        await visit('GET', `/${slug}`, 302, { 'user-agent': BROWSER });
        ledger.redirects++;
      },
    },
    {
      name: 'sends',
      async call(n, planned, phase) {
        const body = {
          instance_id: instance,
          to: `contact${n % CHATS}`,
          type: 'text',
          text: { body: `message ${n}` },
        };
        const text = await send('POST', '/api/v1/messages', 202, key, body);
        getPhase(ledger, phase).messages.set(getId(text), planned);
      },
    },
    {
      name: 'changes',
      async call(n, planned, phase) {
        const title = `change ${n}`;
        await change('PATCH', `/api/v1/links/${changed[n % changed.length]!.id}`, 200, key, { title });
        getPhase(ledger, phase).changes.set(title, planned);
      },
    },
    {
      name: 'publishing',
      async call(n, planned, phase) {
        const [path, headers] = n % 2 ? [publish.secret, {}] : [publish.bearer, key];
        const text = await post('POST', path, 202, headers, {
          text: `publication ${n}`,
          to: `reader${n % CHATS}`,
        });
        getPhase(ledger, phase).publications.set(getId(text), planned);
      },
    },
    {
      name: 'console',
      async call(n) {
        if (n % STREAM_EVERY === STREAM_EVERY - 1) await openStream();
        else await read('GET', calls[(n - Math.floor(n / STREAM_EVERY)) % calls.length]!, 200, session);
      },
    },
  ];
  const close = async (): Promise<void> => void (await Promise.all(pools.map((pool) => pool.destroy())));
  return { all, close, [Symbol.asyncDispose]: close };
}
