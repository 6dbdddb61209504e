/** After a run, when nothing moves any more: whether all that was answered is there, and once. */
import { setTimeout as delay } from 'node:timers/promises';
import { publicId, toUuid } from '../../../src/core/vocabulary/ids.ts';
import { getAll } from './ledger.ts';
import type { Told } from './told.ts';
import { type AllWorld, STREAMED, WEBHOOKS } from './world.ts';

const DRAINED_WITHIN_MS = 180_000;
const EVERY_MS = 200;

async function getNumbers(
  { pool }: AllWorld,
  text: string,
  values: unknown[],
): Promise<Record<string, number>> {
  const { rows } = await pool.query<Record<string, string | number | null>>(text, values);
  return Object.fromEntries(Object.entries(rows[0]!).map(([name, value]) => [name, Number(value)]));
}

const ids = (links: readonly { uuid: string }[]): string[] => links.map(({ uuid }) => uuid);

/** What this run left to do, in words. Retries of receivers that others have left behind are not among it. */
async function leftToDo(world: AllWorld): Promise<string[]> {
  const left = await getNumbers(
    world,
    `select (select count(*) from outbox) as "events not sequenced",
       (select count(*) from send_queue where instance_id = $1) as "messages queued",
       (select count(*) from sandbox_inbox where instance_id = $1) as "signals not heard",
       (select count(*) from delivery_queue where receiver_id = any ($2)) as "deliveries",
       (select count(*) from publication_queue q join publications p on p.id = q.publication_id
        where p.workspace_id = $3 and p.finished_at is null and q.due_at < now() + interval '1 hour') as "publications",
       (select count(*) from publication_news) as "news of publications",
       (select $4 - coalesce(sum(clicks + bot_clicks), 0) from link_counters
        where workspace_id = $3 and link_id = any ($5)) as "clicks not counted"`,
    [
      toUuid('instance', world.instance),
      world.webhooks,
      world.uuid,
      world.ledger.redirects,
      ids(world.followed),
    ],
  );
  return Object.entries(left).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []));
}

/** The stream follows the log after some ms, and in its order: whether it has come to the last that it is to tell. */
async function leftToStream({ pool, uuid, since, ledger }: AllWorld): Promise<string[]> {
  const { rows } = await pool.query<{ last: number | null }>(
    `select max(sequence)::int as last from events
     where workspace_id = $1 and sequence > $2 and type like any ($3)`,
    [uuid, since, STREAMED.map((pattern) => pattern.replace('*', '%'))],
  );
  const { last } = rows[0]!;
  return last === null || ledger.streamed.has(last) ? [] : [`the stream has not told event ${last}`];
}

/** Waits until nothing is left to do. @returns what is left when it takes too long */
export async function drain(world: AllWorld): Promise<{ left: string[]; ms: number }> {
  const began = performance.now();
  for (;;) {
    let left = await leftToDo(world);
    if (!left.length) left = await leftToStream(world);
    const ms = performance.now() - began;
    if (!left.length) {
      await world.receiver.collect();
      return { left, ms };
    }
    if (ms > DRAINED_WITHIN_MS) return { left, ms };
    await delay(EVERY_MS);
  }
}

async function messageFaults(world: AllWorld): Promise<string[]> {
  const { pool, uuid, instance, ledger } = world;
  const accepted = getAll(ledger, 'messages');
  const { rows } = await pool.query<{ id: string; status: string; source: string; body: string }>(
    `select id, status, source, content ->> 'body' as body from messages
     where workspace_id = $1 and instance_id = $2 and direction = 'outbound'`,
    [uuid, toUuid('instance', instance)],
  );
  const faults: string[] = [];
  const own = rows.filter(({ source }) => source === 'api');
  const found = new Set(own.map(({ id }) => publicId('message', id)));
  const missing = [...accepted.keys()].filter((id) => !found.has(id));
  if (missing.length) faults.push(`${missing.length} accepted messages are not there`);
  if (own.length !== accepted.size)
    faults.push(`${own.length} messages were stored for ${accepted.size} answers`);
  const open = rows.filter(({ status }) => !['delivered', 'read'].includes(status));
  if (open.length) faults.push(`${open.length} messages were not delivered (${open[0]!.status})`);
  const texts = new Set(rows.map(({ body }) => body));
  if (texts.size !== rows.length) faults.push(`${rows.length - texts.size} messages were stored twice`);
  return faults;
}

