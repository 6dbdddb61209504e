/** Tests that error texts from receivers, such as names in their certificates, never stop a cycle. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { startHttp } from '../../../../test/support/egress.ts';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { insertWebhook, startEngine } from '../../../../test/support/webhooks/delivery.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a detail that is cut within a character, or holds NUL, is recorded without it', async () => {
  const workspaceId = newUuid();
  const fault = Object.assign(new Error(), { code: 'tls_failed', detail: `\0${'x'.repeat(498)}😀 and more` });
  const engine = startEngine(database.db, { exchange: () => Promise.reject(fault) });
  const { id } = await insertWebhook(database.db, { workspaceId, url: 'https://receiver.example/' });
  await engine.units.write((unit) =>
    unit.events.write(unit, { workspaceId, type: 'api_key.updated', resourceId: null, object: {} }),
  );
  await vi.waitFor(async () => {
    const { rows } = await database.pool.query(
      `select a.error_code, a.error_detail from delivery_attempts a
       join deliveries d on d.id = a.delivery_id where d.webhook_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ error_code: 'tls_failed', error_detail: `�${'x'.repeat(498)}�` }]);
  });
  expect(engine.logged).toEqual([]);
  await engine.stop();
});

test('a receiver that answers 200 and keeps its response open has accepted, and is called once', async () => {
  const workspaceId = newUuid();
  let calls = 0;
  const { port } = await startHttp((request, response) => {
    request.resume();
    calls += 1;
    response.write('{"ok":');
  });
  const engine = startEngine(database.db);
  const { id } = await insertWebhook(database.db, { workspaceId, url: `http://127.0.0.1:${port}/` });
  await engine.units.write((unit) =>
    unit.events.write(unit, { workspaceId, type: 'api_key.updated', resourceId: null, object: {} }),
  );
  await vi.waitFor(async () => {
    const { rows } = await database.pool.query(
      `select d.status, a.status_code, a.error_code, a.response_truncated, a.response_body
       from delivery_attempts a join deliveries d on d.id = a.delivery_id where d.webhook_id = $1`,
      [id],
    );
    expect(rows).toEqual([
      {
        status: 'succeeded',
        status_code: 200,
        error_code: null,
        response_truncated: true,
        response_body: Buffer.from('{"ok":'),
      },
    ]);
  }, PATIENCE);
  const waiting = await database.pool.query('select 1 from delivery_queue where receiver_id = $1', [id]);
  expect([calls, waiting.rows]).toEqual([1, []]);
  await engine.stop();
});

test('an attempt that the database cannot record costs its record, and stops nobody', async () => {
  const workspaceId = newUuid();
  const answer = { headers: {}, body: Buffer.alloc(0), truncated: false, remoteAddress: null };
  const engine = startEngine(database.db, {
    exchange: async ({ url }) => ({ ...answer, status: url.endsWith('/odd') ? 70_000 : 200 }),
  });
  const odd = await insertWebhook(database.db, { workspaceId, url: 'https://receiver.example/odd' });
  const well = await insertWebhook(database.db, { workspaceId, url: 'https://receiver.example/well' });
  await engine.units.write((unit) =>
    unit.events.write(unit, { workspaceId, type: 'api_key.updated', resourceId: null, object: {} }),
  );
  const getStatus = async (id: string) =>
    (await database.pool.query('select status from deliveries where webhook_id = $1', [id])).rows;
  await vi.waitFor(async () => expect(await getStatus(well.id)).toEqual([{ status: 'succeeded' }]));
  await vi.waitFor(async () => {
    const { rows } = await database.pool.query(
      'select step, claimed_by from delivery_queue where receiver_id = $1',
      [odd.id],
    );
    expect(rows).toEqual([{ step: 1, claimed_by: null }]);
  });
  expect(engine.logged).toEqual([expect.stringContaining('out of range')]);
  await engine.stop();
});
