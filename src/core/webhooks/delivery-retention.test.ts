import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPartitionManager } from '../../platform/db/partition-manager.ts';
import { DAY_MS, makeAhead, partitionName } from '../../platform/db/partitions.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { firstUuidAt } from '../../platform/db/uuid-time.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { deleteOldStats, webhookPartitions } from './delivery-retention.ts';
import { layAttempt, layDelivery } from '../../../test/support/webhooks/deliveries.ts';

const TODAY = new Date('2026-03-10T15:00:00Z');
const daysAgo = (days: number): Date => new Date(TODAY.getTime() - days * DAY_MS);
const quiet = { info() {}, warn() {}, error() {} };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
const workspaceId = newUuid();
let ids = 0;
const idAt = (time: Date): string => firstUuidAt(time).slice(0, -4) + String(++ids).padStart(4, '0');

async function newReceiver(): Promise<string> {
  const id = newUuid();
  await query(
    'insert into receivers (id, workspace_id, ordered, concurrency, slots) values ($1, $2, true, 5, 5)',
    [id, workspaceId],
  );
  return id;
}
const maintenance = () =>
  createPartitionManager({ db: database.db, log: quiet, tables: webhookPartitions, clock: () => TODAY });
const lay = (webhookId: string, days: number, more: object = {}) =>
  layDelivery(database.pool, { workspaceId, webhookId, id: idAt(daysAgo(days)), ...more });
const idsIn = async (table: string, column: string, webhookId: string): Promise<string[]> =>
  (
    await query(
      `select ${column} as id from ${table} where ${table === 'deliveries' ? 'webhook_id' : 'receiver_id'} = $1 order by 1`,
      [webhookId],
    )
  ).map(({ id }) => id);

beforeEach(async () => {
  for (const { name } of webhookPartitions) await makeAhead(database.db, name, 2, daysAgo(32));
});

test('a day goes with its deliveries and attempts; what waits of it leaves the queue first', async () => {
  const receiver = await newReceiver();
  const gone = await lay(receiver, 32);
  const old = await lay(receiver, 32, { status: 'pending', orderKey: 'key_a', due: 'tomorrow' });
  const stray = await lay(receiver, 50, { status: 'pending' });
  const claimed = await lay(receiver, 31, { status: 'sending' });
  const kept = await lay(receiver, 29, { status: 'pending', orderKey: 'key_a', due: 'infinity' });
  await layAttempt(database.pool, workspaceId, gone.id);
  await query('update delivery_attempts set id = $1 where delivery_id = $2', [idAt(daysAgo(31)), gone.id]);

  await maintenance().maintain();
  expect(await idsIn('deliveries', 'id', receiver)).toEqual([kept.id]);
  expect(await idsIn('delivery_queue', 'delivery_id', receiver)).toEqual([claimed.id, kept.id]);
  expect(await query('select order_key from receiver_wakes where receiver_id = $1', [receiver])).toEqual([
    { order_key: 'key_a' },
  ]);
  expect(await query('select id from delivery_attempts where delivery_id = $1', [gone.id])).toEqual([]);
  const [{ there }] = await query('select to_regclass($1) as there', [
    partitionName('deliveries', daysAgo(32)),
  ]);
  expect(there).toBeNull();
  expect([old.id, stray.id]).toHaveLength(2);

  // Its attempt failed, so it waits again: the next round takes it.
  await query('update delivery_queue set claimed_by = null, due_at = now() where delivery_id = $1', [
    claimed.id,
  ]);
  await maintenance().maintain();
  expect(await idsIn('delivery_queue', 'delivery_id', receiver)).toEqual([kept.id]);
});

test('many waiting rows of many receivers go', async () => {
  await query(
    `insert into delivery_queue (delivery_id, workspace_id, receiver_id, event_id, position, due_at)
     select gen_random_uuid(), $1, ('00000000-0000-7000-8000-' || lpad((n % 250)::text, 12, '0'))::uuid, $1, n, now()
     from generate_series(1, 5000) n`,
    [workspaceId],
  );
  await query(
    `update delivery_queue set delivery_id = ('000' || right(delivery_id::text, 33))::uuid where event_id = $1`,
    [workspaceId],
  );
  await maintenance().maintain();
  expect(await query('select 1 from delivery_queue where event_id = $1', [workspaceId])).toEqual([]);
});

test('hourly counts go after 31 days', async () => {
  const webhook = newUuid();
  await query(
    `insert into webhook_stats (workspace_id, webhook_id, hour)
     select $1, $2, '2026-03-10T15:00:00Z'::timestamptz - n * interval '1 hour' from generate_series(0, 4000) n`,
    [workspaceId, webhook],
  );
  expect(await deleteOldStats(database.db, TODAY)).toBe(4000 - 31 * 24);
  expect(await deleteOldStats(database.db, TODAY)).toBe(0);
  const [{ oldest }] = await query('select min(hour) as oldest from webhook_stats where webhook_id = $1', [
    webhook,
  ]);
  expect(oldest).toEqual(daysAgo(31));
});