async function publicationFaults(world: AllWorld): Promise<string[]> {
  const { pool, uuid, ledger } = world;
  const accepted = getAll(ledger, 'publications');
  const { rows } = await pool.query<{ id: string; status: string; messages: number }>(
    `select p.id, p.status, (
       select count(distinct m.id)::int from publication_results r
       join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id and m.status in ('delivered', 'read')
       where r.workspace_id = p.workspace_id and r.publication_id = p.id
     ) as messages
     from publications p where p.workspace_id = $1 and p.id = any ($2)`,
    [uuid, [...accepted.keys()].map((id) => toUuid('publication', id))],
  );
  const faults: string[] = [];
  if (rows.length !== accepted.size)
    faults.push(`${accepted.size - rows.length} accepted publications are not there`);
  const wrong = rows.filter(({ status, messages }) => status !== 'published' || messages !== 1);
  if (wrong.length)
    faults.push(
      `${wrong.length} publications were not published once (${wrong[0]!.status}, ${wrong[0]!.messages})`,
    );
  return faults;
}

async function clickFaults(world: AllWorld): Promise<string[]> {
  const { uuid, followed, ledger } = world;
  const counted = await getNumbers(
    world,
    `select (select sum(clicks + bot_clicks) from link_counters where workspace_id = $1 and link_id = any ($2)) as counters,
       (select sum(clicks + bots) from click_rollups
        where workspace_id = $1 and scope_id = any ($2) and resolution = 'day') as "sums by day",
       (select count(*) from clicks where workspace_id = $1 and link_id = any ($2)) as rows`,
    [uuid, ids(followed)],
  );
  return Object.entries(counted).flatMap(([where, count]) =>
    count === ledger.redirects ? [] : [`${where} of clicks: ${count} of ${ledger.redirects} redirects`],
  );
}

const isFor = (pattern: string, type: string): boolean =>
  pattern.endsWith('.*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type;

async function deliveryFaults(world: AllWorld, told: readonly Told[]): Promise<string[]> {
  const { pool, uuid, webhooks, ledger } = world;
  const faults: string[] = [];
  for (const [path, types] of Object.entries(WEBHOOKS)) {
    const wanted = told.filter(({ type }) => types.includes(type));
    const came = ledger.arrived.get(path) ?? new Map<string, number>();
    const missing = wanted.filter(({ id }) => !came.has(id)).length;
    if (missing) faults.push(`${missing} of ${wanted.length} events did not come to ${path}`);
    if (came.size > wanted.length)
      faults.push(`${came.size - wanted.length} that came to ${path} are no events`);
  }
  const { rows } = await pool.query<{ status: string; count: number }>(
    `select status, count(*)::int as count from deliveries
     where workspace_id = $1 and webhook_id = any ($2) and status <> 'succeeded' group by 1`,
    [uuid, webhooks],
  );
  for (const { status, count } of rows) faults.push(`${count} deliveries are ${status}`);
  const { held } = await getNumbers(
    world,
    'select coalesce(sum(in_flight), 0) as held from receivers where id = any ($1)',
    [webhooks],
  );
  if (held) faults.push(`${held} slots of receivers are still held`);
  return faults;
}

async function eventFaults(world: AllWorld, told: readonly Told[]): Promise<string[]> {
  const { since, ledger, uuid } = world;
  const faults: string[] = [];
  const holes = told.filter(({ sequence }, at) => sequence !== since + 1 + at).length;
  if (holes) faults.push(`${holes} sequences are not the next`);
  const changes = getAll(ledger, 'changes');
  const told1 = told.flatMap(({ type, title }) =>
    type === 'link.updated' && title !== null && changes.has(title) ? [title] : [],
  );
  if (told1.length !== changes.size || new Set(told1).size !== changes.size)
    faults.push(`${told1.length} events of ${changes.size} changes`);
  const wanted = told.filter(({ type }) => STREAMED.some((pattern) => isFor(pattern, type)));
  const missed = wanted.filter(({ sequence }) => !ledger.streamed.has(sequence)).length;
  if (missed) faults.push(`the stream missed ${missed} of ${wanted.length} events`);
  if (ledger.streamed.size > wanted.length) faults.push('the stream told what is not in the log');
  faults.push(...ledger.streamFaults.slice(0, 5).map((fault) => `the stream: ${fault}`));
  const { rejected } = await getNumbers(
    world,
    'select count(*) as rejected from outbox_rejected where workspace_id = $1',
    [uuid],
  );
  if (rejected) faults.push(`${rejected} events were set aside`);
  return faults;
}

/** Everything that was lost, doubled, or did not end, in words. */
export async function getLosses(world: AllWorld, told: readonly Told[]): Promise<string[]> {
  return [
    ...(await messageFaults(world)),
    ...(await publicationFaults(world)),
    ...(await clickFaults(world)),
    ...(await deliveryFaults(world, told)),
    ...(await eventFaults(world, told)),
  ];
}
