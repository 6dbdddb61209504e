/**
 * Tests that pending deliveries are canceled in batches, and that the webhook may be enabled again between two of them.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { startReceiver } from '../../../../test/support/webhooks.ts';
import { cancelWaiting, MAX_CANCELED, takePendingWakeups } from './complete.system-store.ts';
import { insertWebhook, startEngine } from '../../../../test/support/webhooks/delivery.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const BEYOND = 5;
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;

test('what is left when an ordered webhook is enabled again is sent, and waits for nothing that is gone', async () => {
  const workspaceId = newUuid();
  const receiver = await startReceiver();
  const { id } = await insertWebhook(database.db, { workspaceId, url: receiver.url, ordered: true });
  await query(
    `with new as (
       insert into events (id, workspace_id, sequence, type, resource_id, data, created_at)
       select gen_random_uuid(), $1, n, 'api_key.updated', 'one', '{"object": {}}', now() from generate_series(1, $3::int) n
       returning id, sequence
     ), told as (
       insert into deliveries (workspace_id, id, webhook_id, event_id, event_type, created_at)
       select $1, id, $2, id, 'api_key.updated', now() from new
     )
     insert into delivery_queue (delivery_id, workspace_id, receiver_id, event_id, position, order_key, due_at)
     select id, $1, $2, id, sequence, 'one', case sequence when 1 then now() else 'infinity' end from new order by sequence`,
    [workspaceId, id, MAX_CANCELED + BEYOND],
  );
  await query('update receivers set enabled = false where id = $1', [id]);
  await database.db.transaction().execute(async (tx) => {
    await takePendingWakeups(tx, []);
    expect(await cancelWaiting(tx, [id])).toBe(MAX_CANCELED);
  });
  await query('update receivers set enabled = true where id = $1', [id]);
  const engine = startEngine(database.db);
  await vi.waitFor(() => expect(receiver.received).toHaveLength(BEYOND));
  const sent = receiver.received.map(({ body }) => JSON.parse(body).sequence);
  expect(sent).toEqual([...sent].sort((a, b) => a - b));
  await vi.waitFor(async () => expect(await query('select from delivery_queue')).toEqual([]));
  await engine.stop();
  await receiver.close();
});

test('a webhook that ends beside one with a long queue has its own canceled too', async () => {
  const workspaceId = newUuid();
  const [long, short] = [newUuid(), newUuid()].sort();
  const wait = (id: string, count: number) =>
    query(
      `with new as (
         insert into delivery_queue (delivery_id, workspace_id, receiver_id, event_id, position, due_at)
         select gen_random_uuid(), $1, $2, gen_random_uuid(), n, now() - interval '1 min' from generate_series(1, $3::int) n
         returning workspace_id, receiver_id
       ) insert into receiver_wakes (workspace_id, receiver_id) select distinct workspace_id, receiver_id from new`,
      [workspaceId, id, count],
    );
  await wait(long!, MAX_CANCELED * 2 + BEYOND);
  await wait(short!, BEYOND);
  // Both webhooks were deleted before their wake-ups were processed.
  const engine = startEngine(database.db);
  await vi.waitFor(async () =>
    expect(await query('select from delivery_queue where workspace_id = $1', [workspaceId])).toEqual([]),
  );
  await vi.waitFor(async () => expect(await query('select from receiver_wakes')).toEqual([]));
  await engine.stop();
});
