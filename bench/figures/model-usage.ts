/** Usage of models through HTTP at 10 million calls: it is read from daily totals, so the number of calls hardly matters. */
import { sql } from 'kysely';
import { loadavg } from 'node:os';
import { type Database, openDatabase, openPool } from '../../src/platform/db/database.ts';
import { DAY_MS } from '../../src/platform/db/partitions.ts';
import { firstUuidAt } from '../../src/platform/db/uuid-time.ts';
import { runningConnection } from '../../src/platform/embedded-postgres/embedded.ts';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { BUCKET_COLUMNS } from '../../src/surfaces/models/contract/latency-buckets.ts';
import { openAccount } from '../../test/support/account.ts';
import { percentile } from '../../test/support/percentile.ts';
import { SERVER, startProduct } from '../../test/support/product.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import type { Bench } from '../support/figure.ts';

const CALLS = 10_000_000;
const DAYS = 60;
const KEYS = 50;
const MODELS = 20;
/** Of these, each key uses some. */
const MODELS_OF_A_KEY = 3;
const MAX_MS = 50;
const MAX_ROW_BYTES = 300;
const BATCH = 500_000;

const QUERIES: [name: string, path: string][] = [
  ['month by key', '/usage/models?group_by=key'],
  ['month by model', '/usage/models?group_by=model'],
  ['month by day', '/usage/models?group_by=day'],
  ['month by day, of one key', '/usage/models?group_by=day&api_key_id={key}'],
  ['month by route', '/usage/models?group_by=route'],
];

/** Rows as completions write them: Zipf-like over keys and models, evenly over days. */
async function fillCalls(db: Database, workspaceId: string, count: number, now: Date): Promise<void> {
  const first = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS);
  for (let from = 0; from < count; from += BATCH) {
    await sql`
      insert into model_calls (
        workspace_id, id, provider_id, cost, input_tokens, cached_tokens, output_tokens, first_byte_ms, duration_ms, status,
        actor, operation, outcome, model, route
      )
      select ${workspaceId}, (
          substr(lpad(to_hex(${first.getTime()}::bigint + n * ${DAYS * DAY_MS}::bigint / ${count}::bigint), 12, '0'), 1, 8)
          || '-' || substr(lpad(to_hex(${first.getTime()}::bigint + n * ${DAYS * DAY_MS}::bigint / ${count}::bigint), 12, '0'), 9)
          || '-7' || substr(md5(n::text), 1, 3) || '-8' || substr(md5(n::text), 4, 3) || '-' || substr(md5(n::text), 7, 12)
        )::uuid, ${firstUuidAt(first)}::uuid, 1000000, 400, 0, 120, 300, 1500, 200,
        'key_' || lpad(key::text, 26, '0'), 'chat/completions', 'succeeded',
        'provider/model-' || (key * 7 + floor(${MODELS_OF_A_KEY} * random())::integer) % ${MODELS}::integer,
        case when random() < 0.2 then 'fast' end
      from (
        select n, floor(${KEYS} * random() ^ 2)::integer as key
        from generate_series(${from}::bigint, ${Math.min(from + BATCH, count) - 1}::bigint) n
      ) calls
    `.execute(db);
  }
  await sql`
    insert into model_call_stats (
      workspace_id, day, actor, model, provider, route, calls, failures, input_tokens, cached_tokens, output_tokens, cost,
      unpriced_calls, ${sql.join(BUCKET_COLUMNS.map((name) => sql.ref(name)))}
    )
    select workspace_id, day, actor, model, 'prv_' || lpad('0', 26, '0'), coalesce(route, ''), count(*), 0,
      sum(input_tokens), 0, sum(output_tokens), sum(cost), 0,
      ${sql.join(BUCKET_COLUMNS.map(() => sql.lit(1)))}
    from (
      select c.*, (to_timestamp(('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0)
        at time zone 'UTC')::date as day
      from model_calls c where workspace_id = ${workspaceId}
    ) calls
    group by 1, 2, 3, 4, 5, 6
  `.execute(db);
  await sql`vacuum analyze model_calls, model_call_stats`.execute(db);
}

export const modelUsage: Bench = async ({ quick, report }) => {
  const count = quick ? 20_000 : CALLS;
  const repeats = quick ? 3 : 100;
  await using folder = await temporaryFolder();
  const product = await startProduct({
    dataDir: folder.path,
    env: { ROLE: 'api', LOG_LEVEL: 'warn' },
    command: SERVER,
  });
  const pool = openPool({ ...(await runningConnection(folder.path))!, max: 2 }, () => undefined);
  const db = openDatabase(pool);
  try {
    const account = await openAccount(product.base);
    const { secret } = await account.createKey();
    const workspaceId = toUuid('workspace', account.workspace)!;
    await fillCalls(db, workspaceId, count, new Date());
    report(`model usage: ${count} calls filled`);
    const { rows } = await sql<{ calls: number; totals: number; largest: number }>`
      select (select count(*) from model_calls) as calls, (select count(*) from model_call_stats) as totals,
        (select max(pg_column_size(c)) from (select * from model_calls limit 10000) c) as largest
    `.execute(db);
    const { calls, totals, largest } = rows[0]!;
    const results: { name: string; p50: number; p99: number }[] = [];
    for (const [name, path] of QUERIES) {
      const url = `${product.base}/api/v1${path.replace('{key}', `key_${'0'.repeat(25)}1`)}`;
      const taken: number[] = [];
      // The first few prepare their statements, and read from the disk.
      for (let n = -10; n < repeats; n++) {
        const start = performance.now();
        const answer = await fetch(url, { headers: { authorization: `Bearer ${secret}` } });
        const body = (await answer.json()) as { totals: { calls: number } };
        if (n >= 0) taken.push(performance.now() - start);
        if (answer.status !== 200 || !body.totals.calls)
          throw new Error(`${path}: ${JSON.stringify(body).slice(0, 500)}`);
      }
      results.push({ name, p50: percentile(taken, 0.5), p99: percentile(taken, 0.99) });
      report(`model usage: ${name}: p50 ${results.at(-1)!.p50.toFixed(1)} ms`);
    }
    const slowest = Math.max(...results.map(({ p50 }) => p50));
    return {
      title: '`GET /api/v1/usage/models`',
      method: `${calls.toLocaleString('en')} calls over ${DAYS} days by ${KEYS} keys, each to ${MODELS_OF_A_KEY} of ${MODELS} models, inserted by SQL together with the ${totals.toLocaleString('en')} daily totals that completed calls write. The largest row of a call takes ${largest} bytes. Each query ${repeats} times, in sequence, over loopback with an API key, for the last 30 days. The machine's load average was ${loadavg()[0]!.toFixed(1)} at the end, including other work.`,
      columns: ['', 'p50 ms', 'p99 ms'],
      rows: results.map(({ name, p50, p99 }) => [name, p50.toFixed(1), p99.toFixed(1)]),
      targets: [
        {
          text: `a month by key, model and day takes ${slowest.toFixed(1)} ms at most (p50; target: less than ${MAX_MS}).`,
          met: slowest < MAX_MS,
        },
        {
          text: `a row of a call takes at most ${largest} bytes (target: ${MAX_ROW_BYTES}).`,
          met: largest <= MAX_ROW_BYTES,
          always: true,
        },
      ],
    };
  } finally {
    await pool.end();
    await product.stop();
  }
};
