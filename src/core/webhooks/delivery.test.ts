import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { timeOfUuid } from '../../platform/db/uuid-time.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { publicId, toUuid } from '../vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import {
  layAttempt,
  layDelivery,
  type LaidDelivery,
  layEvent,
} from '../../../test/support/webhooks/deliveries.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let workspaceId: string;

// No engine runs, so inserted rows stay unchanged.
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

let count = 0;
async function newWebhook(body: object = {}): Promise<{ id: string; uuid: string }> {
  const answer = await call('/webhooks', {
    url: `https://198.51.100.7/d-${++count}`,
    events: ['*'],
    ...body,
  });
  expect(answer).toHaveStatus(201);
  return { id: answer.body.id, uuid: toUuid('webhook', answer.body.id)! };
}
const lay = (webhook: { uuid: string }, more: Partial<LaidDelivery> = {}) =>
  layDelivery(app.database.pool, { workspaceId, webhookId: webhook.uuid, ...more });
const shown = (uuid: string) => publicId('delivery', uuid);
const retry = (uuid: string, key = home.key) => call(`/deliveries/${shown(uuid)}/retry`, {}, 'POST', key);
const getQueue = (webhook: { uuid: string }) =>
  query(
    `select delivery_id, attempts, step, order_key, claimed_by, due_at <= now() as due, due_at = 'infinity' as behind
     from delivery_queue where receiver_id = $1 order by delivery_id`,
    [webhook.uuid],
  );
const getWakeups = (webhook: { uuid: string }) =>
  query('select order_key from receiver_wakes where receiver_id = $1 order by n', [webhook.uuid]);

describe('GET /events/{id}/deliveries', () => {
  test('lists those of one event to all webhooks, over pages', async () => {
    const [first, second] = [await newWebhook(), await newWebhook()];
    const { id: eventId } = await layEvent(app.database.pool, workspaceId);
    const exhausted = await lay(first, { eventId });
    const pending = await lay(second, { eventId, status: 'pending' });
    await lay(first);
    const path = `/events/${publicId('event', eventId)}/deliveries`;
    const { body } = await call(path);
    expect(body.data).toMatchObject([
      { id: shown(pending.id), webhook_id: second.id, status: 'pending' },
      { id: shown(exhausted.id), webhook_id: first.id, status: 'exhausted' },
    ]);
    const page = (await call(`${path}?limit=1`)).body;
    expect(page.data).toHaveLength(1);
    expect((await call(`${path}?limit=1&cursor=${page.next_cursor}`)).body.data).toMatchObject([
      { id: shown(exhausted.id) },
    ]);
  });

  test('is there only for events that the key may read', async () => {
    const { id: eventId } = await layEvent(app.database.pool, workspaceId);
    const path = `/events/${publicId('event', eventId)}/deliveries`;
    const key = (await call('/api-keys', { name: 'webhooks', scopes: ['webhooks:read'] })).body.secret;
    expect(await call(path, undefined, 'GET', key)).toHaveStatus(404);
    expect(await call(path.replace(/evt_\w+/, publicId('event', newUuid())))).toHaveStatus(404);
  });
});

