/**
 * The machine of the primary fails again and again, in turn by SIGKILL and by standing still, under Patroni, while two nodes
 * are called: `node bench/soak-failover.ts [failures]` (20). Prints a table, and ends with 1 when anything acknowledged was
 * lost or doubled, or a visit was not redirected. It needs the programs of test/support/failover/patroni-cluster.ts.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { toUuid } from '../src/core/vocabulary/ids.ts';
import { type FailoverLoad, startLoad } from '../test/support/failover/failover-load.ts';
import {
  type PatroniCluster,
  PROGRAMS,
  hasPrograms,
  startCluster,
} from '../test/support/failover/patroni-cluster.ts';
import { type Product, startProduct } from '../test/support/product.ts';
import { markdownTable, median } from './support/figure.ts';

const BETWEEN_MS = 3_000;
const DRAINED_WITHIN_MS = 180_000;
const SECRET = 'a secret of 32 characters or more, for a test';

/** Waits until everything that was acknowledged is done. @returns what is left, in words */
async function drain(cluster: PatroniCluster, load: FailoverLoad): Promise<string[]> {
  const began = performance.now();
  for (;;) {
    const [left] = await cluster.query<Record<string, string>>(
      `select (select count(*) from outbox) as "events", (select count(*) from send_queue) as "messages",
         (select count(*) from sandbox_inbox) as "receipts", (select count(*) from delivery_queue) as "deliveries",
         (select count(*) from publications where finished_at is null) as "publications",
         (select $1 - coalesce(sum(clicks + bot_clicks), 0) from link_counters) as "clicks",
         (select greatest(0, $2 - count(*)) from model_calls where status = 200) as "model calls"`,
      [load.redirected, load.answered],
    );
    const open = Object.entries(left!).flatMap(([what, count]) =>
      Number(count) === 0 ? [] : [`${count} ${what}`],
    );
    if (!open.length || performance.now() - began > DRAINED_WITHIN_MS) return open;
    await delay(500);
  }
}

async function getFaults(cluster: PatroniCluster, load: FailoverLoad): Promise<string[]> {
  const faults: string[] = [];
  const compare = async (
    kind: keyof FailoverLoad['acknowledged'],
    noun: 'message' | 'link' | 'publication',
    text: string,
  ) => {
    const acknowledged = [...load.acknowledged[kind]].map((id) => toUuid(noun, id)!);
    const stored = await cluster.query<{ id: string; content: string; done: boolean }>(text);
    const ids = new Set(stored.map(({ id }) => id));
    const lost = acknowledged.filter((id) => !ids.has(id)).length;
    const doubled = stored.length - new Set(stored.map(({ content }) => content)).size;
    const open = stored.filter(({ done }) => !done).length;
    if (lost) faults.push(`${lost} of ${acknowledged.length} ${kind} are lost`);
    if (doubled) faults.push(`${doubled} ${kind} are doubled`);
    if (open) faults.push(`${open} ${kind} did not come to their end`);
  };
  await compare(
    'messages',
    'message',
    `select id, content ->> 'body' as content, status in ('delivered', 'read') as done from messages
     where direction = 'outbound'`,
  );
  await compare(
    'links',
    'link',
    `select id, url || case when url like '%/next' then slug else '' end as content, true as done from links`,
  );
  await compare(
    'publications',
    'publication',
    `select p.id, i.payload::text as content, p.status = 'published' as done from publications p
     join publication_inputs i on i.publication_id = p.id`,
  );
  const [sent] = await cluster.query<{ messages: number; sent: number }>(
    `select (select count(*)::int from messages where direction = 'outbound') as messages, (select count(*)::int from sandbox_sent) as sent`,
  );
  if (sent!.messages !== sent!.sent) faults.push(`${sent!.messages} messages were sent ${sent!.sent} times`);
  const events = await cluster.query<{ id: string; sequence: number; type: string }>(
    'select id, sequence::int, type from events order by sequence',
  );
  const holes = events.filter(({ sequence }, nth) => sequence !== nth + 1).length;
  if (holes) faults.push(`${holes} sequences of events are not the next`);
  const wanted = await cluster.query<{ event_id: string }>('select event_id from deliveries');
  if (load.delivered.size < wanted.length)
    faults.push(`${wanted.length - load.delivered.size} of ${wanted.length} deliveries did not arrive`);
  if (load.lostVisits.length)
    faults.push(
      `${load.lostVisits.length} visits were not redirected: ${[...new Set(load.lostVisits)].join('; ')}`,
    );
  if (load.strange.length)
    faults.push(`strange answers: ${[...new Set(load.strange)].slice(0, 5).join('; ')}`);
  return faults;
}

const failures = Number(process.argv[2] ?? 20);
if (!hasPrograms()) {
  console.error(`This needs ${PROGRAMS.join(', ')} and PostgreSQL 15.`);
  process.exit(1);
}
// PostgreSQL's account must reach its own folders in it.
const folder = mkdtempSync(join(tmpdir(), 'fairlead-failover-'));
chmodSync(folder, 0o711);
const nodes: Product[] = [];
const faults: string[] = [];
const writes: number[] = [];
const cluster = await startCluster(join(folder, 'cluster'));
try {
  for (const name of ['a', 'b'])
    nodes.push(
      await startProduct({
        dataDir: join(folder, name),
        env: {
          DATABASE_URL: cluster.url,
          FAIRLEAD_SECRET: SECRET,
          EGRESS_ALLOW: '127.0.0.1',
          LOG_LEVEL: 'error',
        },
      }),
    );
  const load = await startLoad(nodes.map(({ base }) => base));
  for (let nth = 0; nth < failures; nth += 1) {
    await delay(BETWEEN_MS);
    const failure = nth % 2 ? 'freeze' : 'kill';
    const { name, bringBack } = await cluster.fail(failure);
    const ms = await load.nextWrite();
    writes.push(ms);
    bringBack();
    await cluster.whole();
    console.error(
      `${nth + 1}: ${failure} of ${name}, first write after ${(ms / 1000).toFixed(1)} s; ${load.redirected} redirected, ${load.lostVisits.length} not`,
    );
  }
  await load.stop();
  const left = await drain(cluster, load);
  if (left.length) faults.push(`left to do: ${left.join(', ')}`);
  faults.push(...(await getFaults(cluster, load)));
  const { acknowledged } = load;
  console.log(
    markdownTable(
      [
        'failures of the primary',
        'messages',
        'links',
        'publications',
        'model calls',
        'clicks',
        'deliveries',
        'sent again',
        'faults',
        'first write after, median (longest) s',
      ],
      [
        [
          failures,
          acknowledged.messages.size,
          acknowledged.links.size,
          acknowledged.publications.size,
          load.answered,
          load.redirected,
          load.delivered.size,
          load.resent,
          faults.length,
          `${(median(writes) / 1000).toFixed(1)} (${(Math.max(...writes) / 1000).toFixed(1)})`,
        ],
      ],
    ),
  );
} finally {
  for (const node of nodes) await node.kill();
  await cluster[Symbol.asyncDispose]();
}
for (const fault of faults) console.error(`fault: ${fault}`);
rmSync(folder, { recursive: true, force: true });
process.exit(faults.length ? 1 : 0);
