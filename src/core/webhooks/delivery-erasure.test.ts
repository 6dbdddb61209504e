import { afterAll, beforeAll, expect, test } from 'vitest';
import { newUuid } from '../../platform/http/ids.ts';
import { toUuid } from '../vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { eraseWorkspace } from '../workspaces/erasure.ts';
import { completeDeliveries, takePendingWakeups, type Completed } from './delivery/complete.system-store.ts';
import { layAttempt, layDelivery } from '../../../test/support/webhooks/deliveries.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api', EGRESS_ALLOW: '198.51.100.0/24' });
});
afterAll(() => app.stop());

const query = async (text: string, values: unknown[] = []) =>
  (await app.database.pool.query(text, values)).rows;

const TABLES = [
  'webhooks',
  'receivers',
  'receiver_wakes',
  'webhook_subscriptions',
  'webhook_stats',
  'deliveries',
  'delivery_attempts',
  'delivery_queue',
];
async function toRows(workspaceId: string): Promise<Record<string, number>> {
  const counts = TABLES.map(async (table) => {
    const [row] = await query(`select count(*)::int as n from ${table} where workspace_id = $1`, [
      workspaceId,
    ]);
    return [table, row.n] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

test('an attempt that ends after its workspace was erased brings no row back', async () => {
  const home = await startWorkspace(app);
  const workspaceId = toUuid('workspace', home.workspace)!;
  const webhook = await app.call('/webhooks', {
    key: home.key,
    body: { url: 'https://198.51.100.7/erased', events: ['*'] },
  });
  const webhookId = toUuid('webhook', webhook.body.id)!;
  const { pool, db } = app.database;
  const { id } = await layDelivery(pool, { workspaceId, webhookId, status: 'sending' });
  await layAttempt(pool, workspaceId, id);
  const [{ claimed_by: worker }] = await query(
    'select claimed_by from delivery_queue where delivery_id = $1',
    [id],
  );
  await query('insert into webhook_stats (workspace_id, webhook_id, hour) values ($1, $2, now())', [
    workspaceId,
    webhookId,
  ]);
  await query('insert into receiver_wakes (workspace_id, receiver_id) values ($1, $2)', [
    workspaceId,
    webhookId,
  ]);
  expect(Object.values(await toRows(workspaceId)).every((count) => count > 0)).toBe(true);

  const { slug } = (await home.owner.call('/me', { workspace: home.workspace })).body.workspace;
  const path = `/workspaces/${home.workspace}?slug=${slug}`;
  expect(await home.owner.call(path, { workspace: home.workspace, method: 'DELETE' })).toHaveStatus(204);
  await eraseWorkspace({ db }, { workspaceId });
  const none = Object.fromEntries(TABLES.map((table) => [table, 0]));
  expect(await toRows(workspaceId)).toEqual(none);

  const late: Completed = {
    delivery_id: id,
    workspace_id: workspaceId,
    receiver_id: webhookId,
    outcome: 'failed',
    reason: null,
    due_ms: 5000,
    step: 1,
    timed_out: false,
    attempt: {
      id: newUuid(),
      started_at: new Date().toISOString(),
      duration_ms: 5,
      url: 'https://198.51.100.7/erased',
      remote_address: null,
      request_headers: {},
      request_body: null,
      status_code: 500,
      response_headers: {},
      response_body: '',
      response_truncated: false,
      error_code: null,
      error_detail: null,
    },
  };
  for (const completed of [late, { ...late, outcome: 'succeeded' as const, due_ms: null }])
    await db.transaction().execute(async (tx) => {
      await takePendingWakeups(tx, [webhookId]);
      await completeDeliveries(tx, worker, [completed]);
    });
  expect(await toRows(workspaceId)).toEqual(none);
});
