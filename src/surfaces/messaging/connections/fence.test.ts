/** Tests the fence: only the holder passes it, and remains the holder until its commit. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { claimDue, clearFailures } from './connection.system-store.ts';
import { lockHeld, lockHeldAt } from './fence.ts';
import { addNode, removeNode, renewNode, takeOver } from './node.system-store.ts';

let database: TestDatabase;
let holding: { instanceId: string; nodeId: string; epoch: number };
const MOST = { all: 10, failing: 10, capacity: 10, opening: new Map<string, number>(), closing: [] };
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
const isHeld = (change: Partial<typeof holding> = {}): Promise<boolean> =>
  database.db.transaction().execute((tx) => lockHeld(tx, { ...holding, ...change }));

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await query('delete from connections');
  await query('delete from connection_nodes');
  const [instanceId, nodeId] = [newUuid(), newUuid()];
  await query('insert into connections (instance_id, workspace_id, wanted) values ($1, $2, true)', [
    instanceId,
    newUuid(),
  ]);
  await addNode(database.db, nodeId, 60_000);
  const [claimed] = await claimDue(database.db, nodeId, MOST);
  holding = { instanceId, nodeId, epoch: claimed!.epoch };
});
const expire = () => query(`update connection_nodes set lease_until = now() - interval '1 s'`);

test('only the holder passes, with its epoch and its lease', async () => {
  expect(await isHeld()).toBe(true);
  expect(await isHeld({ epoch: holding.epoch + 1 })).toBe(false);
  expect(await isHeld({ epoch: holding.epoch - 1 })).toBe(false);
  expect(await isHeld({ nodeId: newUuid() })).toBe(false);
  expect(await isHeld({ instanceId: newUuid() })).toBe(false);
  await expire();
  expect(await isHeld()).toBe(false);
  await renewNode(database.db, holding.nodeId, 60_000);
  expect(await isHeld()).toBe(true);
  await removeNode(database.db, holding.nodeId);
  expect(await isHeld()).toBe(false);
});

test('a connection is not taken over while a fenced transaction is uncommitted', async () => {
  await database.db.transaction().execute(async (tx) => {
    expect(await lockHeldAt(tx, holding, { at: 7 })).toBe(true);
    await expire();
    expect(await takeOver(database.db)).toBe(0);
  });
  expect(await query('select position, node_id from connections')).toEqual([
    { position: { at: 7 }, node_id: holding.nodeId },
  ]);
  expect(await takeOver(database.db)).toBe(1);
  expect(await isHeld()).toBe(false);
  expect(await query('select from connection_nodes')).toEqual([]);
});

test('a transaction that waited at the fence sees what the other one committed', async () => {
  const { promise: passed, resolve: pass } = Promise.withResolvers<void>();
  const taken = database.db.transaction().execute(async (tx) => {
    await tx.updateTable('connections').set({ epoch: 99 }).execute();
    pass();
    // Waits until the other transaction is blocked by this one.
    await vi.waitFor(async () => {
      const waiting = await query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(waiting).toHaveLength(1);
    });
  });
  await passed;
  expect(await isHeld()).toBe(false);
  await taken;
});

test('a node without a lease claims nothing, and each connection is claimed by one node', async () => {
  await query('update connections set node_id = null');
  const late = newUuid();
  await addNode(database.db, late, -1);
  expect(await claimDue(database.db, late, MOST)).toEqual([]);
  expect(await claimDue(database.db, newUuid(), MOST)).toEqual([]);
  const others = await Promise.all(
    Array.from({ length: 5 }, newUuid).map(async (id) => {
      await addNode(database.db, id, 60_000);
      return claimDue(database.db, id, MOST);
    }),
  );
  expect(others.flat().map(({ epoch }) => epoch)).toEqual([holding.epoch + 1]);
});

test('only failures of a stable connection are reset', async () => {
  const failures = async () => (await query('select failures from connections'))[0].failures;
  await query('update connections set failures = 5');
  await clearFailures(database.db, [{ ...holding, epoch: holding.epoch - 1 }]);
  expect(await failures()).toBe(5);
  await clearFailures(database.db, [holding]);
  expect(await failures()).toBe(0);
});
