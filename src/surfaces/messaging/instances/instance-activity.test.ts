import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { deleteOldActivity } from '../../../core/activity/stats-retention.ts';
import { getBucket } from '../../../core/unit/event-writer.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let stranger: Awaited<ReturnType<typeof startWorkspace>>;
let workspaceId: string;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  stranger = await startWorkspace(app);
  workspaceId = toUuid('workspace', home.workspace)!;
});
afterAll(() => app.stop());

const HOUR_MS = 3_600_000;
/** The hour in which the test starts. */
const HOUR = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
const hourAgo = (hours: number): Date => new Date(HOUR - hours * HOUR_MS);

let made = 0;
async function createInstance(): Promise<{ id: string; uuid: string }> {
  const body = { name: `Counted ${++made}`, channel: 'sandbox' };
  const { id } = (await app.call('/instances', { key: home.key, body })).body;
  return { id, uuid: toUuid('instance', id)! };
}

const query = async (text: string, values: unknown[]) => (await app.database.pool.query(text, values)).rows;

/** Writes an event that the sequencer then moves to the log. */
const enqueue = (type: string, object: object, at = new Date()) =>
  query(
    `insert into outbox (bucket, workspace_id, event_id, type, resource_id, data, created_at)
     values ($1, $2, $3, $4, null, $5, $6)`,
    [getBucket(workspaceId), workspaceId, newUuid(), type, JSON.stringify({ object }), at],
  );
const failed = (id: string, code: string | null, at?: Date) =>
  enqueue('message.failed', { instance_id: id, error: code === null ? null : { code } }, at);

const getActivity = async (id: string, search = '') => {
  const { status, body } = await app.call(`/instances/${id}/activity${search}`, { key: home.key });
  expect(status).toBe(200);
  return body;
};
const countedUp = (id: string, totals: object) =>
  vi.waitFor(async () => expect((await getActivity(id)).totals).toEqual(totals), PATIENCE);

const layStats = (uuid: string, hour: Date, code: string, count: number) =>
  query(
    'insert into instance_stats (workspace_id, instance_id, hour, error_code, failed) values ($1, $2, $3, $4, $5)',
    [workspaceId, uuid, hour, code, count],
  );
const countRows = async (uuid: string): Promise<number> =>
  (await query('select from instance_stats where instance_id = $1', [uuid])).length;

