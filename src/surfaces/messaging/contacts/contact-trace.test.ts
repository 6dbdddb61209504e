import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let workspaceId: string;
let box: string;
// Jobs run here; the instance is only connected by the tests that need it.
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  workspaceId = toUuid('workspace', home.workspace)!;
  box = (await call('/instances', { name: 'Traces', channel: 'sandbox' })).body.id;
  await call(`/instances/${box}/connect`, undefined, 'POST');
  await vi.waitFor(async () => {
    const { state } = (await call(`/instances/${box}`)).body;
    if (state !== 'connected') throw new Error(`the instance is ${state}`);
  }, PATIENCE);
});
afterAll(() => app.stop());

let made = 0;
const someone = (): string => `quiet-${++made}`;
const call = (path: string, body?: unknown, method?: string) =>
  app.call(path, { key: home.key, body, method });
const query = async (text: string, values: unknown[] = []) =>
  (await app.database.pool.query(text, values)).rows;

/** Schedules a message for tomorrow, so that only the test changes it. */
async function write(to: object, text = 'hello') {
  const scheduled = { scheduled_at: new Date(Date.now() + 86_400_000).toISOString() };
  const body = { instance_id: box, type: 'text', text: { body: text }, ...scheduled, ...to };
  const answer = await call('/messages', body);
  if (answer.status !== 202) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** Creates a group with a message of a contact, who is also mentioned and has reacted. */
async function layGroup(address: string, contact: string, text = 'words') {
  const [chat, message] = [newUuid(), newUuid()];
  const instance = toUuid('instance', box);
  await query(
    `insert into chats (workspace_id, id, instance_id, kind, key, address, created_at, updated_at)
     values ($1, $2, $3, 'group', $4, $4, now(), now())`,
    [workspaceId, chat, instance, `group-${chat}`],
  );
  await query(
    `insert into messages (workspace_id, id, instance_id, chat_id, sequence, direction, source, type, content, search_text,
       from_address, contact_id, mentions, status, status_history, created_at, updated_at)
     values ($1, $2, $3, $4, 1, 'inbound', 'channel', 'text', jsonb_build_object('body', $7::text), $7, $5, $6, array[$5],
       'received', '[]', now(), now())`,
    [workspaceId, message, instance, chat, address, toUuid('contact', contact), text],
  );
  await query(
    `insert into message_reactions (workspace_id, message_id, author, from_me, emoji, created_at)
     values ($1, $2, $3, false, 'x', now())`,
    [workspaceId, message, address],
  );
  return publicId('message', message);
}

const typesAbout = async (id: string) =>
  (await getEvents(app, workspaceId))
    .filter(({ data }) => (data as { object: { id?: string } }).object.id === id)
    .map(({ type }) => type);

describe('merge', () => {
  test('moves addresses, chats and messages to the survivor, and keeps the old ID valid', async () => {
    const [a, b] = [someone(), someone()];
    const first = await write({ to: a });
    const second = await write({ to: b });
    const [into, gone] = [first.contact_id, second.contact_id];
    await call(`/contacts/${gone}`, { name: 'Other', metadata: { k: 'theirs', own: '1' } }, 'PATCH');
    await call(`/contacts/${into}`, { metadata: { k: 'mine' } }, 'PATCH');
    await call(`/contacts/${gone}/block`, undefined, 'POST');
    const group = await layGroup(b, gone);
    const { status, body } = await call(`/contacts/${into}/merge`, { contact_id: gone });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: into, name: 'Other', blocked: true, metadata: { k: 'mine', own: '1' } });
    expect(body.identities.map(({ address }: { address: string }) => address)).toEqual([a, b]);
    expect((await call(`/contacts/${gone}`)).body).toEqual(body);
    expect((await call(`/chats?contact_id=${into}`)).body.data).toHaveLength(2);
    await vi.waitFor(async () => {
      for (const id of [second.id, group]) expect((await call(`/messages/${id}`)).body.contact_id).toBe(into);
    }, PATIENCE);
    expect((await write({ contact_id: gone })).contact_id).toBe(into);
    expect(await typesAbout(gone)).toContain('contact.deleted');
    expect((await typesAbout(into)).at(-1)).toBe('contact.updated');

    // An alias of an alias.
    const third = (await call('/contacts', { name: 'Third' })).body.id;
    await call(`/contacts/${third}/merge`, { contact_id: into });
    expect((await call(`/contacts/${gone}`)).body.id).toBe(third);
    expect((await call('/contacts?name=third')).body.data).toHaveLength(1);
  });

  test('rejects merging a contact with itself or with one that does not exist', async () => {
    const { id } = (await call('/contacts', { name: 'Lonely' })).body;
    const same = await call(`/contacts/${id}/merge`, { contact_id: id });
    expect([same.status, same.body.code]).toEqual([422, 'unprocessable']);
    const none = await call(`/contacts/${id}/merge`, { contact_id: 'con_01h2xcejqtf2nbrexx3vqjhp41' });
    expect([none.status, none.body.errors[0].pointer]).toEqual([404, '/contact_id']);
    const nowhere = await call('/contacts/con_01h2xcejqtf2nbrexx3vqjhp41/merge', { contact_id: id });
    expect(nowhere).toHaveStatus(404);
  });

  test('of many contacts at once, in circles, ends with one contact that has all addresses', async () => {
    const contacts: string[] = [];
    for (let nth = 0; nth < 5; nth++)
      contacts.push(
        (await call('/contacts', { identities: [{ instance_id: box, address: someone() }] })).body.id,
      );
    const next = (nth: number) => contacts[(nth + 1) % contacts.length]!;
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        contacts.map((id, nth) => call(`/contacts/${id}/merge`, { contact_id: next(nth) })),
      );
      expect(answers.every(({ status }) => [200, 404, 409, 422].includes(status))).toBe(true);
      if (answers.every(({ body }) => body.code === 'unprocessable')) break;
    }
    const found = await Promise.all(contacts.map(async (id) => (await call(`/contacts/${id}`)).body));
    expect(new Set(found.map(({ id }) => id)).size).toBe(1);
    expect(found[0].identities).toHaveLength(5);
  });
});

