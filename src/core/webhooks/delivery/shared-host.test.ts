/** Tests that webhooks of many workspaces may share a host if it belongs to an automation platform. */
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

test('one that hangs takes no connection from another of the same host', async () => {
  const [hanging, healthy] = [newUuid(), newUuid()];
  const receiver = await startReceiver(({ headers }) => (headers['x-hangs'] ? null : 200));
  const engine = startEngine(database.db);
  await insertWebhook(database.db, {
    workspaceId: hanging,
    url: receiver.url,
    concurrency: 200,
    headers: { 'X-Hangs': 'yes' },
  });
  await insertWebhook(database.db, { workspaceId: healthy, url: receiver.url });
  const write = (workspaceId: string, count: number) =>
    engine.units.write(async (unit) => {
      for (let n = 0; n < count; n++)
        await unit.events.write(unit, { workspaceId, type: 'api_key.updated', resourceId: null, object: {} });
    });
  await write(hanging, 300);
  await vi.waitFor(() => expect(engine.worker.sending()).toBe(200));
  await write(healthy, 5);
  await vi.waitFor(() => expect(engine.attempts).toHaveLength(5));
  expect(engine.attempts.map(({ outcome }) => outcome)).toEqual(Array(5).fill('succeeded'));
  await receiver.close();
  await engine.stop();
});
