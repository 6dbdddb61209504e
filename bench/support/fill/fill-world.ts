/**
 * A running Fairlead with people, workspaces and keys, which the filler goes on from. All of it comes through the API,
 * as anybody would ask for it; the database is looked into alone to count and to wait.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { succeeded } from '../../../test/support/account.ts';
import { SERVER, startProduct } from '../../../test/support/product.ts';
import { openDatabase, openPool, type Database } from '../../../src/platform/db/database.ts';
import { runningConnection } from '../../../src/platform/embedded-postgres/embedded.ts';
import { toUuid } from '../../../src/core/vocabulary/ids.ts';
import { openPerson, PASSWORD, type Person } from './people.ts';

/** Settings of the installation that is filled, which come from outside. */
const HANDED_ON = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'FAIRLEAD_SECRET', 'S3_URL', 'LOG_LEVEL'] as const;
/** Workspaces and their shares of all that is made. */
const SHARES: readonly [name: string, share: number][] = [
  ['Acme', 0.6],
  ['Borealis', 0.25],
  ['Cormorant', 0.1],
  ['Dunlin', 0.05],
];

// oxlint-disable-next-line typescript/no-explicit-any -- an answer of any operation
type Json = any;

export interface Place {
  name: string;
  share: number;
  /** Public ID, and as the database has it. */
  workspace: string;
  uuid: string;
  /** Of a key that may do all and has no rate limit. */
  secret: string;
  owner: Person;
  /** Calls with the key. A text is sent as CSV. @throws Error when it is refused */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Json>;
}

export interface FillWorld extends AsyncDisposable {
  base: string;
  dataDir: string;
  places: Place[];
  people: Person[];
  pool: pg.Pool;
  db: Database;
  seed: number;
  report: (line: string) => void;
  /** Asks again until the one number that `query` gives is 0. @throws Error where it doesn't become that */
  drained(what: string, query: string): Promise<void>;
}

const DRAINED_WITHIN_MS = 30 * 60_000;
const LOOK_EVERY_MS = 500;

function keyCaller(base: string, secret: string): Place['api'] {
  return async (method, path, body, headers = {}) => {
    const isText = typeof body === 'string';
    const answer = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body === undefined ? {} : { 'content-type': isText ? 'text/csv' : 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await (await succeeded(answer)).text();
    return text ? JSON.parse(text) : null;
  };
}

async function openPlace(base: string, owner: Person, name: string, share: number): Promise<Place> {
  const { id } = await owner.call('POST', '/workspaces', { name });
  const key = await owner.call('POST', '/api-keys', { name: 'Filler', preset: 'full', rate_limit: null }, id);
  const secret = key.secret as string;
  const uuid = toUuid('workspace', id)!;
  return { name, share, workspace: id, uuid, secret, owner, api: keyCaller(base, secret) };
}

/** @param seed people's addresses carry it, so that an installation is filled once with each */
export async function openFillWorld(options: {
  dataDir: string;
  seed: number;
  report: (line: string) => void;
}): Promise<FillWorld> {
  const { dataDir, seed, report } = options;
  const given = HANDED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  const env = { LOG_LEVEL: 'warn', ...Object.fromEntries(given), SIGN_UP: 'open', EGRESS_ALLOW: '127.0.0.1' };
  const product = await startProduct({ dataDir, env, command: SERVER });
  const url = process.env['DATABASE_URL'];
  const connection = url ? { connectionString: url } : (await runningConnection(dataDir))!;
  const pool = openPool({ ...connection, max: 2 }, () => undefined);
  const close = async (): Promise<void> => {
    await pool.end();
    const { code } = await product.stop();
    if (code !== 0) throw new Error(`the server ended with ${code}:\n${product.output()}`);
  };
  try {
    const { base } = product;
    const owner = await openPerson(base, 'Ada', `ada-${seed}@example.com`);
    const places: Place[] = [];
    for (const [name, share] of SHARES) places.push(await openPlace(base, owner, name, share));
    return {
      base,
      dataDir,
      places,
      people: [owner],
      pool,
      db: openDatabase(pool),
      seed,
      report,
      async drained(what, query) {
        const deadline = performance.now() + DRAINED_WITHIN_MS;
        for (;;) {
          const left = Number(Object.values((await pool.query(query)).rows[0])[0]);
          if (left === 0) return;
          if (performance.now() > deadline) throw new Error(`${left} ${what} are left`);
          await delay(LOOK_EVERY_MS);
        }
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What stands in the file that tells how to get in. */
export const getAccess = ({ places, people }: FillWorld): object => ({
  email: people[0]!.email,
  password: PASSWORD,
  people: people.map(({ email }) => email),
  workspaces: places.map(({ name, workspace, secret }) => ({ name, id: workspace, key: secret })),
});

/** Of `total`, what falls to a place; at least one. */
export const portion = (total: number, { share }: Pick<Place, 'share'>): number =>
  Math.max(1, Math.round(total * share));

/** Does `work` for all items, `lanes` at a time. */
export async function inLanes<T>(
  lanes: number,
  items: readonly T[],
  work: (item: T, at: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++;
      await work(items[at]!, at);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** `count` items in pieces. */
export const pieces = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