describe('erase', () => {
  test('deletes the contact, its chats and messages, and clears what it wrote in groups', async () => {
    const address = someone();
    const message = await write({ to: address }, 'unforgettable words');
    const { contact_id: id, chat } = message;
    const merged = (await call('/contacts', { name: 'Merged' })).body.id;
    await call(`/contacts/${id}/merge`, { contact_id: merged });
    const group = await layGroup(address, id, 'secret words');
    await query(`update messages set channel_data = '{"order": null}' where id = $1`, [
      toUuid('message', group),
    ]);
    for (const named of [message.id, group])
      await query(
        `insert into inbound_seen (workspace_id, instance_id, external_id, message_id, is_alias)
         values ($1, $2, $3, $4, false), ($1, $2, 'by:' || $5 || ' ' || $3, $4, true)`,
        [workspaceId, toUuid('instance', box), named, toUuid('message', named), address],
      );
    expect((await call('/messages?q=unforgettable')).body.data).toHaveLength(1);
    const { status } = await call(`/contacts/${id}`, undefined, 'DELETE');
    expect(status).toBe(204);
    for (const path of [
      `/contacts/${id}`,
      `/contacts/${merged}`,
      `/chats/${chat.id}`,
      `/messages/${message.id}`,
    ])
      expect(await call(path)).toHaveStatus(404);
    expect((await call('/messages?q=unforgettable')).body.data).toEqual([]);
    expect((await call(`/contacts?address=${address}`)).body.data).toEqual([]);
    expect(
      await query('select 1 from scheduled_messages where message_id = $1', [toUuid('message', message.id)]),
    ).toEqual([]);
    await vi.waitFor(async () => {
      expect(await query('select 1 from messages where id = $1', [toUuid('message', message.id)])).toEqual(
        [],
      );
      expect((await call(`/messages/${group}`)).body).toMatchObject({
        from: null,
        contact_id: null,
        mentions: [],
        reactions: [],
        deleted_at: expect.any(String),
      });
    }, PATIENCE);
    expect(
      await query('select channel_data from messages where id = $1', [toUuid('message', group)]),
    ).toEqual([{ channel_data: null }]);
    expect((await call('/messages?q=secret')).body.data).toEqual([]);
    // None is stored again; the IDs that authors chose, which contain the address, are deleted.
    expect(
      await query('select external_id from inbound_seen where external_id = any($1) or external_id like $2', [
        [message.id, group],
        `%${address}%`,
      ]),
    ).toHaveLength(2);
    expect((await typesAbout(id)).at(-1)).toBe('contact.deleted');
    // Writing again creates a new contact.
    const again = await write({ to: address });
    expect(again.contact_id).not.toBe(id);
    expect(again.chat.id).not.toBe(chat.id);
    expect(await call(`/contacts/${id}`, undefined, 'DELETE')).toHaveStatus(404);
  });
});

describe('check', () => {
  test('asks the channel, and responds in the order of the request', async () => {
    const addresses = ['alice', 'fail@x', '@', ' ALICE '];
    const { status, body } = await call('/contacts/check', { instance_id: box, addresses });
    expect([status, body.state]).toEqual([202, 'queued']);
    const job = await vi.waitFor(async () => {
      const { body: now } = await call(`/jobs/${body.id}`);
      expect(now.state).toBe('succeeded');
      return now;
    }, PATIENCE);
    expect(job.result.results).toEqual([
      { address: 'alice', normalised: 'alice', exists: true },
      { address: 'fail@x', normalised: expect.any(String), exists: false },
      { address: '@', normalised: null, exists: false },
      { address: ' ALICE ', normalised: 'alice', exists: true },
    ]);
  });
});

describe('block', () => {
  test('reaches the channel', async () => {
    const address = someone();
    const { id } = (await call('/contacts', { identities: [{ instance_id: box, address }] })).body;
    const blocks = () => query('select address from sandbox_blocks where address = $1', [address]);
    await call(`/contacts/${id}/block`, undefined, 'POST');
    await vi.waitFor(async () => expect(await blocks()).toHaveLength(1), PATIENCE);
    await call(`/contacts/${id}/unblock`, undefined, 'POST');
    await vi.waitFor(async () => expect(await blocks()).toEqual([]), PATIENCE);
  });
});
