/** Tests messages to groups: by the group, its chat or its address, and only while the account is a member. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import { type MessagesWorld, startMessages } from '../../../../test/support/messaging/messages.ts';

let world: MessagesWorld;
let instance: string;
beforeAll(async () => {
  world = await startMessages();
  instance = await world.instance();
});
afterAll(() => world.app.stop());

interface Group {
  id: string;
  chat: string;
  address: string;
}

let made = 0;
/** A group as reported by the channel. */
async function group(membership = 'joined', of = instance): Promise<Group> {
  const [chatId, id, instanceId] = [newUuid(), newUuid(), toUuid('instance', of)];
  const address = `group:${String(++made).padStart(20, '0')}`;
  await world.rows(
    `with chat as (
       insert into chats (workspace_id, id, instance_id, kind, key, address, title, created_at, updated_at)
       select workspace_id, $1, id, 'group', $4, $4, 'Club', now(), now() from instances where id = $3 returning *
     )
     insert into groups (workspace_id, id, instance_id, key, chat_id, subject, membership, created_at, updated_at)
     select workspace_id, $2, instance_id, key, id, 'Club', $5, now(), now() from chat`,
    [chatId, id, instanceId, address, membership],
  );
  return { id: publicId('group', id), chat: publicId('chat', chatId), address };
}
const post = (body: object, path = '/messages') =>
  world.call(path, { instance_id: instance, type: 'text', text: { body: 'Hi' }, ...body });
const codes = (answer: { body: { errors?: { pointer: string; code: string }[] } }) =>
  answer.body.errors?.map(({ pointer, code }) => [pointer, code]);

describe('a message to a group', () => {
  test('goes to the group chat, however the group is specified', async () => {
    const club = await group();
    const ways = [{ group_id: club.id }, { chat_id: club.chat }, { to: club.address }];
    for (const way of ways) {
      const { status, body } = await post(way);
      expect([status, body.chat, body.to, body.contact_id]).toEqual([
        202,
        { id: club.chat, kind: 'group' },
        club.address,
        null,
      ]);
    }
    const batch = await world.call('/messages/batch', {
      messages: ways.map((way) => ({ instance_id: instance, type: 'text', text: { body: 'x' }, ...way })),
    });
    expect(batch.body.results.map(({ message }: never) => (message as { chat: object }).chat)).toEqual(
      ways.map(() => ({ id: club.chat, kind: 'group' })),
    );
    const chats = await world.rows('select id from chats where address = $1', [club.address]);
    expect(chats).toEqual([{ id: toUuid('chat', club.chat) }]);
    expect(await world.rows('select 1 from contact_identities where address = $1', [club.address])).toEqual(
      [],
    );
    const [row] = await world.rows(
      `select c.kind from send_queue q join chats c on c.id = q.chat_id where q.id = $1`,
      [toUuid('message', batch.body.results[0].message.id)],
    );
    expect(row).toEqual({ kind: 'group' });
  });

  test('its chat names it', async () => {
    const club = await group();
    expect((await world.call(`/chats/${club.chat}`)).body).toMatchObject({
      kind: 'group',
      group_id: club.id,
    });
    const { chat } = await world.send(instance);
    expect((await world.call(`/chats/${chat.id}`)).body).toMatchObject({ kind: 'direct', group_id: null });
  });

  test('is forwarded to one, and answers in one', async () => {
    const club = await group();
    const first = await world.send(instance);
    const forwarded = await world.call(`/messages/${first.id}/forward`, { group_id: club.id });
    expect([forwarded.status, forwarded.body.chat.id]).toEqual([202, club.chat]);
    const answer = await post({ group_id: club.id, reply_to: forwarded.body.id });
    expect([answer.status, answer.body.reply_to]).toEqual([202, forwarded.body.id]);
    const elsewhere = await post({ group_id: club.id, reply_to: first.id });
    expect([elsewhere.status, codes(elsewhere)]).toEqual([422, [['/reply_to', 'other_chat']]]);
  });

  test('requires exactly one recipient, which exists and belongs to the instance', async () => {
    const club = await group();
    const other = await group('joined', await world.instance());
    const two = await post({ to: 'alice', group_id: club.id });
    expect([two.status, codes(two)]).toEqual([400, [['/group_id', 'ambiguous']]]);
    const none = await post({});
    expect([none.status, codes(none)]).toEqual([400, [['/to', 'required']]]);
    const unknown = await post({ group_id: publicId('group', newUuid()) });
    expect([unknown.status, codes(unknown)]).toEqual([404, [['/group_id', 'not_found']]]);
    const foreign = await post({ group_id: other.id });
    expect([foreign.status, codes(foreign)]).toEqual([422, [['/group_id', 'other_instance']]]);
    const message = await world.send(instance);
    const reaction = { type: 'reaction', reaction: { message_id: message.id, emoji: '👍' }, text: undefined };
    const reacted = await post({ ...reaction, group_id: club.id });
    expect([reacted.status, codes(reacted)]).toEqual([400, [['/group_id', 'unexpected']]]);
  });
});