describe('GET /webhooks/{id}/deliveries', () => {
  const list = async (webhook: { id: string }, filter = '') =>
    (await call(`/webhooks/${webhook.id}/deliveries?${filter}`)).body;
  const getIds = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);

  test('filters by status, type, event and time; newest first, over pages', async () => {
    const webhook = await newWebhook();
    const other = await newWebhook();
    await lay(other);
    const laid: Record<string, string[]> = {};
    for (const status of ['succeeded', 'pending', 'exhausted', 'sending', 'canceled', 'pending'] as const)
      (laid[status] ??= []).unshift(shown((await lay(webhook, { status })).id));
    const { id, eventId } = await lay(webhook, { status: 'succeeded', eventType: 'member.added' });
    laid.succeeded!.unshift(shown(id));
    const all = await list(webhook);
    expect(all.data).toHaveLength(7);
    expect(all.has_more).toBe(false);
    expect(getIds(all)).toEqual(getIds(all).toSorted().toReversed());
    for (const [status, ids] of Object.entries(laid)) {
      const body = await list(webhook, `status=${status}`);
      expect([status, getIds(body)]).toEqual([status, ids]);
      expect(body.data.every((one: { status: string }) => one.status === status)).toBe(true);
    }
    expect(getIds(await list(webhook, 'event_type=member.added'))).toEqual([shown(id)]);
    expect(getIds(await list(webhook, 'event_type=member.added&status=exhausted'))).toEqual([]);
    const ofEvent = `event_id=${publicId('event', eventId)}`;
    expect(getIds(await list(webhook, ofEvent))).toEqual([shown(id)]);
    expect(getIds(await list(webhook, `${ofEvent}&status=pending`))).toEqual([]);
    expect(getIds(await list(webhook, `event_id=${publicId('event', newUuid())}`))).toEqual([]);
    const middle = all.data[3].created_at;
    const after = all.data.filter((one: { created_at: string }) => one.created_at > middle);
    expect((await list(webhook, `created_after=${middle}`)).data).toEqual(after);

    const paged: string[] = [];
    for (let cursor = ''; ;) {
      const body = await list(webhook, `limit=2${cursor}`);
      paged.push(...getIds(body));
      if (!body.has_more) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(paged).toEqual(getIds(all));
  });

  test('looks through a window for a rare type, and says that there is more', async () => {
    const webhook = await newWebhook();
    const rare = await lay(webhook, { status: 'succeeded', eventType: 'member.removed' });
    const [last] = await query(
      `with laid as (
         insert into deliveries (workspace_id, id, webhook_id, event_id, event_type, status, created_at)
         select $1, (lpad(to_hex($4::bigint + n), 12, '0') || '70008000000000000000')::uuid,
                $2, $3, 'ping', 'succeeded', now()
         from generate_series(1, 20000) n returning id
       ) select min(id::text) as id from laid`,
      // After the rare one, regardless of the clocks.
      [workspaceId, webhook.uuid, newUuid(), timeOfUuid(rare.id).getTime()],
    );
    const first = await list(webhook, 'event_type=member.removed');
    expect([first.data, first.has_more]).toEqual([[], true]);
    expect(Buffer.from(first.next_cursor, 'base64url').toString()).toBe(`1:${last.id}`);
    const second = await list(webhook, `event_type=member.removed&cursor=${first.next_cursor}`);
    expect([getIds(second), second.has_more]).toEqual([[shown(rare.id)], false]);
  });

  test('refuses wrong values, and webhooks of others', async () => {
    const webhook = await newWebhook();
    for (const filter of ['status=done', 'event_id=evt_1', 'created_after=today', 'type=ping', 'cursor=x'])
      expect([filter, (await call(`/webhooks/${webhook.id}/deliveries?${filter}`)).status]).toEqual([
        filter,
        400,
      ]);
    const stranger = await startWorkspace(app);
    expect((await call(`/webhooks/${webhook.id}/deliveries`, undefined, 'GET', stranger.key)).status).toBe(
      404,
    );
    expect(await call(`/webhooks/${publicId('webhook', newUuid())}/deliveries`)).toHaveStatus(404);
  });
});

