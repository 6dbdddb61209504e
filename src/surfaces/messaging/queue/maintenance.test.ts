/** Tests that queues are maintained independently: a backlog in one does not delay others. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { createQueueMaintenance } from './maintenance.ts';
import { queuesWithScheduled } from './maintenance.system-store.ts';
import { createWorld, type World } from '../../../../test/support/messaging/queue.ts';

let database: TestDatabase;
let world: World;
beforeAll(async () => {
  database = await createTestDatabase();
  world = await createWorld(database.db);
});
afterAll(() => database.drop());

const startMaintenance = () => {
  const maintenance = createQueueMaintenance({
    db: world.db,
    units: world.units,
    log: { error: () => {} },
    wakeSender: () => {},
  });
  maintenance.start();
  return maintenance;
};
/** Creates an instance with `count` expired messages and as many due scheduled ones. */
async function overdue(count: number): Promise<string> {
  const instanceId = await world.addInstance();
  const [chatId] = await world.addChats(instanceId, ['a']);
  const texts = Array.from({ length: count }, (_, nth) => ({ chatId: chatId!, text: String(nth) }));
  await world.queue(instanceId, texts, { ttlSeconds: 0 });
  await world.queue(instanceId, texts, { scheduledAt: new Date(Date.now() - 1_000) });
  return instanceId;
}

test('rows left by a deleted instance', async () => {
  const deleted = await overdue(60);
  const other = await overdue(1);
  await database.pool.query('delete from instance_queues where instance_id = $1', [deleted]);
  const maintenance = startMaintenance();
  await vi.waitFor(
    async () => expect(await world.statuses(other)).toEqual({ failed: 1, queued: 1 }),
    PATIENCE,
  );
  await maintenance.stop();
  await database.pool.query('delete from scheduled_messages where instance_id = $1', [deleted]);
});

test('very many due messages on one instance', async () => {
  const full = await overdue(60);
  const other = await overdue(1);
  const found = await queuesWithScheduled(world.db, 50);
  expect(found.map(({ instance_id: id }) => id).toSorted()).toEqual([full, other].toSorted());
});

test('a message whose holder is gone and whose copy confirmed it as sent', async () => {
  const instanceId = await world.addInstance();
  const [chatId] = await world.addChats(instanceId, ['a']);
  const [id] = await world.queue(instanceId, [{ chatId: chatId!, text: 'one' }], { ttlSeconds: 0 });
  await database.pool.query('update send_queue set claimed_epoch = 7 where id = $1', [id]);
  await database.pool.query(`update messages set status = 'sent' where id = $1`, [id]);
  const maintenance = startMaintenance();
  await vi.waitFor(async () => expect(await world.rows(instanceId)).toEqual([]), PATIENCE);
  await maintenance.stop();
  expect(await world.message(id!)).toMatchObject({ status: 'sent', error: null });
});
