import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { timeOfUuid } from '../../platform/db/uuid-time.ts';
import { unitsFor } from '../../../test/support/events/outbox.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { publicId, toUuid } from '../vocabulary/ids.ts';
import { UNSHARED } from '../../platform/jobs/turn.ts';
import { performInTurns } from '../../../test/support/job-turns.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { giveUpReplay, executeReplay, type ReplayPayload } from './replay.ts';
import { getRetentionStart } from './replay.service.ts';
import { layDelivery, layEvent } from '../../../test/support/webhooks/deliveries.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let workspaceId: string;

// Neither engine nor jobs: the tests perform the job themselves.
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api', EGRESS_ALLOW: '198.51.100.0/24' });
  home = await startWorkspace(app);
  workspaceId = toUuid('workspace', home.workspace)!;
});
afterAll(() => app.stop());

const query = async (text: string, values: unknown[] = []) =>
  (await app.database.pool.query(text, values)).rows;
const call = (path: string, body?: unknown, method?: string, key = home.key) =>
  app.call(path, { key, body, method });

interface Webhook {
  id: string;
  uuid: string;
}

let count = 0;
async function newWebhook(body: object = {}): Promise<Webhook> {
  const answer = await call('/webhooks', {
    url: `https://198.51.100.7/r-${++count}`,
    events: ['member.updated'],
    ...body,
  });
  expect(answer).toHaveStatus(201);
  return { id: answer.body.id, uuid: toUuid('webhook', answer.body.id)! };
}

const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
const replay = (webhook: Webhook, body: object = {}) =>
  call(`/webhooks/${webhook.id}/replay`, { since: anHourAgo(), ...body });

/**
 * Requests a replay.
 * @returns the job's payload
 */
async function ask(webhook: Webhook, body: object = {}): Promise<ReplayPayload> {
  const { status, body: job } = await replay(webhook, body);
  expect(status).toBe(202);
  expect(job).toMatchObject({ object: 'job', type: 'webhooks.replay', state: 'queued' });
  const [row] = await query(
    `select data from pgboss.job where name = 'webhooks.replay' and data ->> 'jobId' = $1`,
    [toUuid('job', job.id)],
  );
  return row.data;
}

const deps = (onWake = () => {}) => ({ units: unitsFor(app.database.db), wakeDeliveries: onWake });
const perform = (payload: ReplayPayload) => executeReplay(deps(), payload);
const getJob = async ({ jobId }: ReplayPayload) => (await call(`/jobs/${publicId('job', jobId)}`)).body;

/** Ends the work after so many batches, as a process that dies between two. */
async function performBatches(payload: ReplayPayload, batches: number): Promise<void> {
  const dying = new AbortController();
  let done = 0;
  const wake = () => {
    if (++done === batches) dying.abort(new Error('died'));
  };
  await expect(executeReplay(deps(wake), payload, { ...UNSHARED, signal: dying.signal })).rejects.toThrow(
    'died',
  );
}

const lay = (webhook: Webhook, more: object = {}) =>
  layDelivery(app.database.pool, { workspaceId, webhookId: webhook.uuid, ...more });
const queued = async (webhook: Webhook): Promise<string[]> =>
  (
    await query('select delivery_id from delivery_queue where receiver_id = $1 order by 1', [webhook.uuid])
  ).map(({ delivery_id }) => delivery_id);
const eventsQueued = async (webhook: Webhook): Promise<string[]> =>
  (await query('select event_id from delivery_queue where receiver_id = $1 order by 1', [webhook.uuid])).map(
    ({ event_id }) => event_id,
  );

/**
 * Inserts many completed deliveries in one statement, each with an event; every `each`th is exhausted, the others
 * succeeded.
 */
async function layMany(webhook: Webhook, many: number, each: number): Promise<void> {
  await query(
    `with made as (
       select n, (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 100000 + n), 12, '0') || '7000' ||
               '8' || lpad(to_hex($4::int), 3, '0') || '000000000000')::uuid as id
       from generate_series(1, $3::int) n
     ), logged as (
       insert into events (id, workspace_id, sequence, type, data, created_at)
       select id, $1, 1000000 + $4::int * 100000 + n, 'api_key.created', '{}', now() from made
     )
     insert into deliveries (workspace_id, id, webhook_id, event_id, event_type, status, attempts, completed_at, failed_as, created_at)
     select $1, id, $2, id, 'api_key.created', case when n % $5::int = 0 then 'exhausted' else 'succeeded' end, 1, now(),
            case when n % $5::int = 0 then 'exhausted' end, now()
     from made`,
    [workspaceId, webhook.uuid, many, ++count, each],
  );
}

