import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import { type MessagesWorld, startMessages } from '../../../../test/support/messaging/messages.ts';

let world: MessagesWorld;
let instance: string;
const chats: Record<string, string> = {};

beforeAll(async () => {
  world = await startMessages();
  instance = await world.instance();
  for (const to of ['alice', 'bob', 'carol']) chats[to] = (await world.send(instance, { to })).chat.id;
});
afterAll(() => world.app.stop());

const ids = async (query: string): Promise<string[]> =>
  (await world.call(`/chats?${query}`)).body.data.map(({ id }: { id: string }) => id);

describe('list', () => {
  test('sorts by latest activity, with chats that only have scheduled messages last, and pages in the same order', async () => {
    const scheduled = await world.send(instance, {
      to: 'later',
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await world.send(instance, { to: 'alice' });
    const all = await ids('');
    expect(all).toEqual([chats['alice'], chats['carol'], chats['bob'], scheduled.chat.id]);
    const paged: string[] = [];
    let cursor = '';
    for (let page = 0; page < 6; page++) {
      const { body } = await world.call(`/chats?limit=1${cursor}`);
      paged.push(...body.data.map(({ id }: { id: string }) => id));
      if (!body.has_more) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(paged).toEqual(all);
  });

  test('filters', async () => {
    const mail = await world.instance('email');
    const letter = await world.send(mail, { to: 'dora@example.com', subject: 'Your 100% order' });
    expect(await ids(`instance_id=${mail}`)).toEqual([letter.chat.id]);
    expect(await ids(`contact_id=${letter.contact_id}`)).toEqual([letter.chat.id]);
    expect(await ids('q=100%25')).toEqual([letter.chat.id]);
    expect(await ids('q=DORA')).toEqual([letter.chat.id]);
    expect(await ids('q=0_')).toEqual([]);
    await world.rows("update contacts set name = 'Someone Else' where id = $1", [
      toUuid('contact', letter.contact_id),
    ]);
    expect(await ids('q=one el')).toEqual([letter.chat.id]);
    await world.receive(chats['bob']!, 'Hello');
    expect(await ids('unread=true')).toEqual([chats['bob']]);
    expect(await ids('kind=group')).toEqual([]);
    await world.call(`/chats/${chats['carol']}`, { archived: true }, 'PATCH');
    expect(await ids('archived=true')).toEqual([chats['carol']]);
    expect(await ids('archived=false')).not.toContain(chats['carol']);
    expect(await ids('instance_id=ins_7zzzzzzzzzzzzzzzzzzzzzzzzz')).toEqual([]);
    expect((await world.call('/chats?cursor=x')).body.code).toBe('invalid_cursor');
  });
});

test("a group's chat names the group, and who wrote last", async () => {
  const { chat, contact_id: contactId } = await world.send(instance, { to: 'gina' });
  const id = newUuid();
  await world.rows("update chats set kind = 'group', contact_id = null where id = $1", [
    toUuid('chat', chat.id),
  ]);
  await world.rows(
    `insert into groups (workspace_id, id, instance_id, key, chat_id, subject, membership, created_at, updated_at)
     select workspace_id, $2, instance_id, key, id, 'Club', 'joined', now(), now() from chats where id = $1`,
    [toUuid('chat', chat.id), id],
  );
  await world.rows("update contacts set name = 'Gina' where id = $1", [toUuid('contact', contactId)]);
  const own = (await world.call(`/chats/${chat.id}`)).body;
  expect(own).toMatchObject({ group_id: publicId('group', id), last_message: { from_name: null } });
  const came = toUuid('message', await world.receive(chat.id, 'Hello all'));
  await world.rows('update chats set last_message_id = $2 where id = $1', [toUuid('chat', chat.id), came]);
  await world.rows("update messages set contact_id = $2 where chat_id = $1 and direction = 'inbound'", [
    toUuid('chat', chat.id),
    toUuid('contact', contactId),
  ]);
  const { last_message: last } = (await world.call(`/chats/${chat.id}`)).body;
  expect(last).toMatchObject({ preview: 'Hello all', from: 'gina', from_name: 'Gina' });
  expect((await world.call(`/chats/${chats['bob']}`)).body.group_id).toBeNull();
  await world.rows('delete from groups where id = $1', [id]);
});

describe('change', () => {
  const patch = (body: object, headers?: Record<string, string>) =>
    world.call(`/chats/${chats['alice']}`, body, 'PATCH', headers);

  test('archives, mutes and renames, each with an event', async () => {
    const { status, body, headers } = await patch({ archived: true, muted: true, title: ' Best customer ' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ archived: true, muted: true, muted_until: null, title: 'Best customer' });
    expect(headers.get('etag')).toMatch(/^"2-/);
    const event = (await world.events(chats['alice']!)).at(-1)!;
    expect(event).toMatchObject({
      type: 'chat.updated',
      data: {
        object: { ...body, last_message: null },
        previous_attributes: { archived: false, muted: false, title: null },
      },
    });
    const until = new Date(Date.now() + 60_000).toISOString();
    expect((await patch({ muted_until: until })).body).toMatchObject({ muted: true, muted_until: until });
    expect((await patch({ muted_until: '2020-01-01T00:00:00Z' })).body).toMatchObject({
      muted: false,
      muted_until: null,
    });
    expect((await patch({ muted: false, archived: false, title: null })).body).toMatchObject({
      archived: false,
      muted: false,
      title: null,
    });
    expect(await patch({}, { 'if-match': '"1"' })).toHaveStatus(412);
  });

  test('rejects both ways of muting at once', async () => {
    const { status, body } = await patch({ muted: true, muted_until: null });
    expect([status, body.errors[0].pointer]).toEqual([400, '/muted']);
  });
});

describe('read', () => {
  test('marks all received messages and notifies the channel of the newest', async () => {
    const { chat } = await world.send(instance, { to: 'reader' });
    const came = [await world.receive(chat.id, '1'), await world.receive(chat.id, '2')];
    const { status, body } = await world.call(`/chats/${chat.id}/read`, {});
    expect([status, body.unread]).toEqual([200, 0]);
    const rows = await world.rows(
      "select message_id, action from send_queue where chat_id = $1 and action = 'read'",
      [toUuid('chat', chat.id)],
    );
    expect(rows).toEqual([{ message_id: toUuid('message', came[1]!), action: 'read' }]);
    for (const id of came) expect((await world.events(id)).map(({ type }) => type)).toEqual(['message.read']);
    expect((await world.events(chat.id)).at(-1)!.data.previous_attributes).toMatchObject({ unread: 2 });
    const before = await world.events(chat.id);
    expect((await world.call(`/chats/${chat.id}/read`, {})).body.unread).toBe(0);
    expect(await world.events(chat.id)).toEqual(before);
  });

  test('marks only locally while the instance is disconnected', async () => {
    const own = await world.instance();
    const { chat } = await world.send(own);
    await world.receive(chat.id, '1');
    await world.rows("update instances set state = 'disconnected' where id = $1", [toUuid('instance', own)]);
    expect((await world.call(`/chats/${chat.id}/read`, {})).body.unread).toBe(0);
    expect(
      await world.rows("select 1 from send_queue where chat_id = $1 and action = 'read'", [
        toUuid('chat', chat.id),
      ]),
    ).toEqual([]);
  });
});

describe('typing', () => {
  test('is forwarded if the channel supports it', async () => {
    const answer = await world.call(`/chats/${chats['bob']}/typing`, {});
    expect(answer).toHaveStatus(204);
    const mail = await world.instance('email');
    const { chat } = await world.send(mail, { to: 'a@example.com' });
    const refused = await world.call(`/chats/${chat.id}/typing`, {});
    expect(refused.body).toMatchObject({ status: 422, code: 'unsupported_by_channel' });
    expect(refused.body.detail).toContain('operations.typing');
  });
});

describe('messages of a chat', () => {
  test('are listed in both orders, page by page', async () => {
    const sent: string[] = [];
    for (let n = 0; n < 5; n++) sent.push((await world.send(instance, { to: 'pages' })).id);
    const { chat } = (await world.call(`/messages/${sent[0]}`)).body;
    const page = async (query: string) => (await world.call(`/chats/${chat.id}/messages?${query}`)).body;
    const all = async (order: string) => {
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { data, next_cursor } = await page(`order=${order}&limit=2${cursor && `&cursor=${cursor}`}`);
        found.push(...data.map(({ id }: { id: string }) => id));
        cursor = next_cursor;
      }
      return found;
    };
    expect(await all('asc')).toEqual(sent);
    expect(await all('desc')).toEqual(sent.toReversed());
    expect(await world.call('/chats/chat_01h2xcejqtf2nbrexx3vqjhp41/messages')).toHaveStatus(404);
  });
});