describe('of a group that the account is not in any more', () => {
  test.each(['left', 'removed', 'banned', 'destroyed'])('%s: nothing is queued', async (membership) => {
    const club = await group(membership);
    const [before] = await world.rows('select last_sequence from instance_queues where instance_id = $1', [
      toUuid('instance', instance),
    ]);
    for (const [pointer, way] of [
      ['/group_id', { group_id: club.id }],
      ['/chat_id', { chat_id: club.chat }],
      ['/to', { to: club.address }],
    ] as const) {
      const answer = await post(way);
      expect([answer.status, answer.body.code, codes(answer)]).toEqual([
        422,
        'not_in_group',
        [[pointer, 'not_in_group']],
      ]);
      expect(answer.body.detail).toContain(membership);
      const forwarded = await world.call(`/messages/${(await world.send(instance)).id}/forward`, way);
      expect([forwarded.status, forwarded.body.code]).toEqual([422, 'not_in_group']);
    }
    const batch = await world.call('/messages/batch', {
      messages: [
        { instance_id: instance, group_id: club.id, type: 'text', text: { body: 'x' } },
        { instance_id: instance, to: 'alice', type: 'text', text: { body: 'x' } },
      ],
    });
    expect(batch.body).toMatchObject({ accepted: 1, results: [{ problem: { code: 'not_in_group' } }, {}] });
    const [after] = await world.rows('select last_sequence from instance_queues where instance_id = $1', [
      toUuid('instance', instance),
    ]);
    // The three that were forwarded, and the other of the batch.
    expect(Number(after.last_sequence) - Number(before.last_sequence)).toBe(4);
  });

  test('its messages cannot be changed at the channel, typing is rejected, and marking as read works', async () => {
    const club = await group();
    const { body: sent } = await post({ group_id: club.id });
    await world.markSent(sent.id);
    const came = await world.receive(club.chat, 'hello');
    await world.rows(`update groups set membership = 'removed' where id = $1`, [toUuid('group', club.id)]);
    const answers = [
      await world.call(`/messages/${sent.id}`, { text: { body: 'better' } }, 'PATCH'),
      await world.call(`/messages/${sent.id}`, undefined, 'DELETE'),
      await world.call(`/messages/${came}/reaction`, { emoji: '👍' }, 'PUT'),
      await world.call(`/chats/${club.chat}/typing`, {}),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [422, 'not_in_group']),
    );
    const read = await world.call(`/messages/${came}/read`, undefined, 'POST');
    expect([read.status, read.body.status, read.body.pending_action]).toEqual([200, 'read', null]);
    expect(
      await world.rows('select action from send_queue where chat_id = $1', [toUuid('chat', club.chat)]),
    ).toEqual([]);
  });

  test('queued or scheduled messages can still be canceled', async () => {
    const club = await group();
    const { body: queued } = await post({ group_id: club.id });
    await world.rows(`update groups set membership = 'left' where id = $1`, [toUuid('group', club.id)]);
    const canceled = await world.call(`/messages/${queued.id}/cancel`, undefined, 'POST');
    expect([canceled.status, canceled.body.status]).toEqual([200, 'canceled']);
  });
});
