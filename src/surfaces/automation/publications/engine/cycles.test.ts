import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/db.ts';
import { FIRST_UUID } from '../../../../platform/db/uuid-time.ts';
import { newUuid } from '../../../../platform/http/ids.ts';
import { createEndpointTurns, type EndpointTurns } from './endpoint-turns.ts';
import {
  claimDue,
  type DueEndpoint,
  findBuckets,
  findDueEndpoints,
} from './publication-queue.system-store.ts';

const BUCKET = 7;
const PAST = '2026-01-01T00:00:00Z';
let database: TestDatabase;
const started: EndpointTurns[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((turns) => turns.stop()));
  await database.pool.query('delete from publication_queue');
});
afterAll(() => database.drop());

async function queue(
  count: number,
  { dueAt = PAST, bucket = BUCKET, workspaceId = newUuid() } = {},
): Promise<DueEndpoint> {
  const endpoint = { bucket, workspace_id: workspaceId, endpoint_id: newUuid() };
  await database.pool.query(
    `insert into publication_queue (publication_id, workspace_id, endpoint_id, bucket, due_at)
     select gen_random_uuid(), $1, $2, $3, $4::timestamptz + n * interval '1 ms' from generate_series(1, $5) n`,
    [workspaceId, endpoint.endpoint_id, bucket, dueAt, count],
  );
  return endpoint;
}

const getIds = (endpoints: readonly DueEndpoint[]) => endpoints.map(({ endpoint_id: id }) => id).sort();

/** Returns the endpoints that one scan of all buckets finds, page by page. */
async function findAll(): Promise<DueEndpoint[]> {
  const buckets = await findBuckets(database.db);
  const found: DueEndpoint[] = [];
  let after: ReadonlyMap<number, string> = new Map(buckets.map((bucket) => [bucket, FIRST_UUID]));
  while (after.size) {
    const page = await findDueEndpoints(database.db, after);
    found.push(...page.due);
    after = page.next;
  }
  return found;
}

test('the oldest due publications of an endpoint are claimed, and those of others and later ones are not', async () => {
  const endpoint = await queue(150);
  await queue(5);
  const claimed = await database.db.transaction().execute((tx) => claimDue(tx, endpoint, 100));
  expect(claimed).toHaveLength(100);
  expect(new Set(claimed.map(({ endpoint_id: id }) => id))).toEqual(new Set([endpoint.endpoint_id]));
  const times = claimed.map(({ due_at: at }) => at.getTime());
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBe(Date.parse(PAST) + 1);
});

test('each endpoint with due publications is found, however many wait in its bucket', async () => {
  const all = [];
  for (let n = 0; n < 30; n++) all.push(await queue(1, { bucket: n < 20 ? BUCKET : n }));
  const flooded = await queue(1_000);
  await queue(3, { dueAt: '2100-01-01T00:00:00Z' });
  expect(getIds(await findAll())).toEqual(getIds([...all, flooded]));
});

test('nothing is found where nothing is due', async () => {
  await queue(3, { dueAt: '2100-01-01T00:00:00Z' });
  expect(await findAll()).toEqual([]);
});

test('while one process has an endpoint, another gets others of its bucket', async () => {
  const [one, other] = [await queue(2), await queue(3)];
  await database.db.transaction().execute(async (tx) => {
    expect(await claimDue(tx, one, 100)).toHaveLength(2);
    await database.db.transaction().execute(async (second) => {
      expect(await claimDue(second, one, 100)).toEqual([]);
      expect(await claimDue(second, other, 100)).toHaveLength(3);
    });
  });
});

test('while a process of an earlier version has a bucket, none of its endpoints is claimed', async () => {
  const endpoint = await queue(2);
  await database.db.transaction().execute(async (tx) => {
    const client = await database.pool.connect();
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1, $2)', [0x7062, BUCKET]);
    expect(await claimDue(tx, endpoint, 100)).toEqual([]);
    await client.query('commit');
    client.release();
  });
});

