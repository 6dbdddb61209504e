/** Tests slow receivers of one person with several workspaces. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { insertWebhook, startEngine } from '../../../../test/support/webhooks/delivery.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('three workspaces of one person hold seven eighths of the slots, and none of another waits for them', async () => {
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const engine = startEngine(database.db, {
    async exchange({ url }) {
      if (url.endsWith('/slow')) await answered;
      return { status: 200, headers: {}, body: Buffer.alloc(0), truncated: false, remoteAddress: null };
    },
  });
  const write = (workspaceId: string, count: number) =>
    engine.units.write(async (unit) => {
      for (let n = 0; n < count; n++)
        await unit.events.write(unit, { workspaceId, type: 'api_key.updated', resourceId: null, object: {} });
    });
  const person = newUuid();
  for (let n = 0; n < 3; n++) {
    const workspaceId = newUuid();
    await database.pool.query(`insert into members (workspace_id, user_id, role) values ($1, $2, 'owner')`, [
      workspaceId,
      person,
    ]);
    await insertWebhook(database.db, { workspaceId, url: 'http://127.0.0.1:9/slow', concurrency: 200 });
    await write(workspaceId, 250);
  }
  await vi.waitFor(() => expect(engine.worker.sending()).toBe(448), PATIENCE);

  const other = newUuid();
  await insertWebhook(database.db, { workspaceId: other, url: 'http://127.0.0.1:9/fast' });
  await write(other, 40);
  await vi.waitFor(() => expect(engine.attempts).toHaveLength(40), PATIENCE);
  expect(engine.worker.sending()).toBe(448);
  answer();
  await vi.waitFor(() => expect(engine.attempts).toHaveLength(790), PATIENCE);
  await engine.stop();
  expect(engine.logged).toEqual([]);
});
