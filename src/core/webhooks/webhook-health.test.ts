import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../platform/http/ids.ts';
import { publicId, toUuid } from '../vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { layDelivery } from '../../../test/support/webhooks/deliveries.ts';

let app: TestApp;

// No engine runs, so inserted rows stay unchanged.
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api', EGRESS_ALLOW: '198.51.100.0/24' });
});
afterAll(() => app.stop());

const query = async (text: string, values: unknown[] = []) =>
  (await app.database.pool.query(text, values)).rows;

let count = 0;
async function start() {
  const home = await startWorkspace(app);
  const workspaceId = toUuid('workspace', home.workspace)!;
  const call = (path: string, body?: unknown, method?: string) =>
    app.call(path, { key: home.key, body, method });
  return {
    home,
    workspaceId,
    call,
    async newWebhook(receiver = '') {
      const { body } = await call('/webhooks', { url: `https://198.51.100.7/h-${++count}`, events: ['*'] });
      const uuid = toUuid('webhook', body.id)!;
      if (receiver) await query(`update receivers set ${receiver} where id = $1`, [uuid]);
      return { id: body.id as string, uuid };
    },
    lay: (webhook: { uuid: string }, more: object) =>
      layDelivery(app.database.pool, { workspaceId, webhookId: webhook.uuid, ...more }),
    stats: (webhook: { uuid: string }, hoursAgo: number, succeeded: number, failed: number, ms: number) =>
      query(
        `insert into webhook_stats (workspace_id, webhook_id, hour, succeeded, failed, duration_ms)
         values ($1, $2, date_trunc('hour', now()) - $3 * interval '1 hour', $4, $5, $6)`,
        [workspaceId, webhook.uuid, hoursAgo, succeeded, failed, ms],
      ),
  };
}

describe('GET /webhooks/{id}/health', () => {
  test('tells state, backlog and 24 hours with their zeros', async () => {
    const { call, newWebhook, lay, stats } = await start();
    const webhook = await newWebhook(`last_success_at = now(), last_failure_at = now() - interval '1 day'`);
    const { id } = await lay(webhook, { status: 'pending', due: '2026-01-01T00:00:00Z' });
    await lay(webhook, { status: 'pending', due: '2026-01-02T00:00:00Z' });
    await lay(webhook, { status: 'pending', due: 'tomorrow' });
    await lay(webhook, { status: 'pending', due: 'infinity', orderKey: 'key_a' });
    await lay(webhook, { status: 'sending', due: '2025-01-01T00:00:00Z' });
    await stats(webhook, 0, 3, 1, 400);
    await stats(webhook, 23, 2, 0, 200);
    await stats(webhook, 24, 1000, 1000, 1);
    const { status, body } = await call(`/webhooks/${webhook.id}/health`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'webhook_health',
      webhook_id: webhook.id,
      state: 'healthy',
      failing_since: null,
      waiting: 4,
      waiting_is_capped: false,
      sending: 1,
      oldest_due_at: '2026-01-01T00:00:00.000Z',
      last_24_hours: { succeeded: 5, failed: 1, average_duration_ms: 100 },
    });
    expect(id).toBeTruthy();
    expect(body.hours).toHaveLength(24);
    expect(body.hours[0]).toMatchObject({ succeeded: 2, failed: 0 });
    expect(body.hours[23]).toMatchObject({ succeeded: 3, failed: 1 });
    expect(body.hours[1]).toMatchObject({ succeeded: 0, failed: 0 });
    const times = body.hours.map(({ at }: { at: string }) => Date.parse(at));
    for (let n = 1; n < 24; n++) expect(times[n] - times[n - 1]).toBe(3_600_000);
    expect(Date.now() - times[23]).toBeLessThan(3_660_000);
  });

  test.each([
    ['', 'idle'],
    [`last_success_at = now() - interval '25 hours'`, 'idle'],
    [`last_success_at = now()`, 'healthy'],
    [`failing_since = now() - interval '3 days', last_failure_at = now()`, 'failing'],
    [`failing_since = now(), enabled = false`, 'disabled'],
  ])('%s is %s', async (receiver, state) => {
    const { call, newWebhook } = await start();
    const webhook = await newWebhook(receiver);
    if (state === 'disabled') await call(`/webhooks/${webhook.id}`, { enabled: false }, 'PATCH');
    const { body } = await call(`/webhooks/${webhook.id}/health`);
    expect([body.state, body.last_24_hours.average_duration_ms]).toEqual([state, null]);
    expect(body.disabled_reason).toBe(state === 'disabled' ? 'user' : null);
  });

  test.each([
    [90, 10, 'degraded'],
    [91, 10, 'healthy'],
    [0, 3, 'degraded'],
    [1, 2, 'healthy'],
  ])('%i successes and %i failures in the last 24 hours are %s', async (succeeded, failed, state) => {
    const { call, newWebhook, stats } = await start();
    const webhook = await newWebhook(`last_success_at = now()`);
    await stats(webhook, 0, succeeded, 0, 1);
    await stats(webhook, 23, 0, failed, 1);
    await stats(webhook, 24, 1000, 1000, 1);
    const { body } = await call(`/webhooks/${webhook.id}/health`);
    expect(body.state).toBe(state);
    expect((await call('/delivery-queue')).body.degraded_webhooks).toBe(state === 'degraded' ? 1 : 0);
    for (const receiver of ['enabled = false', 'failing_since = now()', `last_success_at = 'yesterday'`]) {
      await query('update receivers set enabled = true, failing_since = null where id = $1', [webhook.uuid]);
      await query(`update receivers set ${receiver} where id = $1`, [webhook.uuid]);
      expect((await call('/delivery-queue')).body.degraded_webhooks).toBe(0);
    }
  });

  test('is for the workspace and its scope alone', async () => {
    const { home, newWebhook } = await start();
    const webhook = await newWebhook();
    const stranger = await startWorkspace(app);
    const weak = await home.owner.call('/api-keys', {
      workspace: home.workspace,
      body: { name: 'weak', scopes: ['webhooks:write'] },
    });
    const status = async (path: string, key?: string) => (await app.call(path, { key })).status;
    const path = `/webhooks/${webhook.id}/health`;
    expect(await status(path, stranger.key)).toBe(404);
    expect(await status(`/webhooks/${publicId('webhook', newUuid())}/health`, home.key)).toBe(404);
    for (const one of [path, '/webhook-health', '/delivery-queue'])
      expect([await status(one), await status(one, weak.body.secret)]).toEqual([401, 403]);
    expect((await app.call('/webhook-health', { key: stranger.key })).body.data).toEqual([]);
  });
});