/** Six workspaces each, with three endpoints in each. */
const attack = async (attackers: number, persons: Map<string, string>, count: number): Promise<void> => {
  for (let n = 0; n < attackers * 6; n++) {
    const workspaceId = newUuid();
    persons.set(workspaceId, `attacker ${n % attackers}`);
    for (let endpoint = 0; endpoint < 3; endpoint++)
      await queue(count, { workspaceId, bucket: (n * 3 + endpoint) % 64 });
  }
};

test.each([1, 2, 4, 16])(
  'a publication waits for at most one turn of each of %i persons with 18 endpoints',
  async (attackers) => {
    const persons = new Map<string, string>();
    const served: string[] = [];
    const done = Promise.withResolvers<void>();
    const turns = createEndpointTurns({
      getPerson: async (workspaceId) => persons.get(workspaceId)!,
      async publish(endpoint) {
        served.push(persons.get(endpoint.workspace_id)!);
        return database.db.transaction().execute(async (tx) => {
          const claimed = await claimDue(tx, endpoint, 2);
          const ids = claimed.map(({ publication_id: id }) => id);
          await tx.deleteFrom('publication_queue').where('publication_id', 'in', ids).execute();
          return claimed.length === 2;
        });
      },
      onError: done.reject,
      onEmpty: done.resolve,
    });
    started.push(turns);
    await attack(attackers, persons, 5);
    const victim = newUuid();
    persons.set(victim, 'victim');
    turns.add(await findAll());
    const own = await queue(1, { workspaceId: victim });
    const before = served.length;
    expect(before).toBeGreaterThan(0);
    turns.add([own]);
    await done.promise;
    const between = served.slice(before, served.indexOf('victim'));
    expect(served.indexOf('victim')).toBeGreaterThanOrEqual(before);
    expect(new Set(between).size).toBe(between.length);
    expect((await database.pool.query('select 1 from publication_queue')).rows).toEqual([]);
  },
);

test.each([1, 2, 4, 16])(
  'behind batches of %i persons that wait for locks, another person waits for one more of each',
  async (attackers) => {
    const waiting: (() => void)[] = [];
    const held = new Map<string, number>();
    const served: string[] = [];
    const turns = createEndpointTurns({
      getPerson: async (workspaceId) => workspaceId.split(' ')[0]!,
      async publish({ workspace_id: workspaceId }) {
        const person = workspaceId.split(' ')[0]!;
        served.push(person);
        if (person === 'victim') return false;
        held.set(person, (held.get(person) ?? 0) + 1);
        expect(held.get(person)).toBeLessThanOrEqual(2);
        await new Promise<void>((resolve) => waiting.push(resolve));
        held.set(person, held.get(person)! - 1);
        return true;
      },
      onError: (error) => expect.unreachable(String(error)),
      onEmpty: () => {},
    });
    started.push(turns);
    const add = (workspaceId: string): void =>
      turns.add([{ bucket: 0, workspace_id: workspaceId, endpoint_id: newUuid() }]);
    const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
    for (let n = 0; n < attackers * 18; n++) add(`attacker${n % attackers} ${n % 6}`);
    await settle();
    const before = served.length;
    add('victim');
    await settle();
    while (!served.includes('victim')) {
      waiting.shift()!();
      await settle();
    }
    const between = served.slice(before, served.indexOf('victim'));
    const stopped = turns.stop();
    for (const end of waiting) end();
    await stopped;
    expect(new Set(between).size).toBe(between.length);
    // With few persons, a transaction is free for newcomers.
    if (attackers <= 2) expect(between).toEqual([]);
  },
);

test('a batch gives up on a lock that somebody else keeps', async () => {
  const endpoint = await queue(1);
  const holder = await database.pool.connect();
  await holder.query('begin');
  await holder.query('select 1 from publication_queue for update');
  const claim = database.db.transaction().execute(async (tx) => {
    await claimDue(tx, endpoint, 100);
    await tx.selectFrom('publication_queue').selectAll().forUpdate().execute();
  });
  await expect(claim).rejects.toMatchObject({ code: '55P03' });
  await holder.query('commit');
  holder.release();
});
