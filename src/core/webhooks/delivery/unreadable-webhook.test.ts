/** Tests that a webhook whose secret can't be opened affects no other webhook. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { startReceiver } from '../../../../test/support/webhooks.ts';
import { insertWebhook, startEngine } from '../../../../test/support/webhooks/delivery.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('its deliveries wait, and those claimed with them are sent', async () => {
  const workspaceId = newUuid();
  const receiver = await startReceiver();
  const engine = startEngine(database.db);
  const { id } = await insertWebhook(database.db, { workspaceId, url: receiver.url });
  await insertWebhook(database.db, { workspaceId, url: receiver.url });
  await database.pool.query(
    `update webhooks set secret_sealed = (select secret_sealed from webhooks where id <> $1) where id = $1`,
    [id],
  );
  await engine.units.write(async (unit) => {
    for (let n = 0; n < 3; n++)
      await unit.events.write(unit, {
        workspaceId,
        type: 'api_key.updated',
        resourceId: null,
        object: { n },
      });
  });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(3));
  await vi.waitFor(async () => {
    const { rows } = await database.pool.query(
      `select receiver_id, attempts, claimed_by, due_at > now() + interval '20 s' as later from delivery_queue`,
    );
    const waiting = { receiver_id: id, attempts: 0, claimed_by: null, later: true };
    expect(rows).toEqual([waiting, waiting, waiting]);
  });
  expect(engine.logged).toHaveLength(3);
  await engine.stop();
  await receiver.close();
});
