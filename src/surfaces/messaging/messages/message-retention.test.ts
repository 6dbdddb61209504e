/**
 * Tests message retention: which messages are deleted, which of their IDs stay known, and what chats show afterwards.
 */
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { createUnits, type Units } from '../../../core/unit/unit-of-work.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { startWorkspace } from '../../../../test/support/test-app.ts';
import { heard, receipt, startInbound } from '../../../../test/support/messaging/inbound.ts';
import { createLocalFiles } from '../media/local-files.ts';
import { createWorld, getHolding, sent } from '../../../../test/support/messaging/queue.ts';
import { deleteInBatches } from '../records/retention.ts';
import { deleteOldMessages } from './message-retention.ts';
import { type MessagesWorld, startMessages } from '../../../../test/support/messaging/messages.ts';

const DAY_MS = 24 * 3600 * 1000;
/** A time at which data created now is that many days old. */
const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);
/** A little less and a little more than 30 days from now. */
const [BEFORE, AFTER] = [29.99, 30.01];

describe('through the API', () => {
  let world: MessagesWorld;
  let units: Units;
  beforeAll(async () => {
    world = await startMessages();
    const jobs = { enqueue: async () => undefined };
    units = createUnits({ db: world.app.database.db, events: {} as never, jobs });
  });
  afterAll(() => world.app.stop());

  const run = (now: Date, signal?: AbortSignal, batch?: number, by: Units = units) =>
    deleteOldMessages(world.app.database.db, by, now, signal, batch);
  const keepFor = async (days: unknown, home = world.home) =>
    home.owner.call(`/workspaces/${home.workspace}`, {
      workspace: home.workspace,
      method: 'PATCH',
      body: { message_retention_days: days },
    });
  const get = async (path: string) => (await world.call(path)).body;
  const getStatus = async (id: string): Promise<number> => (await world.call(`/messages/${id}`)).status;

  test('the days are part of the workspace, and null at first', async () => {
    expect((await get(`/workspaces/${world.home.workspace}`)).message_retention_days).toBeNull();
    const changed = await keepFor(30);
    expect([changed.status, changed.body.message_retention_days]).toEqual([200, 30]);
    for (const wrong of [0, -1, 1.5, 36_501, '30', true]) {
      const { status, body } = await keepFor(wrong);
      expect([status, body.errors?.[0]?.pointer], String(wrong)).toEqual([400, '/message_retention_days']);
    }
    expect((await keepFor(null)).body.message_retention_days).toBeNull();
  });

  test('deletes completed expired messages from lists, search and chats; messages still to be sent stay', async () => {
    const instance = await world.instance();
    const first = await world.send(instance, { text: { body: 'pelican' } });
    const second = await world.send(instance, { text: { body: 'heron' } });
    await world.markSent(first.id);
    const chat = `/chats/${first.chat.id}`;
    const came = [
      await world.receive(first.chat.id, 'pelican too'),
      await world.receive(first.chat.id, 'and'),
    ];
    await world.rows('update chats set last_message_id = $2 where id = $1', [
      toUuid('chat', first.chat.id),
      toUuid('message', came[1]!),
    ]);
    await world.rows(
      `insert into message_reactions select workspace_id, id, 'alice', false, 'x', now() from messages where id = $1`,
      [toUuid('message', first.id)],
    );
    const later = await world.send(instance, { scheduled_at: inDays(20).toISOString(), to: 'bob' });
    const scheduled = await world.send(instance, { scheduled_at: inDays(25).toISOString(), to: 'bob' });
    // As if it had been sent when it was due.
    await world.rows(
      `with gone as (delete from scheduled_messages where message_id = $1) update messages set status = 'sent' where id = $1`,
      [toUuid('message', later.id)],
    );
    await world.rows('update chats set last_message_id = $2, last_message_at = now() where id = $1', [
      toUuid('chat', later.chat.id),
      toUuid('message', later.id),
    ]);
    const edited = await world.send(instance, { to: 'carol' });
    await world.markSent(edited.id);
    await world.rows("update messages set pending_action = 'edit' where id = $1", [
      toUuid('message', edited.id),
    ]);
    expect((await get(chat)).unread).toBe(2);
    expect((await get('/messages?q=pelican')).data).toHaveLength(2);

    expect(await run(inDays(AFTER))).toBe(0);
    await keepFor(30);
    expect(await run(inDays(BEFORE))).toBe(0);
    expect(await run(inDays(AFTER))).toBe(3);
    const left = [second.id, scheduled.id, later.id, edited.id];
    expect(await Promise.all([first.id, ...came].map(getStatus))).toEqual([404, 404, 404]);
    expect(await Promise.all(left.map(getStatus))).toEqual([200, 200, 200, 200]);
    expect((await get('/messages?q=pelican')).data).toEqual([]);
    expect((await get(`${chat}/messages`)).data.map(({ id }: { id: string }) => id)).toEqual([second.id]);
    expect(await get(chat)).toMatchObject({ unread: 0, last_message: { id: second.id } });
    expect(await world.rows('select from message_reactions')).toEqual([]);
    expect(await run(inDays(AFTER))).toBe(0);

    // Its time began when it was to be sent.
    expect(await run(inDays(20 + AFTER))).toBe(1);
    expect([await getStatus(later.id), await getStatus(scheduled.id)]).toEqual([404, 200]);
    const { last_message: last, last_message_at: at } = await get(`/chats/${later.chat.id}`);
    // One that is not sent yet is no chat's last; when something was said last is still known.
    expect([last, at]).toEqual([null, expect.any(String)]);
    await keepFor(null);
  });

  test('a failing workspace does not delay others', async () => {
    const others = [await startWorkspace(world.app), await startWorkspace(world.app)];
    for (const home of [world.home, ...others]) await keepFor(30, home);
    const ids = [world.home, ...others].map((home) => toUuid('workspace', home.workspace)!);
    const seen: string[] = [];
    const deleting = deleteInBatches(world.app.database.db, 'message_retention_days', async (retention) => {
      seen.push(retention.workspaceId);
      if (retention.workspaceId === ids[0]) throw new Error('a row that is damaged');
      return { deleted: 1, isMore: seen.length < 4 };
    });
    await expect(deleting).rejects.toThrow('a row that is damaged');
    expect(seen).toEqual([ids[0], ids[1], ids[2], ids[1], ids[2]].slice(0, seen.length));
    expect(seen.length).toBeGreaterThanOrEqual(4);
    for (const home of [world.home, ...others]) await keepFor(null, home);
  });

  test('deletes many in batches that take turns, can be interrupted without loss, and skips retained messages', async () => {
    const few = await startWorkspace(world.app);
    const instance = await world.instance();
    const { id, chat } = await world.send(instance, { to: 'dave' });
    await world.markSent(id);
    const lay = (count: number, status: string) =>
      world.rows(
        `insert into messages (workspace_id, id, instance_id, chat_id, sequence, direction, source, type, content, status, status_history, created_at, updated_at)
         select workspace_id, gen_random_uuid(), instance_id, chat_id, 1, 'inbound', 'channel', 'text', '{}', $2, '[]', now(), now()
         from messages, generate_series(1, $3::integer) where id = $1`,
        [toUuid('message', id), status, count],
      );
    // Their IDs begin with a very early time, so all of them are older than any retention period.
    await lay(40, 'queued');
    await lay(60, 'read');
    await world.rows(
      "update messages set id = ('00000000' || substr(id::text, 9))::uuid where chat_id = $1 and id <> $2",
      [toUuid('chat', chat.id), toUuid('message', id)],
    );
    await keepFor(30);
    await keepFor(30, few);
    const count = async () =>
      (await world.rows('select from messages where chat_id = $1', [toUuid('chat', chat.id)])).length;
    const stop = new AbortController();
    const stopping = { ...units, write: (work: never) => units.write(work).finally(() => stop.abort()) };
    await run(inDays(1), stop.signal, 10, stopping as Units);
    expect(await count()).toBeGreaterThan(80);
    expect(await count()).toBeLessThan(101);
    await run(inDays(1), undefined, 10);
    expect(await count()).toBe(41);
    await keepFor(null);
  });
});

