import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { createScriptedChannel } from '../../../../test/support/messaging/connections/scripted-channel.ts';
import { heard } from '../../../../test/support/messaging/inbound.ts';
import type { IngressPart } from '../../../channels/contract/ingress.ts';
import { type Signal, unprocessed } from '../../../channels/contract/signal.ts';
import { httpDriver } from '../../../channels/http/http.driver.ts';
import { MAX_ATTEMPTS } from '../ingress/ingress-reader.ts';
import { eraseWorkspace } from '../../../core/workspaces/erasure.ts';
import { deleteOldUpdates } from './update-retention.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';

/** A scripted driver whose supported content changes during a test. */
const channel = createScriptedChannel(() => null);
let known: Set<string>;
const toSignal = ({ body }: IngressPart): Signal => {
  const { kind, id, text } = body as { kind: string; id: string; text?: string };
  if (kind === 'bomb') throw new TypeError('an error of the driver');
  if (!known.has(kind)) return unprocessed('unknown_kind', kind, body);
  return heard(id, { text: text ?? id });
};
channel.onReceive = (session, parts) => session.context.emit(parts.map(toSignal));

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let stranger: Awaited<ReturnType<typeof startWorkspace>>;
let instance: { id: string; ingress_url: string };
let uuid: string;

beforeAll(async () => {
  vi.spyOn(httpDriver, 'open').mockImplementation((context) => channel.driver.open(context));
  vi.spyOn(httpDriver.ingress!, 'receive').mockImplementation(({ body }) => ({
    kind: 'accepted',
    parts: (JSON.parse(body.toString()) as { id: string }[]).map((part) => ({
      accountKey: null,
      id: part.id,
      body: part,
    })),
  }));
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
  home = await startWorkspace(app);
  stranger = await startWorkspace(app);
});
afterAll(async () => {
  await app?.stop();
  vi.restoreAllMocks();
});

const call = (path: string, method = 'GET', key = home.key) => app.call(path, { key, method });
const query = async (text: string, values: unknown[] = []) =>
  (await app.database.pool.query(text, values)).rows;
const eventually = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, PATIENCE);

let made = 0;
async function startInstance(): Promise<void> {
  known = new Set(['text']);
  const body = {
    name: `Bridge ${++made}`,
    channel: 'http',
    settings: { url: 'http://127.0.0.1:9/', address: `bridge${made}` },
    credentials: { secret: `whsec_${Buffer.alloc(32, made).toString('base64')}` },
  };
  const answer = await app.call('/instances', { key: home.key, body });
  expect(answer).toHaveStatus(201);
  instance = answer.body;
  uuid = toUuid('instance', instance.id)!;
  expect((await call(`/instances/${instance.id}/connect`, 'POST')).status).toBeLessThan(300);
  await eventually(async () => expect(channel.getSessions(uuid)).toHaveLength(1));
}
beforeEach(startInstance);

/** The channel calls the ingress URL. */
async function push(...parts: object[]): Promise<void> {
  const url = app.base + new URL(instance.ingress_url).pathname;
  const { status } = await fetch(url, { method: 'POST', body: JSON.stringify(parts) });
  expect(status).toBe(200);
}
const list = async (search = ''): Promise<Record<string, unknown>[]> =>
  (await call(`/instances/${instance.id}/unprocessed-updates${search}`)).body.data;
const texts = async (): Promise<string[]> =>
  (await call(`/messages?instance_id=${instance.id}`)).body.data.map(
    ({ text }: { text: { body: string } }) => text.body,
  );
const waiting = async () => query('select part_id from ingress_parts where instance_id = $1', [uuid]);
const settled = () => eventually(async () => expect(await waiting()).toEqual([]));

