/** Tests that a deleted instance leaves nothing but the workspace's contacts and files. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newUuid } from '../../../platform/http/ids.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { UNSHARED } from '../../../platform/jobs/turn.ts';
import { performInTurns } from '../../../../test/support/job-turns.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';
import { eraseInstance } from './instance-erasure.ts';
import { instanceTables } from './instance-erasure.store.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

let made = 0;
const workspaceId = () => toUuid('workspace', home.workspace)!;
async function makeInstance(): Promise<{ id: string; uuid: string }> {
  const body = { name: `Doomed ${++made}`, channel: 'sandbox' };
  const { id } = (await app.call('/instances', { key: home.key, body })).body;
  return { id, uuid: toUuid('instance', id)! };
}
const query = (text: string, values: unknown[]) => app.database.pool.query(text, values);

/** Inserts a chat with a contact and messages, one queued and one with a reaction, without any service. */
async function fill(instance: string, messages: number): Promise<void> {
  const [chat, contact] = [newUuid(), newUuid()];
  const own = [workspaceId(), instance];
  await query(
    'insert into contacts (workspace_id, id, created_at, updated_at) values ($1, $2, now(), now())',
    [own[0], contact],
  );
  await query(
    'insert into contact_identities (workspace_id, instance_id, address, contact_id) values ($1, $2, $3, $4)',
    [...own, 'alice', contact],
  );
  await query(
    `insert into chats (workspace_id, instance_id, id, kind, key, address, created_at, updated_at)
     values ($1, $2, $3, 'direct', 'alice', 'alice', now(), now())`,
    [...own, chat],
  );
  await query(
    `insert into messages (workspace_id, instance_id, id, chat_id, sequence, direction, source, type, content, status,
       status_history, created_at, updated_at)
     select $1, $2, gen_random_uuid(), $3, n, 'inbound', 'channel', 'text', '{}', 'received', '[]', now(), now()
     from generate_series(1, $4::int) n`,
    [...own, chat, messages],
  );
  await query(
    `insert into message_reactions (workspace_id, message_id, author, from_me, emoji, created_at)
     select workspace_id, id, 'alice', false, '👍', now() from messages where instance_id = $1 limit 5`,
    [instance],
  );
  await query(
    `insert into send_queue (workspace_id, instance_id, id, chat_id, message_id, action, position, due_at, expires_at, created_at)
     values ($1, $2, $3, $4, $3, 'send', 1, 'infinity', 'infinity', now())`,
    [...own, randomUUID(), chat],
  );
  await query(
    'insert into scheduled_messages (workspace_id, instance_id, message_id, due_at) values ($1, $2, $3, now() + $4::interval)',
    [...own, randomUUID(), '1 day'],
  );
  await query(
    'insert into inbound_seen (workspace_id, instance_id, external_id, message_id) values ($1, $2, $3, $4)',
    [...own, 'x1', randomUUID()],
  );
}

async function toRows(instance: string): Promise<string[]> {
  const tables = await instanceTables(app.database.db);
  expect(tables.slice(0, 3)).toEqual(['send_queue', 'scheduled_messages', 'messages']);
  const found: string[] = [];
  for (const table of tables) {
    const { rowCount } = await query(`select from ${table} where instance_id = $1`, [instance]);
    if (rowCount) found.push(table);
  }
  return found;
}
const reactions = async () => (await query('select from message_reactions', [])).rowCount;

test('deleting an instance deletes all of its data, and nothing of another', async () => {
  const [doomed, kept] = [await makeInstance(), await makeInstance()];
  await fill(kept.uuid, 10);
  await fill(doomed.uuid, 4_500);
  expect(await toRows(doomed.uuid)).toEqual(await toRows(kept.uuid));
  const before = await toRows(kept.uuid);

  const remove = () => app.call(`/instances/${doomed.id}`, { key: home.key, method: 'DELETE' });
  expect(await remove()).toHaveStatus(204);
  expect(await remove()).toHaveStatus(404);
  expect(await app.call(`/instances/${doomed.id}`, { key: home.key })).toHaveStatus(404);
  const left = await toRows(doomed.uuid);
  for (const table of ['instances', 'connections', 'instance_queues']) expect(left).not.toContain(table);

  await vi.waitFor(async () => expect(await toRows(doomed.uuid)).toEqual([]), {
    timeout: 240_000,
    interval: 200,
  });
  expect(await toRows(kept.uuid)).toEqual(before);
  expect(await reactions()).toBe(5);
  expect((await query('select from contacts where workspace_id = $1', [workspaceId()])).rowCount).toBe(2);
  const { type, data } = (await getEvents(app, workspaceId())).at(-1)!;
  expect([type, data.object.id]).toEqual(['instance.deleted', doomed.id]);
});

test('data of other surfaces about an instance stays', async () => {
  const { uuid } = await makeInstance();
  await query(
    `insert into publication_results
       (workspace_id, publication_id, position, instance_id, recipient, type, status, updated_at)
     values ($1, $2, 0, $3, 'alice', 'text', 'pending', now())`,
    [workspaceId(), randomUUID(), uuid],
  );
  await query('delete from instances where id = $1', [uuid]);
  await eraseInstance(app.database.db, { workspaceId: workspaceId(), instanceId: uuid });
  const { rowCount } = await query('select from publication_results where instance_id = $1', [uuid]);
  expect(rowCount).toBe(1);
});

test('the erasure takes turns with other jobs, and each turn continues after the previous one', async () => {
  const { uuid } = await makeInstance();
  await fill(uuid, 4_500);
  await query('delete from instances where id = $1', [uuid]);
  const payload = { workspaceId: workspaceId(), instanceId: uuid };
  const turns = await performInTurns((left, turn) => eraseInstance(app.database.db, left, turn), payload);
  expect(turns).toBeGreaterThan(2);
  expect(await toRows(uuid)).toEqual([]);
});

test('the erasure may be interrupted and restarted, and never affects an existing instance', async () => {
  const { id, uuid } = await makeInstance();
  await fill(uuid, 10);
  const payload = { workspaceId: workspaceId(), instanceId: uuid };
  await expect(eraseInstance(app.database.db, payload)).rejects.toThrow(/not deleted/);
  await query('delete from instances where id = $1', [uuid]);
  const broken = { ...UNSHARED, signal: AbortSignal.abort() };
  await expect(eraseInstance(app.database.db, payload, broken)).rejects.toThrow(/aborted/);
  await eraseInstance(app.database.db, payload);
  await eraseInstance(app.database.db, payload);
  expect(await toRows(uuid)).toEqual([]);
  expect(await app.call(`/instances/${id}`, { key: home.key })).toHaveStatus(404);
});

test('a deleted workspace closes its connections', async () => {
  const gone = await startWorkspace(app);
  const { slug } = (await app.call(`/workspaces/${gone.workspace}`, { key: gone.key })).body;
  const body = { name: 'Box', channel: 'sandbox' };
  const { id } = (await app.call('/instances', { key: gone.key, body })).body;
  await app.call(`/instances/${id}/connect`, { key: gone.key, method: 'POST' });
  const wanted = async () =>
    (await query('select wanted from connections where instance_id = $1', [toUuid('instance', id)])).rows;
  expect(await wanted()).toEqual([{ wanted: true }]);
  const path = `/workspaces/${gone.workspace}?slug=${slug}`;
  const { status } = await gone.owner.call(path, { workspace: gone.workspace, method: 'DELETE' });
  expect(status).toBe(204);
  expect(await wanted()).toEqual([{ wanted: false }]);
});
