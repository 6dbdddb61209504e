/**
 * `npm run compare [-- --base COMMIT] [--rounds N] [--table FILE]`: the CPU time of a call of the six hottest operations,
 * beside an earlier commit's in the same run. Rates and latencies depend on what else the machine does; the CPU time of a
 * process hardly does, and each operation counts its best round.
 *
 * Writes are measured with `ROLE=api`, so that only their acceptance counts; of the others, what follows counts too, as the
 * loading of clicks. Ends with 1 where an operation takes more than `MAX_RATIO` of the CPU
 * time that it took, in two measurements. Without the commit, as in a shallow clone, nothing is compared, and it says so.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { ensureAllBuilt } from '../scripts/build/bundles.js';
import { openAccount, succeeded } from '../test/support/account.ts';
import { gitEnvironment } from '../test/support/journey/clone.ts';
import { getCpu } from '../test/support/processes.ts';
import { ROOT, startProduct } from '../test/support/product.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { markdownTable } from './support/figure.ts';
import { MODEL, startStreamUpstream } from './support/model-streams.ts';

/**
 * The commit that CPU times are compared with. A commit that replaces it names the operations that became slower, and why
 * that is accepted.
 */
const BASE = 'e08e2ca4d0917e5a2e5af678622ecfd129cbc495';
/** Above this, an operation became slower. Two measurements of one commit differ by up to a tenth on a busy machine. */
const MAX_RATIO = 1.25;
const CONNECTIONS = 32;
const WARM_UP = 0.5;
/** A server that uses less of a core than this for so long has done all that followed. */
const IDLE = { ms: 300, cpu: 0.1 };

/** Of the server that the operation is measured on. */
type Role = 'all' | 'api';

interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  status: number;
}

interface Operation {
  name: string;
  role: Role;
  /** Calls of a round: about half a second of CPU time. */
  calls: number;
  call: Call;
}

interface Side {
  pid: number;
  headers: Record<string, string>;
  operations: Operation[];
  pool: Pool;
  /** By operation, µs of CPU per call of the best round so far. */
  best: Map<string, number>;
}

const git = (...args: string[]) =>
  spawnSync('git', args, { cwd: ROOT, env: gitEnvironment(), encoding: 'utf8' });

/** Writes the files of a commit to a folder, with its packages. */
function checkOut(commit: string, folder: string): void {
  const archive = execFileSync('git', ['archive', commit], {
    cwd: ROOT,
    env: gitEnvironment(),
    maxBuffer: 1024 * 1024 * 1024,
  });
  execFileSync('tar', ['x', '-C', folder], { input: archive });
  const hasSamePackages = git('diff', '--quiet', commit, '--', 'package-lock.json').status === 0;
  if (hasSamePackages) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' });
}

async function openSide(
  root: string,
  dataDir: string,
  upstream: string,
  role: Role,
): Promise<Side & { stop(): Promise<unknown> }> {
  const product = await startProduct({
    root,
    dataDir,
    env: { ROLE: role, LOG_LEVEL: 'warn', EGRESS_ALLOW: '127.0.0.1' },
    command: [join(root, 'bin/fairlead')],
  });
  const account = await openAccount(product.base);
  const { id: keyId, secret } = await account.createKey();
  const create = async (path: string, body: object): Promise<{ id: string; slug: string }> =>
    (await (await succeeded(await account.call('POST', path, body))).json()) as { id: string; slug: string };
  const instance = await create('/instances', {
    name: 'Bench',
    channel: 'sandbox',
    settings: { replies: false },
  });
  await succeeded(await account.call('POST', `/instances/${instance.id}/connect`, {}));
  const endpoint = await create('/publishing-endpoints', {
    name: 'Bench',
    auth: { type: 'bearer' },
    destinations: [{ instance_id: instance.id, to: 'alice', template: 'New: {{ payload.title }}' }],
  });
  const link = await create('/links', { url: 'https://shop.example.com/spring' });
  await create('/model-providers', {
    kind: 'openai_compatible',
    name: 'Bench',
    slug: 'bench',
    base_url: upstream,
    models: [{ id: MODEL }],
    prices: { [MODEL]: { input: 1, output: 2 } },
  });
  await create('/budgets', { name: 'Bench', api_key_id: keyId, limit: { usd: 1_000_000 }, window: 'month' });
  const post = (path: string, status: number, body: object): Call => ({
    method: 'POST',
    path: `/api/v1${path}`,
    body: JSON.stringify(body),
    status,
  });
  const text = {
    instance_id: instance.id,
    to: 'alice',
    type: 'text',
    text: { body: 'Hi, it is on its way.' },
  };
  const chat = { model: `bench/${MODEL}`, messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 100 };
  const operations: Operation[] = [
    { name: 'GET /me', role: 'all', calls: 8_000, call: { method: 'GET', path: '/api/v1/me', status: 200 } },
    {
      name: 'GET /{slug}',
      role: 'all',
      calls: 4_000,
      call: { method: 'GET', path: `/${link.slug}`, status: 302 },
    },
    { name: 'POST /chat/completions', role: 'all', calls: 1_500, call: post('/chat/completions', 200, chat) },
    { name: 'POST /messages', role: 'api', calls: 2_500, call: post('/messages', 202, text) },
    {
      name: 'POST /publish/{id}',
      role: 'api',
      calls: 1_500,
      call: post(`/publish/${endpoint.id}`, 202, { title: 'Hello' }),
    },
    {
      name: 'POST /links',
      role: 'api',
      calls: 1_500,
      call: post('/links', 201, { url: 'https://example.com/spring' }),
    },
  ];
  const pool = new Pool(product.base, { connections: CONNECTIONS });
  return {
    pid: product.pid,
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    operations: operations.filter((operation) => operation.role === role),
    pool,
    best: new Map(),
    async stop() {
      await pool.close();
      return product.stop();
    },
  };
}