describe('content that the driver does not know', () => {
  test('is listed, and becomes a message exactly once when it is replayed after the driver supports it', async () => {
    await push({ kind: 'text', id: 'a' }, { kind: 'hologram', id: 'b' }, { kind: 'text', id: 'c' });
    await settled();
    expect(await texts()).toEqual(['c', 'a']);
    const [update, ...others] = await list();
    expect(others).toEqual([]);
    const raw = JSON.stringify({ kind: 'hologram', id: 'b' });
    expect(update).toEqual({
      id: expect.stringMatching(/^upd_/),
      object: 'unprocessed_update',
      instance_id: instance.id,
      reason: 'unknown_kind',
      type: 'hologram',
      size: raw.length,
      raw_truncated: false,
      replay_requested_at: null,
      created_at: expect.any(String),
    });
    const path = `/unprocessed-updates/${String(update!['id'])}`;
    expect((await call(path)).body).toEqual({ ...update, raw });

    // It stays until the driver supports it.
    expect(await call(`${path}/replay`, 'POST')).toHaveStatus(202);
    await settled();
    expect((await call(path)).body).toEqual({ ...update, raw });

    known.add('hologram');
    const replays = [0, 1, 2].map(() => call(`${path}/replay`, 'POST'));
    for (const { status } of await Promise.all(replays)) expect([202, 404]).toContain(status);
    await eventually(async () => expect(await call(path)).toHaveStatus(404));
    await settled();
    expect(await texts()).toEqual(['b', 'c', 'a']);
    expect(await list()).toEqual([]);
    expect(await call(`${path}/replay`, 'POST')).toHaveStatus(404);
  });

  test('is a message exactly once also if the process dies after it was stored', async () => {
    await push({ kind: 'hologram', id: 'b' });
    await settled();
    const [update] = await list();
    known.add('hologram');
    await call(`/instances/${instance.id}/disconnect`, 'POST');
    await eventually(async () => expect(channel.getSessions(uuid)).toHaveLength(0));
    const { body } = await call(`/unprocessed-updates/${String(update!['id'])}/replay`, 'POST');
    expect(body.replay_requested_at).toEqual(expect.any(String));
    const [part] = await query('select * from ingress_parts where instance_id = $1', [uuid]);
    await call(`/instances/${instance.id}/connect`, 'POST');
    await settled();
    expect(await texts()).toEqual(['b']);
    // As if the part had not been deleted before the end of the process.
    const columns = ['workspace_id', 'instance_id', 'part_id', 'body', 'replay_of'];
    await query(
      `insert into ingress_parts (${columns.join()}) values ($1, $2, $3, $4, $5)`,
      columns.map((column) => part[column]),
    );
    await push({ kind: 'text', id: 'next' });
    await settled();
    expect(await texts()).toEqual(['next', 'b']);
    expect(await list()).toEqual([]);
  });

  test('is replayed with all others of its instance, oldest first', async () => {
    await push({ kind: 'hologram', id: '1' }, { kind: 'scent', id: '2' }, { kind: 'hologram', id: '3' });
    await settled();
    expect((await list()).map(({ type }) => type)).toEqual(['hologram', 'scent', 'hologram']);
    expect((await list('?reason=malformed')).length).toBe(0);
    known.add('hologram');
    const replayed = await call(`/instances/${instance.id}/unprocessed-updates/replay`, 'POST');
    expect([replayed.status, replayed.body]).toEqual([
      202,
      { object: 'replayed_updates', instance_id: instance.id, count: 3 },
    ]);
    await settled();
    expect(await texts()).toEqual(['3', '1']);
    expect((await list()).map(({ type, replay_requested_at: at }) => [type, at])).toEqual([['scent', null]]);
  });

  test('is kept once, however often the channel delivers it', async () => {
    await push({ kind: 'hologram', id: 'b' });
    await settled();
    await push({ kind: 'hologram', id: 'b' });
    await settled();
    expect(await list()).toHaveLength(1);
  });

  test('is cut where it is large, and then cannot be replayed', async () => {
    await push({ kind: 'hologram', id: 'b', text: 'ü'.repeat(50_000) });
    await settled();
    const [update] = await list();
    expect(update).toMatchObject({ raw_truncated: true });
    const path = `/unprocessed-updates/${String(update!['id'])}`;
    const { raw } = (await call(path)).body;
    expect(Buffer.byteLength(raw)).toBeLessThanOrEqual(65_536);
    expect(Buffer.byteLength(raw)).toBeGreaterThan(65_532);
    const { status, body } = await call(`${path}/replay`, 'POST');
    expect([status, body.code]).toEqual([409, 'conflict']);
    const all = await call(`/instances/${instance.id}/unprocessed-updates/replay`, 'POST');
    expect(all.body.count).toBe(0);
  });

  test('is not shown to other workspaces', async () => {
    await push({ kind: 'hologram', id: 'b' });
    await settled();
    const [update] = await list();
    const path = `/unprocessed-updates/${String(update!['id'])}`;
    for (const [one, method] of [
      [path, 'GET'],
      [`${path}/replay`, 'POST'],
      [`/instances/${instance.id}/unprocessed-updates`, 'GET'],
      [`/instances/${instance.id}/unprocessed-updates/replay`, 'POST'],
    ] as const)
      expect(await call(one, method, stranger.key)).toHaveStatus(404);
    expect(await waiting()).toEqual([]);
  });

  test('is reported by one event', async () => {
    await push({ kind: 'hologram', id: '1' }, { kind: 'hologram', id: '2' });
    await settled();
    await push({ kind: 'hologram', id: '3' });
    await settled();
    const events = await eventually(async () => {
      const { body } = await call('/events?type=instance.update_unprocessed&limit=100');
      const own = body.data.filter(
        (event: { data: { object: { instance_id: string } } }) =>
          event.data.object.instance_id === instance.id,
      );
      expect(own.length).toBeGreaterThan(0);
      return own;
    });
    expect(events).toHaveLength(1);
    expect(events[0].data.object).toMatchObject({ reason: 'unknown_kind', type: 'hologram' });
    expect(JSON.stringify(events)).not.toContain('raw":');
  });
});