describe('what a channel told', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  const query = async (text: string, values: unknown[] = []) =>
    (await database.pool.query(text, values)).rows;

  test('is not stored again, and later signals change nothing; a file is deleted with the last message that shows it', async () => {
    await using folder = await temporaryFolder('fairlead-retention-');
    const world = await createWorld(database.db);
    const files = createLocalFiles(folder.path);
    const inbound = startInbound(world, { media: files });
    const instanceId = await world.addInstance();
    const held = getHolding(world, instanceId, await world.take(instanceId), { send: () => sent() });
    const withFile = async (name: string, bytes: string) =>
      heard(name, {
        type: 'document',
        aliases: [`alias of ${name}`],
        file: {
          received: await inbound.receiveFile(held, Readable.from([Buffer.from(bytes)]), {
            fileName: `${name}.txt`,
            mimeType: 'text/plain',
          }),
        },
      });
    await inbound.apply(held, [await withFile('old', 'one'), await withFile('shown', 'two')], undefined);
    const [old, shown] = await query('select id, media_id from messages order by sequence');
    // Forwarded recently.
    const kept = '018f0000-0000-7000-8000-000000000000';
    await query(
      `insert into messages (workspace_id, id, instance_id, chat_id, sequence, direction, source, type, content, media_id, status, status_history, created_at, updated_at)
       select workspace_id, $2, instance_id, chat_id, 9, 'outbound', 'api', 'document', '{}', media_id, 'queued', '[]', now(), now() from messages where id = $1`,
      [shown!.id, kept],
    );
    // Two that were sent long ago: with a file of the workspace's own, and with one that was fetched for it alone.
    const lay =
      'insert into media (workspace_id, id, state, for_message, created_by, created_at, updated_at) values';
    const [own, fetched] = ['018f0000-0000-7000-8000-00000000000a', '018f0000-0000-7000-8000-00000000000b'];
    await query(`${lay} ($1, $2, 'failed', false, 'key_x', now(), now())`, [world.workspaceId, own]);
    await query(`${lay} ($1, $2, 'failed', true, 'key_x', now(), now())`, [world.workspaceId, fetched]);
    await query(
      `insert into messages (workspace_id, id, instance_id, chat_id, sequence, direction, source, type, content, media_id, status, status_history, created_at, updated_at)
       select workspace_id, f.id, instance_id, chat_id, 10, 'outbound', 'api', 'document', '{}', f.id, 'sent', '[]', now(), now()
       from messages, unnest($2::uuid[]) f (id) where messages.id = $1`,
      [shown!.id, [own, fetched]],
    );
    await query(
      `insert into workspaces (id, name, slug, message_retention_days, created_at, updated_at)
       values ($1, 'x', 'x', 30, now(), now()) on conflict (id) do update set message_retention_days = 30`,
      [world.workspaceId],
    );
    const jobs: unknown[] = [];
    const units = createUnits({
      db: database.db,
      events: {} as never,
      jobs: { enqueue: async (_db, name, payload) => void jobs.push([name, payload]) },
    });
    expect(await deleteOldMessages(database.db, units, inDays(31))).toBe(4);
    expect(await query('select id from messages')).toEqual([{ id: kept }]);
    expect(await query('select id from media order by id')).toEqual([{ id: own }, { id: shown!.media_id }]);
    expect(jobs).toEqual([['media.collect', { workspaceId: world.workspaceId, sha256: expect.any(String) }]]);
    expect(await query('select external_id from inbound_seen order by 1')).toEqual([
      { external_id: 'old' },
      { external_id: 'shown' },
    ]);
    await inbound.apply(
      held,
      [heard('old'), receipt({ externalId: 'old' }, 'read'), heard('new')],
      undefined,
    );
    expect(
      (await query('select content from messages where id <> $1', [kept])).map(({ content }) => content),
    ).toEqual([{ body: 'text of new' }]);
    expect(await query('select unread from chats')).toEqual([{ unread: 1 }]);
    expect(old!.media_id).not.toBe(shown!.media_id);
    await inbound.stop();
  });
});