/** Waits until the server has done all that followed. */
async function settle(pid: number): Promise<void> {
  for (let used = Number.POSITIVE_INFINITY; used > IDLE.ms * IDLE.cpu;) {
    const before = getCpu([pid]);
    await delay(IDLE.ms);
    used = getCpu([pid]) - before;
  }
}

async function run(
  { pool, pid, headers }: Side,
  { method, path, body, status }: Call,
  calls: number,
): Promise<void> {
  let left = calls;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left-- > 0) {
        const response = await pool.request({ method, path, headers, ...(body && { body }) });
        const text = await response.body.text();
        if (response.statusCode !== status)
          throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
      }
    }),
  );
  await settle(pid);
}

/** Measures one round of an operation, and keeps the best. */
async function measure(side: Side, nth: number): Promise<void> {
  const { name, calls, call } = side.operations[nth]!;
  if (!side.best.has(name)) await run(side, call, calls * WARM_UP);
  const before = getCpu([side.pid]);
  await run(side, call, calls);
  const used = ((getCpu([side.pid]) - before) * 1_000) / calls;
  side.best.set(name, Math.min(used, side.best.get(name) ?? Number.POSITIVE_INFINITY));
}

const {
  values: { base, rounds, table },
} = parseArgs({
  options: {
    base: { type: 'string', default: BASE },
    rounds: { type: 'string', default: '3' },
    table: { type: 'string' },
  },
});
if (git('cat-file', '-e', `${base}^{commit}`).status !== 0) {
  console.log(`CPU time of calls: not compared, because this clone has no commit ${base}.`);
  process.exit(0);
}

await ensureAllBuilt({ info: (message: string) => console.error(message) });
await using folder = await temporaryFolder('fairlead-compare-');
checkOut(base, folder.path);
await using upstream = await startStreamUpstream();

interface Row {
  name: string;
  earlier: number;
  now: number;
}

/** Measures the operations of a role on both versions, in turn. */
async function compareRole(role: Role): Promise<Row[]> {
  await using ownData = await temporaryFolder();
  await using otherData = await temporaryFolder();
  const now = await openSide(ROOT, ownData.path, upstream.url, role);
  const earlier = await openSide(folder.path, otherData.path, upstream.url, role);
  try {
    const rows: Row[] = [];
    for (const [nth, { name }] of now.operations.entries()) {
      const getRow = (): Row => ({ name, earlier: earlier.best.get(name)!, now: now.best.get(name)! });
      for (let round = 0; round < 2 * Number(rounds); round += 1) {
        // The second half is only for what looks slower after the first.
        if (round === Number(rounds) && !isSlower(getRow())) break;
        for (const side of round % 2 ? [earlier, now] : [now, earlier]) await measure(side, nth);
      }
      rows.push(getRow());
    }
    return rows;
  } finally {
    await now.stop();
    await earlier.stop();
  }
}

const isSlower = ({ earlier, now }: Row): boolean => now / earlier > MAX_RATIO;

const rows = [...(await compareRole('all')), ...(await compareRole('api'))];
const text = markdownTable(
  ['CPU µs per call', git('rev-parse', '--short', base).stdout.trim(), 'now', 'ratio'],
  rows.map(({ name, earlier, now }) => [
    `\`${name}\``,
    earlier.toFixed(0),
    now.toFixed(0),
    (now / earlier).toFixed(2),
  ]),
);
console.log(text);
if (table) writeFileSync(table, `${text}\n`);
const slower = rows.filter(isSlower).map(({ name }) => name);
if (slower.length) {
  console.error(`More than ${MAX_RATIO} of the CPU time: ${slower.join(', ')}`);
  process.exitCode = 1;
}
