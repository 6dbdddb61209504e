import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { type MessagesWorld, startMessages } from '../../../../test/support/messaging/messages.ts';

let world: MessagesWorld;
let instance: string;

beforeAll(async () => {
  world = await startMessages();
  instance = await world.instance();
});
afterAll(() => world.app.stop());

let contacts = 0;
/** A message in a chat of its own. */
const send = (more: object = {}) => world.send(instance, { to: `contact-${++contacts}`, ...more });
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
const patch = (id: string, body: object, headers?: Record<string, string>) =>
  world.call(`/messages/${id}`, body, 'PATCH', headers);
const getActions = (id: string) =>
  world.rows('select action, payload from send_queue where message_id = $1 order by position', [
    toUuid('message', id),
  ]);
const getTypes = async (id: string) => (await world.events(id)).map(({ type }) => type);
async function sent(sentAt?: Date, more: object = {}) {
  const message = await send(more);
  await world.markSent(message.id, sentAt);
  return message;
}

describe('edit', () => {
  test('a queued message is changed in place, and search finds only its new words', async () => {
    const message = await send({ text: { body: 'before' } });
    const { status, body, headers } = await patch(message.id, {
      text: { body: 'afterwards' },
      metadata: { a: 'b' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      text: { body: 'afterwards' },
      metadata: { a: 'b' },
      status: 'queued',
      edited_at: null,
    });
    expect(headers.get('etag')).toMatch(/^"2-/);
    expect(await getActions(message.id)).toEqual([{ action: 'send', payload: null }]);
    const events = await world.events(message.id);
    expect(events.at(-1)).toMatchObject({
      type: 'message.edited',
      data: { object: { id: message.id }, previous_attributes: { text: { body: 'before' }, metadata: {} } },
    });
    const ids = async (q: string) =>
      (await world.call(`/messages?q=${q}&chat_id=${message.chat.id}`)).body.data.map(
        ({ id }: { id: string }) => id,
      );
    expect([await ids('before'), await ids('afterw')]).toEqual([[], [message.id]]);
  });

  test('requires the current version: If-Match', async () => {
    const message = await send();
    expect(await patch(message.id, { text: { body: 'a' } }, { 'if-match': '"1"' })).toHaveStatus(200);
    const late = await patch(message.id, { text: { body: 'b' } }, { 'if-match': '"1"' });
    expect([late.status, late.body.code]).toEqual([412, 'precondition_failed']);
    expect((await world.call(`/messages/${message.id}`)).body.text.body).toBe('a');
  });

  test('asks the channel to edit a sent message', async () => {
    const message = await sent();
    const { status, body } = await patch(message.id, { text: { body: 'new' } });
    expect([status, body.pending_action, body.text.body]).toEqual([202, 'edit', 'Hi']);
    expect(await getActions(message.id)).toEqual([{ action: 'edit', payload: { text: 'new' } }]);
    expect(await getTypes(message.id)).toEqual(['message.queued']);
  });

  test('its time, while it is scheduled', async () => {
    const message = await send({ scheduled_at: tomorrow() });
    const at = new Date(Date.now() + 3_600_000).toISOString();
    expect((await patch(message.id, { scheduled_at: at })).body).toMatchObject({
      status: 'scheduled',
      scheduled_at: at,
    });
    const due = () =>
      world.rows('select due_at <= now() as due from scheduled_messages where message_id = $1', [
        toUuid('message', message.id),
      ]);
    expect(await due()).toEqual([{ due: false }]);
    expect(await patch(message.id, { scheduled_at: null })).toHaveStatus(200);
    expect(await due()).toEqual([{ due: true }]);
    const queued = await send();
    expect((await patch(queued.id, { scheduled_at: at })).body.code).toBe('conflict');
  });

  test('metadata at any time', async () => {
    const message = await sent();
    const { status, body } = await patch(message.id, { metadata: { seen: 'yes' } });
    expect([status, body.metadata, body.pending_action]).toEqual([200, { seen: 'yes' }, null]);
  });

  test.each([
    [{ text: { body: ' ' } }, 400, 'invalid_request'],
    [{ image: { caption: 'x' } }, 400, 'invalid_request'],
    [{ status: 'sent' }, 400, 'invalid_request'],
    [{ scheduled_at: '2099-01-01T00:00:00Z' }, 422, 'unprocessable'],
  ])('refuses %j', async (body, status, code) => {
    const message = await send({ scheduled_at: tomorrow() });
    const answer = await patch(message.id, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect((await world.call(`/messages/${message.id}`)).body).toEqual(message);
  });

  test('rejects messages that are received, failed, in progress or too old', async () => {
    const message = await send();
    const came = await world.receive(message.chat.id, 'Hello');
    const set = (status: string) =>
      world.rows('update messages set status = $2 where id = $1', [toUuid('message', message.id), status]);
    const edit = async (id: string) => (await patch(id, { text: { body: 'x' } })).body.code;
    expect(await edit(came)).toBe('unprocessable');
    await world.rows('update send_queue set claimed_epoch = 1 where id = $1', [
      toUuid('message', message.id),
    ]);
    await set('sending');
    expect(await edit(message.id)).toBe('conflict');
    await set('failed');
    expect(await edit(message.id)).toBe('conflict');
    const old = await sent(new Date(Date.now() - 2 * 86_400_000));
    const answer = await patch(old.id, { text: { body: 'x' } });
    expect(answer.body).toMatchObject({ status: 422, code: 'unsupported_by_channel' });
    expect(answer.body.detail).toContain('limits.edit_within');
  });
});

describe('cancel and delete', () => {
  test.each([
    ['cancel', 'queued'],
    ['cancel', 'scheduled'],
    ['delete', 'queued'],
    ['delete', 'scheduled'],
  ])('%s one that is %s', async (how, status) => {
    const message = await send(status === 'scheduled' ? { scheduled_at: tomorrow() } : {});
    const next = await world.send(instance, { to: undefined, chat_id: message.chat.id });
    const act = () =>
      how === 'cancel'
        ? world.call(`/messages/${message.id}/cancel`, {})
        : world.call(`/messages/${message.id}`, undefined, 'DELETE');
    const answer = await act();
    expect(answer).toHaveStatus(200);
    expect(answer.body).toMatchObject({
      status: 'canceled',
      status_history: [{ status }, { status: 'canceled' }],
    });
    expect(
      await world.rows('select 1 from scheduled_messages where message_id = $1', [
        toUuid('message', message.id),
      ]),
    ).toEqual([]);
    expect(await getActions(message.id)).toEqual([]);
    // The message that waited for it is sent.
    expect(
      await world.rows('select due_at <= now() as due from send_queue where id = $1', [
        toUuid('message', next.id),
      ]),
    ).toEqual([{ due: true }]);
    expect((await getTypes(message.id)).at(-1)).toBe('message.canceled');
    expect(await act()).toMatchObject({ status: 200, body: answer.body });
    expect((await world.call('/messages?status=canceled&limit=1')).body.data[0].id).toBe(message.id);
  });

  test('messages in progress or sent are not canceled', async () => {
    const message = await send();
    await world.rows('update send_queue set claimed_epoch = 1 where id = $1', [
      toUuid('message', message.id),
    ]);
    const underWay = await world.call(`/messages/${message.id}/cancel`, {});
    expect([underWay.status, underWay.headers.get('retry-after')]).toEqual([409, '1']);
    await world.markSent(message.id);
    expect((await world.call(`/messages/${message.id}/cancel`, {})).body.code).toBe('conflict');
  });

  test('a sent message is revoked at the channel, with one request', async () => {
    const message = await sent();
    const take = () => world.call(`/messages/${message.id}`, undefined, 'DELETE');
    expect(await take()).toMatchObject({ status: 202, body: { pending_action: 'revoke', status: 'sent' } });
    expect(await take()).toHaveStatus(202);
    expect(await getActions(message.id)).toEqual([{ action: 'revoke', payload: null }]);
    const came = await world.receive(message.chat.id, 'Hello');
    expect((await world.call(`/messages/${came}`, undefined, 'DELETE')).body.code).toBe('unprocessable');
  });

  test('is rejected if the channel does not support it, or the instance is disconnected', async () => {
    const mail = await world.instance('email');
    const letter = await world.send(mail, { to: 'a@example.com' });
    await world.markSent(letter.id);
    const answer = await world.call(`/messages/${letter.id}`, undefined, 'DELETE');
    expect(answer.body).toMatchObject({ status: 422, code: 'unsupported_by_channel' });
    expect(answer.body.detail).toContain('operations.revoke');
    const own = await world.instance();
    const message = await world.send(own);
    await world.markSent(message.id);
    await world.rows("update instances set state = 'disconnected' where id = $1", [toUuid('instance', own)]);
    expect((await world.call(`/messages/${message.id}`, undefined, 'DELETE')).body.code).toBe(
      'instance_disconnected',
    );
  });
});

describe('pins', () => {
  const pin = (id: string, method = 'PUT') => world.call(`/messages/${id}/pin`, undefined, method);

  test('are set and removed at the channel, with a request each time', async () => {
    const message = await sent();
    expect(message.pinned).toBe(false);
    const came = await world.receive(message.chat.id, 'Hello');
    for (const id of [message.id, came]) {
      const pinned = await pin(id);
      expect([pinned.status, pinned.body.pending_action, pinned.body.pinned]).toEqual([202, 'pin', false]);
      expect(await pin(id)).toHaveStatus(202);
      expect((await pin(id, 'DELETE')).body.pending_action).toBe('unpin');
      expect((await getActions(id)).map(({ action }) => action)).toEqual(['pin', 'pin', 'unpin']);
    }
    expect(await getTypes(message.id)).toEqual(['message.queued']);
  });

  test('are rejected for messages never sent, and if the channel does not support them', async () => {
    const message = await send();
    expect((await pin(message.id)).body).toMatchObject({ status: 409, code: 'conflict' });
    expect(await getActions(message.id)).toHaveLength(1);
    expect(await pin('msg_00000000000000000000000000')).toHaveStatus(404);
    const letter = await world.send(await world.instance('email'), { to: 'a@example.com' });
    await world.markSent(letter.id);
    for (const method of ['PUT', 'DELETE']) {
      const { body } = await pin(letter.id, method);
      expect(body).toMatchObject({ status: 422, code: 'unsupported_by_channel' });
      expect(body.detail).toContain('operations.pin');
    }
  });
});

describe('reactions', () => {
  test('are set and removed at the channel', async () => {
    const message = await sent();
    const given = await world.call(`/messages/${message.id}/reaction`, { emoji: '👍' }, 'PUT');
    expect([given.status, given.body.pending_action]).toEqual([202, 'react']);
    await world.call(`/messages/${message.id}/reaction`, undefined, 'DELETE');
    const same = await world.call('/messages', {
      instance_id: instance,
      type: 'reaction',
      reaction: { message_id: message.id, emoji: '❤️' },
    });
    expect([same.status, same.body.id]).toEqual([202, message.id]);
    expect((await getActions(message.id)).map(({ payload }) => payload)).toEqual([
      { emoji: '👍' },
      { emoji: null },
      { emoji: '❤️' },
    ]);
    const batch = await world.call('/messages/batch', {
      messages: [
        { instance_id: instance, type: 'reaction', reaction: { message_id: message.id, emoji: '🎉' } },
        {
          instance_id: instance,
          type: 'reaction',
          to: 'x',
          reaction: { message_id: message.id, emoji: '🎉' },
        },
      ],
    });
    expect(batch.body).toMatchObject({ accepted: 1, refused: 1 });
  });

  test('are shown once the channel confirms them', async () => {
    const message = await sent();
    await world.rows(
      `insert into message_reactions (workspace_id, message_id, author, from_me, emoji, created_at)
       select workspace_id, id, 'alice', false, '👍', '2026-01-15T09:30:00Z' from messages where id = $1`,
      [toUuid('message', message.id)],
    );
    expect((await world.call(`/messages/${message.id}`)).body.reactions).toEqual([
      { emoji: '👍', from: 'alice', from_me: false, created_at: '2026-01-15T09:30:00.000Z' },
    ]);
  });

  test('are rejected for messages never sent', async () => {
    const message = await send();
    const answer = await world.call(`/messages/${message.id}/reaction`, { emoji: '👍' }, 'PUT');
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
    expect(await getActions(message.id)).toHaveLength(1);
  });
});

describe('read', () => {
  test('a message, and those before it in its chat', async () => {
    const { chat } = await sent();
    const [first, second, third] = [
      await world.receive(chat.id, '1'),
      await world.receive(chat.id, '2'),
      await world.receive(chat.id, '3'),
    ];
    const { status, body } = await world.call(`/messages/${second}/read`, {});
    expect(status).toBe(202);
    expect(body).toMatchObject({ id: second, status: 'read', pending_action: 'read' });
    expect(body.read_at).toEqual(body.status_history.at(-1).at);
    const statuses = await Promise.all(
      [first, second, third].map(async (id) => (await world.call(`/messages/${id}`)).body.status),
    );
    expect(statuses).toEqual(['read', 'read', 'received']);
    expect((await world.call(`/chats/${chat.id}`)).body.unread).toBe(1);
    expect(await getActions(second)).toEqual([{ action: 'read', payload: null }]);
    expect(await getTypes(first)).toEqual(['message.read']);
    // A second call changes nothing and emits no event.
    expect(await world.call(`/messages/${second}/read`, {})).toHaveStatus(200);
    expect(await getActions(second)).toHaveLength(1);
    const own = await send();
    expect((await world.call(`/messages/${own.id}/read`, {})).body.code).toBe('unprocessable');
  });
});