test('content on which the driver fails is kept, and what follows is read', async () => {
  await call(`/instances/${instance.id}/disconnect`, 'POST');
  await eventually(async () => expect(channel.getSessions(uuid)).toHaveLength(0));
  await push({ kind: 'bomb', id: 'b' }, { kind: 'text', id: 'next' });
  await query('update ingress_parts set attempts = $1 where instance_id = $2', [MAX_ATTEMPTS - 1, uuid]);
  await call(`/instances/${instance.id}/connect`, 'POST');
  await eventually(async () => expect(await texts()).toEqual(['next']));
  await settled();
  expect(await list()).toMatchObject([{ reason: 'driver_error', type: null }]);
});

test('a signal that cannot be stored is kept, and stored once it can be', async () => {
  const [session] = channel.getSessions(uuid);
  const odd = heard('odd', { text: 5 as never });
  await session!.context.emit([odd, heard('after')]);
  expect(await texts()).toEqual(['text of after']);
  const [update] = await list();
  expect(update).toMatchObject({ reason: 'not_storable', type: 'message' });
  const path = `/unprocessed-updates/${String(update!['id'])}`;
  await call(`${path}/replay`, 'POST');
  await settled();
  expect((await call(path)).body).toMatchObject({ reason: 'not_storable', replay_requested_at: null });
  // As a later version would be able to store it.
  await query(
    `update unprocessed_updates set raw = replace(raw, '"text":5', '"text":"5"') where instance_id = $1`,
    [uuid],
  );
  await query('update unprocessed_updates set size = octet_length(raw) where instance_id = $1', [uuid]);
  await call(`${path}/replay`, 'POST');
  await eventually(async () => expect(await call(path)).toHaveStatus(404));
  expect(await texts()).toEqual(['5', 'text of after']);
});