describe('GET /instances/{id}/activity', () => {
  test('counts messages of the instance, and failures by code', async () => {
    const [{ id }, other] = [await createInstance(), await createInstance()];
    for (const type of ['received', 'received', 'sent', 'sent', 'sent', 'queued', 'read'])
      await enqueue(`message.${type}`, { instance_id: id, error: null });
    await enqueue('message.received', { instance_id: other.id });
    for (const code of ['recipient_unknown', 'expired', 'recipient_unknown', 'x'.repeat(150), null])
      await failed(id, code);
    await countedUp(id, { inbound: 2, outbound: 3, failed: 5 });
    await countedUp(other.id, { inbound: 1, outbound: 0, failed: 0 });
    expect(await getActivity(id)).toMatchObject({
      object: 'instance_activity',
      instance_id: id,
      failures: [
        { code: 'recipient_unknown', count: 2 },
        { code: 'expired', count: 1 },
        { code: 'x'.repeat(100), count: 1 },
      ],
    });
    // The codes of a batch are added to those of earlier batches.
    await failed(id, 'expired');
    await failed(id, 'expired');
    await countedUp(id, { inbound: 2, outbound: 3, failed: 7 });
    expect((await getActivity(id)).failures[0]).toEqual({ code: 'expired', count: 3 });
  });

  test('counts a message as sent if its receipt arrives before the result of sending', async () => {
    const { id } = await createInstance();
    const withHistory = (type: string, ...statuses: string[]) =>
      enqueue(type, { instance_id: id, status_history: statuses.map((status) => ({ status })) });
    await withHistory('message.delivered', 'queued', 'sending', 'delivered');
    await withHistory('message.read', 'queued', 'sending', 'delivered', 'read');
    await withHistory('message.read', 'queued', 'read');
    await withHistory('message.delivered', 'queued', 'sending', 'sent', 'delivered');
    await withHistory('message.read', 'received', 'read');
    await withHistory('message.received', 'received');
    await countedUp(id, { inbound: 1, outbound: 2, failed: 0 });
    expect((await getActivity(id)).failures).toEqual([]);
  });

  test('returns every interval, by hour and by day', async () => {
    const { id } = await createInstance();
    await enqueue('message.received', { instance_id: id }, hourAgo(2));
    await enqueue('message.sent', { instance_id: id }, hourAgo(2));
    await enqueue('message.sent', { instance_id: id }, hourAgo(1));
    await failed(id, 'expired', hourAgo(1));
    await failed(id, 'too_large', hourAgo(1));
    await failed(id, 'too_large', hourAgo(5));
    await countedUp(id, { inbound: 1, outbound: 2, failed: 3 });

    const hours = await getActivity(id, `?from=${hourAgo(3).toISOString()}&to=${hourAgo(-1).toISOString()}`);
    const none = { inbound: 0, outbound: 0, failed: 0 };
    expect(hours.interval).toBe('hour');
    expect(hours.data).toEqual([
      { start: hourAgo(3).toISOString(), ...none },
      { start: hourAgo(2).toISOString(), inbound: 1, outbound: 1, failed: 0 },
      { start: hourAgo(1).toISOString(), inbound: 0, outbound: 1, failed: 2 },
      { start: hourAgo(0).toISOString(), ...none },
    ]);
    expect(hours.totals).toEqual({ inbound: 1, outbound: 2, failed: 2 });
    expect(hours.failures).toEqual([
      { code: 'expired', count: 1 },
      { code: 'too_large', count: 1 },
    ]);

    const days = await getActivity(id);
    expect([days.interval, days.data.length]).toEqual(['day', 8]);
    const sum = days.data.reduce((total: number, day: { failed: number }) => total + day.failed, 0);
    expect(sum).toBe(3);
  });

  test('returns the 50 most frequent codes', async () => {
    const { id, uuid } = await createInstance();
    for (let n = 1; n <= 60; n++) await layStats(uuid, hourAgo(1), `code_${n}`, n);
    const { totals, failures } = await getActivity(id);
    expect(totals.failed).toBe((60 * 61) / 2);
    expect(failures).toHaveLength(50);
    expect([failures[0], failures[49]]).toEqual([
      { code: 'code_60', count: 60 },
      { code: 'code_11', count: 11 },
    ]);
  });

  test('counts messages of unknown instances only for the workspace', async () => {
    const total = async () =>
      (await app.call('/usage/activity', { key: home.key })).body.totals.messages.inbound;
    const before = await total();
    await enqueue('message.received', {});
    await enqueue('message.received', { instance_id: 'ins_none' });
    await enqueue('message.received', { instance_id: 'ins_01h2xcejqtf2nbrexx3vqjhp41' });
    await vi.waitFor(async () => expect(await total()).toBe(before + 3), PATIENCE);
    expect(await countRows(toUuid('instance', 'ins_01h2xcejqtf2nbrexx3vqjhp41')!)).toBe(0);
  });

  test('finds nothing of another workspace, and rejects invalid ranges', async () => {
    const { id } = await createInstance();
    const ask = (key: string, search = '') => app.call(`/instances/${id}/activity${search}`, { key });
    expect(await ask(stranger.key)).toHaveStatus(404);
    const { status, body } = await ask(home.key, `?from=${hourAgo(24 * 32).toISOString()}`);
    expect([status, body.errors[0].pointer]).toEqual([400, '?from']);
  });
});

test('counts are deleted with their instance', async () => {
  const [doomed, kept] = [await createInstance(), await createInstance()];
  for (const { uuid } of [doomed, kept]) await layStats(uuid, hourAgo(1), 'expired', 1);
  const { status } = await app.call(`/instances/${doomed.id}`, { key: home.key, method: 'DELETE' });
  expect(status).toBe(204);
  await vi.waitFor(async () => expect(await countRows(doomed.uuid)).toBe(0), PATIENCE);
  expect(await countRows(kept.uuid)).toBe(1);
});

test('counts are kept for 31 days', async () => {
  const { uuid } = await createInstance();
  for (const days of [40, 32, 30, 1]) await layStats(uuid, hourAgo(24 * days), 'expired', 1);
  await deleteOldActivity(app.database.db, new Date());
  expect(await countRows(uuid)).toBe(2);
});