describe('GET /webhook-health', () => {
  test('has those that fail first, over pages', async () => {
    const { call, newWebhook, stats } = await start();
    const made: { id: string; uuid: string }[] = [];
    for (const failing of [true, false, true, false, false, true])
      made.push(await newWebhook(failing ? 'failing_since = now()' : ''));
    await stats(made[0]!, 1, 0, 7, 70);
    const expected = [5, 2, 0, 4, 3, 1].map((index) => made[index]!.id);
    for (const limit of [1, 2, 3, 4, 100]) {
      const seen: string[] = [];
      for (let cursor = ''; ;) {
        const { body } = await call(`/webhook-health?limit=${limit}${cursor}`);
        seen.push(...body.data.map((one: { webhook_id: string }) => one.webhook_id));
        if (!body.has_more) break;
        expect(body.data).toHaveLength(limit);
        cursor = `&cursor=${body.next_cursor}`;
      }
      expect([limit, seen]).toEqual([limit, expected]);
    }
    const { body } = await call('/webhook-health');
    expect(body.data[2]).toEqual((await call(`/webhooks/${made[0]!.id}/health`)).body);
    expect(body.data[2].last_24_hours.failed).toBe(7);
    expect((await call('/webhook-health?cursor=MTp4')).body.code).toBe('invalid_cursor');
  });
});

describe('GET /delivery-queue', () => {
  test('tells of the whole workspace, and of no other', async () => {
    const { call, newWebhook, lay, stats } = await start();
    const other = await start();
    const busy = await newWebhook(`failing_since = now(), last_failure_at = '2026-02-01T00:00:00Z'`);
    const quiet = await newWebhook(`last_success_at = '2026-02-02T00:00:00Z'`);
    const degraded = await newWebhook(`last_success_at = now()`);
    const recovered = await newWebhook(`last_success_at = now()`);
    const off = await newWebhook(`last_success_at = now()`);
    await call(`/webhooks/${off.id}`, { enabled: false }, 'PATCH');
    await lay(busy, { status: 'pending', due: 'yesterday' });
    await lay(quiet, { status: 'pending', due: 'now' });
    await lay(quiet, { status: 'pending', due: 'tomorrow' });
    await lay(quiet, { status: 'sending' });
    await other.lay(await other.newWebhook(), { status: 'pending', due: '2026-01-01' });
    await stats(busy, 0, 1, 2, 5);
    await stats(quiet, 0, 4, 0, 5);
    await stats(quiet, 1, 10, 0, 5);
    for (const one of [degraded, off]) await stats(one, 5, 4, 3, 5);
    await stats(recovered, 24, 0, 100, 5);
    await stats(recovered, 2, 90, 3, 5);
    const { status, body } = await call('/delivery-queue');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'delivery_queue',
      waiting: 3,
      waiting_is_capped: false,
      due: 2,
      due_is_capped: false,
      sending: 1,
      attempts_this_hour: 7,
      attempts_previous_hour: 10,
      failing_webhooks: 1,
      degraded_webhooks: 1,
      disabled_webhooks: 1,
    });
    const age = (Date.now() - Date.parse(body.oldest_due_at)) / 1000;
    expect(Math.abs(age - body.oldest_due_seconds)).toBeLessThan(10);
    expect(body.oldest_due_seconds).toBeGreaterThan(0);
  });

  test('counts to 10,000 and says so', async () => {
    const { call, newWebhook, workspaceId } = await start();
    const webhook = await newWebhook();
    await query(
      `insert into delivery_queue (delivery_id, workspace_id, receiver_id, event_id, position, due_at)
       select gen_random_uuid(), $1, $2, gen_random_uuid(), n, now() from generate_series(1, 10001) n`,
      [workspaceId, webhook.uuid],
    );
    const { body } = await call('/delivery-queue');
    expect([body.waiting, body.waiting_is_capped, body.due, body.due_is_capped]).toEqual([
      10_000,
      true,
      10_000,
      true,
    ]);
    const one = (await call(`/webhooks/${webhook.id}/health`)).body;
    expect([one.waiting, one.waiting_is_capped]).toEqual([10_000, true]);
    const [listed] = (await call('/webhook-health')).body.data;
    expect([listed.waiting, listed.waiting_is_capped]).toEqual([1000, true]);
  });

  test('is all zeros in a new workspace', async () => {
    const { call } = await start();
    expect((await call('/delivery-queue')).body).toEqual({
      object: 'delivery_queue',
      waiting: 0,
      waiting_is_capped: false,
      sending: 0,
      oldest_due_at: null,
      due: 0,
      due_is_capped: false,
      oldest_due_seconds: null,
      last_attempt_at: null,
      attempts_this_hour: 0,
      attempts_previous_hour: 0,
      failing_webhooks: 0,
      degraded_webhooks: 0,
      disabled_webhooks: 0,
    });
  });
});
