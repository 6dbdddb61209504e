import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { PATIENCE } from '../../../test/support/patience.ts';
import { openDatabase, openPool } from '../../platform/db/database.ts';
import { createPartitionManager } from '../../platform/db/partition-manager.ts';
import { DAY_MS, makeAhead, partitionName } from '../../platform/db/partitions.ts';
import { firstUuidAt } from '../../platform/db/uuid-time.ts';
import { newRequestId, newUuid } from '../../platform/http/ids.ts';
import { publicId } from '../vocabulary/ids.ts';
import type { KeyActor } from '../auth/actor.ts';
import { type RecordedRequest, startRequestRecorder } from './request-recorder.ts';
import { deleteOldActivity } from '../activity/stats-retention.ts';
import { requestPartitions } from './request-retention.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;

async function newWorkspace(deleted = false): Promise<string> {
  const id = newUuid();
  await query(
    'insert into workspaces (id, name, slug, deleted_at) values ($1::uuid, $2, $1::uuid::text, $3)',
    [id, 'Logged', deleted ? new Date() : null],
  );
  return id;
}

const keyId = newUuid();
const getKey = (workspaceId: string, name = 'k') =>
  ({ kind: 'api_key', id: publicId('api_key', keyId), keyId, workspaceId, name }) as KeyActor;
const getRequest = (actor: KeyActor, more: Partial<RecordedRequest> = {}): RecordedRequest => ({
  id: newRequestId(),
  actor,
  method: 'GET',
  operation: 'links.list',
  route: '/links',
  status: 200,
  errorCode: null,
  address: '203.0.113.7',
  durationMs: 3,
  ...more,
});
const getCount = async (workspaceId: string): Promise<[number, number]> => {
  const [row] = await query(
    `select (select count(*)::int from api_requests where workspace_id = $1) as logged,
            (select coalesce(sum(requests), 0)::int from request_stats where workspace_id = $1) as counted`,
    [workspaceId],
  );
  return [row.logged, row.counted];
};
function recorderOn(db: Parameters<typeof startRequestRecorder>[0]['db'], maxPending?: number) {
  const warned: string[] = [];
  const log = { warn: (_details: object, message: string) => void warned.push(message) };
  return { warned, ...startRequestRecorder({ db, log, maxPending }) };
}

test('a stop writes what is pending, and the hourly counts equal the log', async () => {
  const workspaceId = await newWorkspace();
  const actor = getKey(workspaceId);
  const [one, other] = [recorderOn(database.db), recorderOn(database.db)];
  for (let n = 0; n < 3_000; n++)
    (n % 2 ? one : other).record(getRequest(actor, { status: n % 3 ? 200 : 404, errorCode: null }));
  await Promise.all([one.stop(), other.stop()]);
  expect(await getCount(workspaceId)).toEqual([3_000, 3_000]);
  const classes = await query(
    `select status_class, sum(requests)::int as n, sum(duration_ms)::int as ms from request_stats
     where workspace_id = $1 group by 1 order by 1`,
    [workspaceId],
  );
  expect(classes).toEqual([
    { status_class: 2, n: 2_000, ms: 6_000 },
    { status_class: 4, n: 1_000, ms: 3_000 },
  ]);
});

test('a batch that is sent twice is counted once', async () => {
  const workspaceId = await newWorkspace();
  const request = getRequest(getKey(workspaceId));
  for (let n = 0; n < 2; n++) {
    const recorder = recorderOn(database.db);
    recorder.record(request);
    await recorder.stop();
  }
  expect(await getCount(workspaceId)).toEqual([1, 1]);
});

test('a deleted workspace gets no rows, and does not keep others from theirs', async () => {
  const [gone, kept] = [await newWorkspace(true), await newWorkspace()];
  const recorder = recorderOn(database.db);
  recorder.record(getRequest(getKey(gone)));
  recorder.record(getRequest(getKey(kept)));
  await recorder.stop();
  expect(await getCount(gone)).toEqual([0, 0]);
  expect(await getCount(kept)).toEqual([1, 1]);
});

test('while the database is away, requests wait within bounds and are written afterwards', async () => {
  const workspaceId = await newWorkspace();
  // Reaches no server: nothing listens on the port 1.
  const away = openPool({ host: '127.0.0.1', port: 1, database: 'none', user: 'none', max: 1 }, () => {});
  let db = openDatabase(away);
  const switching = { transaction: () => db.transaction() } as typeof db;
  const recorder = recorderOn(switching, 10);
  try {
    for (let n = 0; n < 15; n++) recorder.record(getRequest(getKey(workspaceId)));
    await vi.waitFor(
      () => expect(recorder.warned).toContain('request log: batch failed, retrying'),
      PATIENCE,
    );
    expect(recorder.warned).toContain('request log: requests dropped');
    db = database.db;
    await vi.waitFor(async () => expect(await getCount(workspaceId)).toEqual([10, 10]), PATIENCE);
  } finally {
    await recorder.stop();
    await away.end();
  }
});

test('a batch that the database rejects is given up after some tries, and later ones are written', async () => {
  const workspaceId = await newWorkspace();
  const recorder = recorderOn(database.db);
  recorder.record(getRequest(getKey(workspaceId), { status: 100_000 }));
  await vi.waitFor(() => expect(recorder.warned).toContain('request log: batch dropped'), PATIENCE);
  recorder.record(getRequest(getKey(workspaceId)));
  await recorder.stop();
  expect(await getCount(workspaceId)).toEqual([1, 1]);
});

test('requests go after 7 days with their partition, hourly counts after 31', async () => {
  const now = new Date('2026-03-20T15:00:00Z');
  const daysAgo = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
  await makeAhead(database.db, 'api_requests', 9, daysAgo(9));
  const workspaceId = await newWorkspace();
  const recorder = recorderOn(database.db);
  for (const days of [40, 30, 8, 6, 0])
    recorder.record(
      getRequest(getKey(workspaceId), {
        id: publicId('request', firstUuidAt(daysAgo(days)).replace('-0000-0000-', '-7000-8000-')),
      }),
    );
  await recorder.stop();
  const quiet = { info() {}, warn() {}, error() {} };
  await createPartitionManager({
    db: database.db,
    log: quiet,
    tables: requestPartitions,
    clock: () => now,
  }).maintain();
  expect((await getCount(workspaceId))[0]).toBe(2);
  const [table] = await query('select to_regclass($1) as name', [partitionName('api_requests', daysAgo(8))]);
  expect(table.name).toBeNull();
  await deleteOldActivity(database.db, now);
  expect((await getCount(workspaceId))[1]).toBe(4);
});