describe('POST /webhooks/{id}/replay', () => {
  test('takes turns with others, and each turn goes on behind the one before', async () => {
    const webhook = await newWebhook();
    await layMany(webhook, 1_200, 1);
    const payload = await ask(webhook);
    const turns = await performInTurns((left, turn) => executeReplay(deps(), left, turn), payload);
    expect(turns).toBeGreaterThan(2);
    expect(await queued(webhook)).toHaveLength(1_200);
    expect(await getJob(payload)).toMatchObject({ state: 'succeeded', result: { deliveries: 1_200 } });
  });

  test('makes each waiting delivery due once, also where a process dies between batches', async () => {
    const webhook = await newWebhook();
    await query(
      `insert into delivery_queue (delivery_id, workspace_id, receiver_id, event_id, position, due_at)
       select id, $1, $2, id, n, now() + interval '1 day'
       from generate_series(1, 1200) n, lateral (
         select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 100000 + n), 12, '0') ||
                 '70008eee000000000000')::uuid as id
       ) made`,
      [workspaceId, webhook.uuid],
    );
    const due = async () =>
      (
        await query(
          'select count(*)::int as count from delivery_queue where receiver_id = $1 and due_at <= now()',
          [webhook.uuid],
        )
      )[0].count;
    const payload = await ask(webhook, { status: 'pending' });
    await performBatches(payload, 1);
    expect(await due()).toBe(500);
    // Their attempts failed in the meantime: they wait for the next one.
    await query(`update delivery_queue set due_at = now() + interval '1 day' where receiver_id = $1`, [
      webhook.uuid,
    ]);
    await perform(payload);
    expect(await due()).toBe(700);
    expect(await getJob(payload)).toMatchObject({ state: 'succeeded', result: { deliveries: 1_200 } });
  });

  test('leaves deliveries that began to wait after the replay did', async () => {
    const webhook = await newWebhook();
    const before = await lay(webhook, { status: 'pending', due: 'tomorrow' });
    const payload = await ask(webhook, { status: 'pending' });
    await vi.waitFor(() => expect(newUuid().slice(0, 13) > payload.jobId.slice(0, 13)).toBe(true));
    const after = await lay(webhook, { status: 'pending', due: 'tomorrow' });
    await perform({ ...payload, until: new Date(Date.now() + 60_000).toISOString() });
    const due = await query(
      'select delivery_id from delivery_queue where receiver_id = $1 and due_at <= now()',
      [webhook.uuid],
    );
    expect(due).toEqual([{ delivery_id: before.id }]);
    expect(await queued(webhook)).toEqual([before.id, after.id]);
  });

  test('sends what the receiver has not got, and what it has only where that is asked for', async () => {
    const webhook = await newWebhook();
    const exhausted = await lay(webhook, { attempts: 10 });
    const canceled = await lay(webhook, { status: 'canceled' });
    const succeeded = await lay(webhook, { status: 'succeeded' });
    const pending = await lay(webhook, { status: 'pending', due: 'tomorrow' });
    const other = await lay(await newWebhook());
    const missing = await layEvent(app.database.pool, workspaceId, { type: 'member.updated' });
    await layEvent(app.database.pool, workspaceId, { type: 'ping' });
    const payload = await ask(webhook);
    await perform(payload);
    expect(await getJob(payload)).toMatchObject({
      state: 'succeeded',
      progress: { done: 4, total: null },
      result: { deliveries: 4, skipped: 0 },
      error: null,
    });
    const [waited] = await query(
      'select due_at <= now() as is_due from delivery_queue where delivery_id = $1',
      [pending.id],
    );
    expect(waited).toEqual({ is_due: true });
    const now = await queued(webhook);
    expect(now).toEqual(expect.arrayContaining([exhausted.id, canceled.id, pending.id]));
    expect(now).not.toContain(succeeded.id);
    expect(await eventsQueued(webhook)).toContain(missing.id);
    expect(now).toHaveLength(4);
    expect(await query('select status from deliveries where id = $1', [other.id])).toEqual([
      { status: 'exhausted' },
    ]);
    const [row] = await query('select attempts, step from delivery_queue where delivery_id = $1', [
      exhausted.id,
    ]);
    expect(row).toEqual({ attempts: 10, step: 0 });
    expect(
      await query('select 1 from receiver_wakes where receiver_id = $1 limit 1', [webhook.uuid]),
    ).toHaveLength(1);

    const all = await ask(webhook, { status: 'succeeded' });
    await perform(all);
    expect((await getJob(all)).result).toEqual({ deliveries: 1, skipped: 0 });
    expect(await queued(webhook)).toContain(succeeded.id);
    const again = await ask(webhook);
    await perform(again);
    expect((await getJob(again)).result).toEqual({ deliveries: 0, skipped: 0 });
  });

  test('takes events of the span alone, by their own time', async () => {
    const webhook = await newWebhook();
    const first = await lay(webhook);
    await vi.waitFor(() => expect(newUuid().slice(0, 13) > first.eventId.slice(0, 13)).toBe(true));
    const second = await lay(webhook);
    await vi.waitFor(() => expect(newUuid().slice(0, 13) > second.eventId.slice(0, 13)).toBe(true));
    const third = await lay(webhook);
    const at = timeOfUuid(second.eventId).toISOString();
    await perform(await ask(webhook, { since: at, until: at, status: 'exhausted' }));
    expect(await queued(webhook)).toEqual([second.id]);
    await perform(await ask(webhook, { since: at, status: 'exhausted' }));
    expect(await queued(webhook)).toEqual([second.id, third.id]);
    await perform(await ask(webhook, { until: at, status: 'exhausted' }));
    expect(await queued(webhook)).toEqual([first.id, second.id, third.id]);
  });

  test('finds what is missing by patterns and filters', async () => {
    const made = await call('/links', { url: 'https://example.com/' });
    const link = made.body.id;
    const other = publicId('link', newUuid());
    const insertEvents = (object: object) =>
      layEvent(app.database.pool, workspaceId, { type: 'workspace.updated', data: { object } });
    const named = await insertEvents({ id: 'x', object: 'thing', link_id: link });
    await insertEvents({ id: 'x', object: 'thing', link_id: other });
    await insertEvents({ id: 'x', object: 'thing' });
    await layEvent(app.database.pool, workspaceId, {
      type: 'invitation.created',
      data: { object: { link_id: link } },
    });
    const webhook = await newWebhook({
      events: ['workspace.*', 'workspace.updated'],
      filters: { link_id: link },
    });
    await perform(await ask(webhook, { status: ['missing'] }));
    expect(await eventsQueued(webhook)).toEqual([named.id]);
    expect(
      (await query('select status, attempts from deliveries where webhook_id = $1', [webhook.uuid]))[0],
    ).toEqual({
      status: 'pending',
      attempts: 0,
    });
  });

  test('keeps the order of ordered webhooks', async () => {
    const webhook = await newWebhook({ ordering: 'per_resource', events: ['member.*'] });
    const { pool } = app.database;
    await lay(webhook, { orderKey: 'usr_a' });
    await layEvent(pool, workspaceId, { type: 'member.removed', resourceId: 'usr_ordered' });
    await perform(await ask(webhook));
    const rows = await query(
      `select order_key, due_at = 'infinity' as behind from delivery_queue where receiver_id = $1 and order_key like 'usr_%' order by 1`,
      [webhook.uuid],
    );
    expect(rows).toEqual([
      { order_key: 'usr_a', behind: true },
      { order_key: 'usr_ordered', behind: true },
    ]);
    const wakes = await query('select order_key from receiver_wakes where receiver_id = $1', [webhook.uuid]);
    expect(wakes.map(({ order_key }) => order_key)).toEqual(expect.arrayContaining(['usr_a', 'usr_ordered']));
  });

  test.each([1, 2, 5])(
    'that dies after %i batches goes on: nothing twice, nothing left out',
    async (batches) => {
      const webhook = await newWebhook({ events: ['api_key.created'] });
      await layMany(webhook, 1800, 3);
      await query(
        `delete from deliveries where webhook_id = $1 and (status = 'succeeded' and ('x' || right(left(id::text, 13), 4))::bit(16)::int % 2 = 0)`,
        [webhook.uuid],
      );
      const [{ had }] = await query('select count(*)::int as had from deliveries where webhook_id = $1', [
        webhook.uuid,
      ]);
      const [{ events }] = await query(
        `select count(*)::int as events from events where workspace_id = $1 and type = 'api_key.created' and id >= $2`,
        [workspaceId, '00000000-0000-0000-0000-000000000000'],
      );
      const payload = await ask(webhook, { status: ['exhausted', 'succeeded', 'missing'] });
      await performBatches(payload, batches);
      const halfway = await getJob(payload);
      expect(halfway.state).toBe('running');
      expect(halfway.progress.done).toBeGreaterThan(0);
      expect(halfway.progress.done).toBeLessThan(events);
      expect(await queued(webhook)).toHaveLength(halfway.progress.done);
      // Settled meanwhile: it is not taken up a second time.
      const [settled] = await queued(webhook);
      await query('delete from delivery_queue where delivery_id = $1', [settled]);
      await query(`update deliveries set status = 'succeeded' where id = $1`, [settled]);
      await Promise.all([perform(payload), perform(payload)]);
      expect((await getJob(payload)).result).toEqual({ deliveries: events, skipped: 0 });
      const now = await eventsQueued(webhook);
      expect(now).toHaveLength(events - 1);
      expect(new Set(now).size).toBe(events - 1);
      expect(had).toBeLessThan(events);
    },
  );

  test('two at once make one delivery of what is missing', async () => {
    await layEvent(app.database.pool, workspaceId, { type: 'api_key.rotated' });
    const webhook = await newWebhook({ events: ['api_key.rotated'] });
    const payloads = [await ask(webhook), await ask(webhook)];
    await Promise.all(payloads.map(perform));
    const results = await Promise.all(payloads.map(async (one) => (await getJob(one)).result.deliveries));
    expect(results.toSorted()).toEqual([0, 1]);
    expect(await eventsQueued(webhook)).toHaveLength(1);
  });

  test('ends where the webhook is disabled or deleted meanwhile, and says what was done', async () => {
    for (const [change, code] of [
      ['PATCH', 'webhook_disabled'],
      ['DELETE', 'webhook_deleted'],
    ] as const) {
      const webhook = await newWebhook();
      await layMany(webhook, 1200, 1);
      const payload = await ask(webhook);
      await performBatches(payload, 1);
      const path = `/webhooks/${webhook.id}`;
      await (change === 'PATCH' ? call(path, { enabled: false }, 'PATCH') : call(path, undefined, 'DELETE'));
      await perform(payload);
      expect(await getJob(payload)).toMatchObject({
        state: 'canceled',
        error: { code },
        result: { deliveries: 500, skipped: 0 },
      });
      await perform(payload);
    }
  });

  test('leaves out what cannot be sent any more, and says so', async () => {
    const webhook = await newWebhook();
    const { eventId } = await lay(webhook);
    await lay(webhook, { attempts: 10_000 });
    await query('delete from events where id = $1', [eventId]);
    const payload = await ask(webhook, { status: 'exhausted' });
    await perform(payload);
    expect((await getJob(payload)).result).toEqual({ deliveries: 0, skipped: 2 });
  });

  test('that is given up after its last try is told as failed', async () => {
    const payload = await ask(await newWebhook());
    await giveUpReplay(deps().units, payload);
    expect(await getJob(payload)).toMatchObject({ state: 'failed', error: { code: 'internal_error' } });
    await perform(payload);
    expect((await getJob(payload)).state).toBe('failed');
  });

  test('refuses spans that are over, turned round or not there; other webhooks, disabled ones, weak keys', async () => {
    const webhook = await newWebhook();
    const early = await replay(webhook, { since: new Date(Date.now() - 40 * 86_400_000).toISOString() });
    expect([early.status, early.body.code, early.body.errors[0].pointer]).toEqual([
      422,
      'unprocessable',
      '/since',
    ]);
    expect(early.body.detail).toContain(getRetentionStart(new Date()).toISOString());
    const round = await replay(webhook, { until: new Date(Date.now() - 7_200_000).toISOString() });
    expect([round.status, round.body.errors[0].code]).toEqual([422, 'after_until']);
    for (const body of [
      { since: undefined },
      { since: 'today' },
      { status: 'sending' },
      { status: [] },
      { to: 1 },
    ])
      expect([body, (await replay(webhook, body)).status]).toEqual([body, 400]);
    const path = `/webhooks/${webhook.id}/replay`;
    const reader = await home.owner.call('/api-keys', {
      workspace: home.workspace,
      body: { name: 'reader', scopes: ['webhooks:read'] },
    });
    const since = anHourAgo();
    expect(await call(path, { since }, 'POST', reader.body.secret)).toHaveStatus(403);
    expect(await call(path, { since }, 'POST', (await startWorkspace(app)).key)).toHaveStatus(404);
    expect(await app.call(path, { body: { since } })).toHaveStatus(401);
    await call(`/webhooks/${webhook.id}`, { enabled: false }, 'PATCH');
    expect((await replay(webhook)).body.code).toBe('webhook_disabled');
    expect(
      await query(`select 1 from pgboss.job where name = 'webhooks.replay' and data ->> 'webhookId' = $1`, [
        webhook.uuid,
      ]),
    ).toEqual([]);
  });
});