test('a signal with a file is kept without it, and stored once it can be', async () => {
  const [session] = channel.getSessions(uuid);
  const { context } = session!;
  const about = { fileName: 'a.txt', mimeType: 'text/plain' };
  const received = await context.receiveFile(Readable.from([Buffer.from('a file')]), about);
  await context.emit([heard('odd', { type: 'document', file: { received }, text: 5 as never })]);
  const [update] = await list();
  expect(update).toMatchObject({ reason: 'not_storable', type: 'message' });
  await query(
    `update unprocessed_updates set raw = replace(raw, '"text":5', '"text":"5"'), size = size + 2 where instance_id = $1`,
    [uuid],
  );
  const path = `/unprocessed-updates/${String(update!['id'])}`;
  expect((await call(path)).body.raw).not.toContain(received.sha256);
  await call(`${path}/replay`, 'POST');
  await eventually(async () => expect(await call(path)).toHaveStatus(404));
  const { data } = (await call(`/messages?instance_id=${instance.id}`)).body;
  expect(data).toMatchObject([{ external_id: 'odd', type: 'document' }]);
});

test('a stored signal on which the connection ends is kept, and the next ones are read', async () => {
  const { workspace_id: workspaceId } = (
    await query('select workspace_id from instances where id = $1', [uuid])
  )[0];
  const file = { received: { size: 1, sha256: '00' } };
  await query(
    `insert into ingress_parts (workspace_id, instance_id, part_id, body, attempts, is_signal)
     values ($1, $2, 'x', $3, $4, true)`,
    [workspaceId, uuid, JSON.stringify(heard('x', { type: 'document', file })), MAX_ATTEMPTS - 1],
  );
  await push({ kind: 'text', id: 'next' });
  await eventually(async () => expect(await list()).toMatchObject([{ reason: 'driver_error' }]));
  await settled();
  expect(await texts()).toEqual(['next']);
});

test('the newest of an instance are kept, and the others counted', async () => {
  const { workspace_id: workspaceId } = (
    await query('select workspace_id from instances where id = $1', [uuid])
  )[0];
  await query(
    `insert into unprocessed_updates (workspace_id, instance_id, id, reason, raw, size, fingerprint, created_at)
     select $1, $2, gen_random_uuid(), 'unknown_kind', '{}', 2, n::text::bytea, now() from generate_series(1, 10000) n`,
    [workspaceId, uuid],
  );
  // Of the oldest.
  await query(`update unprocessed_updates set id = $2 where instance_id = $1 and fingerprint = '7'::bytea`, [
    uuid,
    '00000000-0000-7000-8000-000000000001',
  ]);
  await push({ kind: 'hologram', id: newUuid() });
  await settled();
  const [{ count }] = await query('select count(*) from unprocessed_updates where instance_id = $1', [uuid]);
  expect(Number(count)).toBe(10_000);
  expect(await query('select deleted from unprocessed_update_counts where instance_id = $1', [uuid])).toEqual(
    [{ deleted: 1 }],
  );
  expect(
    await query('select 1 from unprocessed_updates where instance_id = $1 and id = $2', [
      uuid,
      '00000000-0000-7000-8000-000000000001',
    ]),
  ).toEqual([]);
});

test('the newest are kept up to 64 MiB, and the instance counts up to 1,000', async () => {
  const [{ workspace_id: workspaceId }] = await query('select workspace_id from instances where id = $1', [
    uuid,
  ]);
  await query(
    `insert into unprocessed_updates (workspace_id, instance_id, id, reason, raw, size, fingerprint, created_at)
     select $1, $2, lpad(n::text, 32, '0')::uuid, 'unknown_kind', '{}', 70000, n::text::bytea, now()
     from generate_series(1, 1100) n`,
    [workspaceId, uuid],
  );
  await push({ kind: 'hologram', id: 'new' });
  await settled();
  const [{ count, oldest }] = await query(
    'select count(*), min(id::text) as oldest from unprocessed_updates where instance_id = $1',
    [uuid],
  );
  // 1,023 of 64 KiB beside the new one.
  expect([Number(count), oldest]).toEqual([1_024, '00000000-0000-0000-0000-000000000078']);
  expect((await call(`/instances/${instance.id}`)).body.unprocessed_updates).toEqual({
    count: 1_000,
    deleted: 77,
  });
});

