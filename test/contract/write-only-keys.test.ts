/** Keys that may write and not read, where an answer can show something that was there before the call. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../src/core/vocabulary/scopes.ts';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { type MessagesWorld, startMessages } from '../support/messaging/messages.ts';
import { makeKey, outcome } from '../support/workspaces.ts';
import { layGroup } from '../support/lay-group.ts';

const SECRET_TEXT = 'the launch is on Friday';
let world: MessagesWorld;
let instance: string;
beforeAll(async () => {
  world = await startMessages();
  instance = await world.instance();
});
afterAll(() => world.app.stop());

const keyWith = (...scopes: Scope[]): Promise<string> => makeKey(world.home, { scopes });
const call = (key: string, path: string, body?: unknown, method?: string, headers = {}) =>
  world.app.call(path, { key, body, method, headers });
const ask = (key: string, path: string) => call(key, path);

async function sentMessage(): Promise<{ id: string; chat: { id: string } }> {
  const message = await world.send(instance, { text: { body: SECRET_TEXT } });
  await world.markSent(message.id);
  return message;
}

describe('links:write', () => {
  test('sees what an upsert created, and of a link that was there its ID', async () => {
    const key = await keyWith('links:write');
    const upsert = (body: object) => call(key, '/links/upsert', { external_id: 'campaign', ...body }, 'PUT');
    const created = await upsert({ url: 'https://example.com/secret' });
    expect([created.status, created.body.url]).toEqual([201, 'https://example.com/secret']);
    expect(created.headers.get('fairlead-missing-scope')).toBeNull();
    const found = await upsert({ url: 'https://example.com/other' });
    expect(found).toHaveStatus(200);
    expect(found.body).toEqual({ id: created.body.id, object: 'link' });
    expect(found.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(found.headers.get('fairlead-missing-scope')).toBe('links:read');
    const stale = await call(key, `/links/${found.body.id}`, { title: 'X' }, 'PATCH', { 'if-match': '"1"' });
    expect(outcome(stale)).toEqual([412, 'precondition_failed']);
    const fresh = { 'if-match': found.headers.get('etag')! };
    const changed = await call(key, `/links/${found.body.id}`, { title: 'X' }, 'PATCH', fresh);
    expect([changed.status, changed.body]).toEqual([200, found.body]);
    const read = (await world.call(`/links/${found.body.id}`)).body;
    expect(read.title).toBe('X');
  });

  test('sees the links of a bulk call that it created, and of others their IDs', async () => {
    const key = await keyWith('links:write');
    const created = await call(key, '/links/bulk', { links: [{ url: 'https://example.com/secret' }] });
    const [{ link }] = created.body.results;
    expect(link.url).toBe('https://example.com/secret');
    const body = { ids: [link.id], add_tags: ['spring'] };
    const changed = await call(key, '/links/bulk', body, 'PATCH');
    expect(changed.body).toEqual({
      object: 'link_bulk',
      succeeded: 1,
      failed: 0,
      results: [{ index: 0, status: 200, link: { id: link.id, object: 'link' }, error: null }],
    });
  });

  test('gets the same again by an Idempotency-Key', async () => {
    const key = await keyWith('links:create', 'messages:write');
    const send = () =>
      call(key, '/links', { url: 'https://example.com/' }, 'POST', { 'idempotency-key': 'link' });
    const [first, again] = [await send(), await send()];
    expect(first.body.short_url).toBeDefined();
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', first.body]);
    const { id } = await world.send(instance, {
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const cancel = () => call(key, `/messages/${id}/cancel`, {}, 'POST', { 'idempotency-key': 'cancel' });
    const [canceled, replayed] = [await cancel(), await cancel()];
    expect(canceled.body).toEqual({ id, object: 'message' });
    expect(replayed.headers.get('fairlead-missing-scope')).toBe('messages:read');
    expect([replayed.status, replayed.body]).toEqual([200, canceled.body]);
  });
});

describe('messages:write', () => {
  test('changes and marks messages without reading them', async () => {
    const key = await keyWith('messages:write', 'chats:write');
    const { id, chat } = await sentMessage();
    const came = await world.receive(chat.id, SECRET_TEXT);
    for (const answer of [
      await call(key, `/messages/${id}`, { metadata: { a: 'b' } }, 'PATCH'),
      await call(key, `/messages/${id}/reaction`, { emoji: '👍' }, 'PUT'),
      await call(key, `/messages/${came}/read`, {}),
      await call(key, `/chats/${chat.id}`, { archived: true }, 'PATCH'),
      await call(key, `/chats/${chat.id}/read`, {}),
    ]) {
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
      expect(Object.keys(answer.body)).toEqual(['id', 'object']);
    }
  });

  test('sees what it sends, and of a message that it reacts to its ID', async () => {
    const key = await keyWith('messages:write');
    const { id } = await sentMessage();
    const text = { instance_id: instance, to: 'alice', type: 'text', text: { body: 'Hi' } };
    const reaction = { instance_id: instance, type: 'reaction', reaction: { message_id: id, emoji: '👍' } };
    const reacted = await call(key, '/messages', reaction);
    expect([reacted.status, reacted.body]).toEqual([202, { id, object: 'message' }]);
    const { body } = await call(key, '/messages/batch', { messages: [text, reaction] });
    expect(body.results.map(({ message }: { message: object }) => Object.keys(message).length)).toEqual([
      expect.any(Number),
      2,
    ]);
    expect(body.results[0].message).toMatchObject({ object: 'message', text: { body: 'Hi' } });
    expect(body.results[1].message).toEqual({ id, object: 'message' });
  });

  test('forwards nothing that it may not read', async () => {
    const key = await keyWith('messages:write');
    const { id } = await sentMessage();
    const refused = await call(key, `/messages/${id}/forward`, { to: 'mallory' });
    expect(outcome(refused)).toEqual([403, 'insufficient_scope']);
    const both = await keyWith('messages:write', 'messages:read');
    expect((await call(both, `/messages/${id}/forward`, { to: 'bob' })).body.text.body).toBe(SECRET_TEXT);
  });
});

test('chats:read shows no last message without messages:read, nor do events', async () => {
  const { chat } = await sentMessage();
  const [key, both] = [
    await keyWith('chats:read', 'chats:write'),
    await keyWith('chats:read', 'messages:read'),
  ];
  const own = await ask(key, `/chats/${chat.id}`);
  expect(own.body).toMatchObject({ id: chat.id, last_message: null, last_message_at: expect.any(String) });
  expect((await ask(both, `/chats/${chat.id}`)).body.last_message.preview).toBe(SECRET_TEXT);
  const list = await ask(key, '/chats');
  expect(list.body.data.length).toBeGreaterThan(0);
  await world.receive(chat.id, SECRET_TEXT);
  const changed = await call(key, `/chats/${chat.id}`, { muted: true }, 'PATCH');
  const read = await call(key, `/chats/${chat.id}/read`, {});
  expect([changed.body.muted, read.body.unread]).toEqual([true, 0]);
  const events = (await world.events(chat.id)).filter(({ type }) => type === 'chat.updated');
  expect(events.length).toBeGreaterThanOrEqual(2);
  for (const shown of [own, list, changed, read, events])
    expect(JSON.stringify(shown)).not.toContain(SECRET_TEXT);
});

test('contacts:write sees the ID of a contact that an upsert found', async () => {
  const key = await keyWith('contacts:write');
  const upsert = (name: string) =>
    call(key, '/contacts/upsert', { instance_id: instance, address: 'grace', name }, 'PUT');
  const created = await upsert('Grace');
  expect([created.status, created.body.name]).toEqual([201, 'Grace']);
  const found = await upsert('Grace Hopper');
  expect([found.status, found.body]).toEqual([200, { id: created.body.id, object: 'contact' }]);
});

test('webhooks:write sees the ID of a webhook that was there, and a secret that it rotates', async () => {
  const key = await keyWith('webhooks:write', 'members:read');
  const body = { url: 'https://example.com/hook', events: ['member.*'] };
  const created = await call(key, '/webhooks', body);
  expect([created.status, created.body.url]).toEqual([201, body.url]);
  const { id } = created.body;
  const again = await call(key, '/webhooks', body);
  expect([again.status, again.body]).toEqual([200, { id, object: 'webhook', secret: null }]);
  const rotated = await call(key, `/webhooks/${id}/rotate-secret`, {});
  expect([rotated.status, rotated.body]).toEqual([
    201,
    { id, object: 'webhook', secret: expect.stringMatching(/^whsec_/) },
  ]);
});

test('api_keys:write rotates a key without seeing more than the secret', async () => {
  const key = await keyWith('api_keys:write', 'links:read');
  const { id } = (
    await world.home.owner.call('/api-keys', {
      workspace: world.home.workspace,
      body: { name: 'Secret project', scopes: ['links:read'], rate_limit: null },
    })
  ).body;
  const { status, body } = await call(key, `/api-keys/${id}/rotate`, {});
  expect([status, body]).toEqual([201, { id, object: 'api_key', secret: expect.stringMatching(/^fl_/) }]);
});

test('groups:write learns of no group by the job of a change', async () => {
  const group = await layGroup(world.app.database.pool, toUuid('instance', instance)!, SECRET_TEXT);
  const key = await keyWith('groups:write');
  const { status, body: job } = await call(key, `/groups/${group}`, { metadata: { a: 'b' } }, 'PATCH');
  expect([status, job.state]).toEqual([202, 'succeeded']);
  expect(job.result).toEqual({ group: { id: group, object: 'group' } });
  const read = await ask(key, `/jobs/${job.id}`);
  expect(read.body).toEqual(job);
  expect(read.headers.get('fairlead-missing-scope')).toBe('groups:read');
  const whole = await ask(await keyWith('groups:read'), `/jobs/${job.id}`);
  expect(whole.body.result.group.subject).toBe(SECRET_TEXT);
});