describe('GET /deliveries/{id}', () => {
  test('shows the body as sent, and each attempt', async () => {
    const webhook = await newWebhook();
    const { id, eventId } = await lay(webhook, { attempts: 3 });
    const { pool } = app.database;
    await layAttempt(pool, workspaceId, id, { number: 1 });
    await layAttempt(pool, workspaceId, id, { number: 2, status: null, error: 'timeout' });
    await layAttempt(pool, workspaceId, id, { number: 3, body: Buffer.from([0x68, 0xff, 0x69]) });
    const { body, status } = await call(`/deliveries/${shown(id)}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'delivery',
      id: shown(id),
      webhook_id: webhook.id,
      event_id: publicId('event', eventId),
      status: 'exhausted',
      attempt_count: 3,
      next_attempt_at: null,
      body_hidden: false,
      body_reason: null,
    });
    const event = (await call(`/events/${publicId('event', eventId)}`)).body;
    expect(JSON.parse(body.body)).toEqual(event);
    expect(body.attempts.map(({ number }: { number: number }) => number)).toEqual([3, 2, 1]);
    const [third, second, first] = body.attempts;
    expect(first).toMatchObject({
      object: 'attempt',
      delivery_id: shown(id),
      duration_ms: 84,
      remote_address: '203.0.113.7',
      request: { method: 'POST', url: 'https://example.com/hook', headers: { 'webhook-id': 'evt_x' } },
      response: {
        status_code: 503,
        headers: { 'content-type': 'text/plain' },
        body: 'over capacity',
        body_is_utf8: true,
        truncated: false,
      },
      error: null,
    });
    expect([second.response, second.error]).toEqual([null, { code: 'timeout', detail: 'timeout' }]);
    expect(third.response).toMatchObject({ body: 'h\ufffdi', body_is_utf8: false });
    const listed = (await call(`/deliveries/${shown(id)}/attempts?limit=2`)).body;
    expect([listed.data, listed.has_more]).toEqual([[third, second], true]);
    const rest = (await call(`/deliveries/${shown(id)}/attempts?cursor=${listed.next_cursor}`)).body;
    expect([rest.data, rest.has_more]).toEqual([[first], false]);
  });

  test('takes a character that the cut went through for no fault, and shows 100 attempts', async () => {
    const { id } = await lay(await newWebhook(), { attempts: 101 });
    for (let number = 1; number <= 101; number++)
      await layAttempt(app.database.pool, workspaceId, id, {
        number,
        body: Buffer.from('grün').subarray(0, 3),
        truncated: number === 101,
      });
    const { attempts } = (await call(`/deliveries/${shown(id)}`)).body;
    expect([attempts.length, attempts.at(-1).number]).toEqual([100, 2]);
    expect(attempts[0].response).toMatchObject({ body: 'gr', body_is_utf8: true, truncated: true });
    expect(attempts[1].response).toMatchObject({ body: 'gr\ufffd', body_is_utf8: false, truncated: false });
  });

  test('hides body and answers from who may not read the event', async () => {
    const { id } = await lay(await newWebhook(), { eventType: 'member.added' });
    await layAttempt(app.database.pool, workspaceId, id, { body: Buffer.from('echo of a secret') });
    const weak = await home.owner.call('/api-keys', {
      workspace: home.workspace,
      body: { name: 'weak', scopes: ['webhooks:read'] },
    });
    const { body } = await call(`/deliveries/${shown(id)}`, undefined, 'GET', weak.body.secret);
    expect(body).toMatchObject({ body: null, body_hidden: true, body_reason: 'insufficient_scope' });
    expect(body.attempts[0].response).toMatchObject({ status_code: 503, body: null });
    const attempts = await call(`/deliveries/${shown(id)}/attempts`, undefined, 'GET', weak.body.secret);
    expect(JSON.stringify(attempts.body)).not.toContain('echo');
    expect(attempts.body.data).toHaveLength(1);
    const strong = await call(`/deliveries/${shown(id)}`);
    expect(strong.body.attempts[0].response.body).toBe('echo of a secret');
    expect(strong.body.body_hidden).toBe(false);
  });

  test('says when the event is not kept any more', async () => {
    const { id, eventId } = await lay(await newWebhook());
    await query('delete from events where id = $1', [eventId]);
    const { body } = await call(`/deliveries/${shown(id)}`);
    expect(body).toMatchObject({ body: null, body_hidden: false, body_reason: 'event_expired' });
    const again = await retry(id);
    expect([again.status, again.body.code]).toEqual([422, 'event_expired']);
  });

  test('is there for nobody else', async () => {
    const { id } = await lay(await newWebhook());
    const stranger = await startWorkspace(app);
    for (const path of [`/deliveries/${shown(id)}`, `/deliveries/${shown(id)}/attempts`])
      for (const [key, status] of [
        [stranger.key, 404],
        ['fl_nothing', 401],
      ] as const)
        expect((await call(path, undefined, 'GET', key)).status).toBe(status);
    expect(await call('/deliveries/dlv_1')).toHaveStatus(404);
  });
});

describe('POST /deliveries/{id}/retry', () => {
  test('makes what waits due, and keeps its place in the schedule', async () => {
    const webhook = await newWebhook();
    const { id } = await lay(webhook, { status: 'pending', attempts: 4, due: 'tomorrow' });
    const { status, body } = await retry(id);
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: 'pending', attempt_count: 4 });
    expect(Date.parse(body.next_attempt_at)).toBeLessThanOrEqual(Date.now() + 1000);
    expect(await getQueue(webhook)).toMatchObject([{ attempts: 4, step: 4, due: true, claimed_by: null }]);
    expect(await getWakeups(webhook)).toEqual([{ order_key: null }]);
  });

  test.each(['exhausted', 'canceled', 'succeeded'] as const)('gives what is %s a new run', async (status) => {
    const webhook = await newWebhook();
    const { id } = await lay(webhook, { status, attempts: 10 });
    const answer = await retry(id);
    expect([answer.status, answer.body.status, answer.body.completed_at]).toEqual([202, 'pending', null]);
    expect(await getQueue(webhook)).toMatchObject([{ delivery_id: id, attempts: 10, step: 0, due: true }]);
    expect(await query('select status, failed_as, reason from deliveries where id = $1', [id])).toEqual([
      { status: 'pending', failed_as: null, reason: null },
    ]);
    expect(await getWakeups(webhook)).toEqual([{ order_key: null }]);
  });

  test('asked for many times at once makes one row', async () => {
    const webhook = await newWebhook();
    const { id } = await lay(webhook);
    const answers = await Promise.all(Array.from({ length: 12 }, () => retry(id)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 202));
    expect(await getQueue(webhook)).toHaveLength(1);
  });

  test('keeps the order of ordered webhooks', async () => {
    const webhook = await newWebhook({ ordering: 'per_resource' });
    const ended = await lay(webhook, { orderKey: 'key_a' });
    expect((await retry(ended.id)).body).toMatchObject({ status: 'pending', next_attempt_at: null });
    expect(await getQueue(webhook)).toMatchObject([{ order_key: 'key_a', behind: true }]);
    expect(await getWakeups(webhook)).toEqual([{ order_key: 'key_a' }]);
    const behind = await lay(webhook, { status: 'pending', orderKey: 'key_a', due: 'infinity' });
    const answer = await retry(behind.id);
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
    expect(answer.body.detail).toContain(shown(ended.id));
    expect(await retry(ended.id)).toHaveStatus(202);
  });

  test('is refused while it is sent, the webhook is disabled or deleted, or it was tried too often', async () => {
    const webhook = await newWebhook();
    const sending = await lay(webhook, { status: 'sending' });
    const refused = await retry(sending.id);
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    const often = await lay(webhook, { attempts: 10_000 });
    expect((await retry(often.id)).body.code).toBe('unprocessable');
    const ended = await lay(webhook);
    const before = await getQueue(webhook);
    expect(await call(`/webhooks/${webhook.id}`, { enabled: false }, 'PATCH')).toHaveStatus(200);
    const disabled = await retry(ended.id);
    expect([disabled.status, disabled.body.code]).toEqual([422, 'webhook_disabled']);
    expect(await call(`/webhooks/${webhook.id}`, undefined, 'DELETE')).toHaveStatus(204);
    expect(await retry(ended.id)).toHaveStatus(404);
    expect(await getQueue(webhook)).toEqual(before);
    expect(await call(`/deliveries/${shown(ended.id)}`)).toHaveStatus(200);
  });

  test('takes a scope, and one of the same workspace', async () => {
    const { id } = await lay(await newWebhook());
    const weak = await home.owner.call('/api-keys', {
      workspace: home.workspace,
      body: { name: 'reader', scopes: ['webhooks:read'] },
    });
    const refused = await retry(id, weak.body.secret);
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
    expect(await retry(id, (await startWorkspace(app)).key)).toHaveStatus(404);
    expect(await retry(newUuid())).toHaveStatus(404);
    expect((await query('select status from deliveries where id = $1', [id]))[0].status).toBe('exhausted');
  });

  test('an event laid in the log is what the body is made from', async () => {
    const event = await layEvent(app.database.pool, workspaceId, { data: { odd: 'ä"\\ ' } });
    const { id } = await lay(await newWebhook(), { eventId: event.id });
    const { body } = (await call(`/deliveries/${shown(id)}`)).body;
    expect(JSON.parse(body).data.odd).toBe('ä"\\ ');
    expect(JSON.parse(body).sequence).toBe(event.sequence);
  });
});