test('the instance shows how many there are', async () => {
  const path = `/instances/${instance.id}`;
  expect((await call(path)).body.unprocessed_updates).toEqual({ count: 0, deleted: 0 });
  await push({ kind: 'hologram', id: '1' }, { kind: 'hologram', id: '2' });
  await settled();
  expect((await call(path)).body.unprocessed_updates).toEqual({ count: 2, deleted: 0 });
  await query(
    `update unprocessed_updates set created_at = now() - interval '31 days' where instance_id = $1 and raw like '%"1"%'`,
    [uuid],
  );
  await deleteOldUpdates(app.database.db, new Date());
  expect((await call(path)).body.unprocessed_updates).toEqual({ count: 1, deleted: 1 });
  const listed = (await call('/instances')).body.data.find((one: { id: string }) => one.id === instance.id);
  expect(listed.unprocessed_updates).toEqual({ count: 1, deleted: 1 });
});

test('the counter of metrics has channel and reason', async () => {
  await push({ kind: 'hologram', id: 'counted' });
  await settled();
  const text = await (await fetch(`${app.base}/metrics`)).text();
  expect(text).toMatch(/fairlead_unprocessed_updates_total\{.*channel="http".*reason="unknown_kind".*\} \d/);
});

test('an erased contact occurs in none of them, nor in queued replays', async () => {
  const body = {
    name: 'Ann',
    identities: [
      { instance_id: instance.id, address: '16505551234' },
      { instance_id: instance.id, address: 'ann@example.org' },
    ],
  };
  const contact = await app.call('/contacts', { key: home.key, body });
  expect(contact).toHaveStatus(201);
  await push(
    { kind: 'hologram', id: '1', text: 'from 16505551234' },
    { kind: 'hologram', id: '2', from: 16_505_551_234 },
    { kind: 'hologram', id: '3', text: 'of Ann@example.org.' },
    { kind: 'hologram', id: '4', text: 'of somebody else' },
  );
  await settled();
  expect(await list()).toHaveLength(4);
  const { status } = await call(`/contacts/${contact.body.id}`, 'DELETE');
  expect(status).toBe(204);
  await eventually(async () => expect(await list()).toHaveLength(1));
  const [left] = await list();
  expect((await call(`/unprocessed-updates/${String(left!['id'])}`)).body.raw).toContain('somebody else');
});

test('they are deleted with their instance', async () => {
  await push({ kind: 'hologram', id: '1' });
  await settled();
  expect(await call(`/instances/${instance.id}`, 'DELETE')).toHaveStatus(204);
  await eventually(async () =>
    expect(await query('select from unprocessed_updates where instance_id = $1', [uuid])).toEqual([]),
  );
});

test('they and queued replays are deleted with their workspace', async () => {
  const id = uuid;
  await push({ kind: 'hologram', id: '1' }, { kind: 'hologram', id: '2' });
  await settled();
  const [{ workspace_id: workspaceId }] = await query('select workspace_id from instances where id = $1', [
    id,
  ]);
  await call(`/instances/${instance.id}/disconnect`, 'POST');
  await eventually(async () => expect(channel.getSessions(id)).toHaveLength(0));
  const [update] = await list();
  await call(`/unprocessed-updates/${String(update!['id'])}/replay`, 'POST');
  expect(await waiting()).toHaveLength(1);

  const { slug } = (await home.owner.call('/me', { workspace: home.workspace })).body.workspace;
  const path = `/workspaces/${home.workspace}?slug=${slug}`;
  expect((await home.owner.call(path, { workspace: home.workspace, method: 'DELETE' })).status).toBe(204);
  await eraseWorkspace({ db: app.database.db }, { workspaceId });
  expect(await query('select from unprocessed_updates where workspace_id = $1', [workspaceId])).toEqual([]);
  expect(await waiting()).toEqual([]);
});
