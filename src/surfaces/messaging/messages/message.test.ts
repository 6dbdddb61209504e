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

const send = (more: object = {}) =>
  world.call('/messages', {
    instance_id: instance,
    to: 'alice',
    type: 'text',
    text: { body: 'Hi' },
    ...more,
  });
const pointers = (answer: { body: { errors?: { pointer: string }[] } }) =>
  answer.body.errors?.map(({ pointer }) => pointer);

describe('send', () => {
  test('creates message, chat, contact, queue row and event together', async () => {
    const own = await world.instance();
    const { status, body, headers } = await send({ instance_id: own, to: 'Alice', metadata: { order: '7' } });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      object: 'message',
      instance_id: own,
      direction: 'outbound',
      source: 'api',
      chat: { kind: 'direct' },
      type: 'text',
      text: { body: 'Hi' },
      image: null,
      status: 'queued',
      status_history: [{ status: 'queued', at: body.created_at }],
      sequence: 1,
      reply_to: null,
      metadata: { order: '7' },
      created_by: world.home.keyId,
    });
    expect(headers.get('etag')).toBe('"1"');
    expect((await world.call(`/messages/${body.id}`)).body).toEqual(body);
    const id = toUuid('message', body.id);
    const [row] = await world.rows(
      'select *, due_at <= now() as due, expires_at - created_at as ttl from send_queue where id = $1',
      [id],
    );
    expect(row).toMatchObject({
      action: 'send',
      message_id: id,
      due: true,
      attempts: 0,
      claimed_epoch: null,
    });
    expect(row.ttl.hours ?? row.ttl.days).toBeTruthy();
    expect(
      await world.rows('select length, last_sequence from instance_queues where instance_id = $1', [
        toUuid('instance', own),
      ]),
    ).toEqual([{ length: 1, last_sequence: 1 }]);
    expect(
      await world.rows('select created_by from contacts where id = $1', [toUuid('contact', body.contact_id)]),
    ).toEqual([{ created_by: world.home.keyId }]);
    const events = await world.events(body.id);
    expect(events.map(({ type }) => type)).toEqual(['message.queued']);
    expect(events[0]!.data.object).toEqual(body);
    const chat = await world.call(`/chats/${body.chat.id}`);
    expect(chat.body).toMatchObject({
      contact_id: body.contact_id,
      last_message: { id: body.id, preview: 'Hi' },
    });
  });

  test('two spellings of an address are one chat and contact; the second message waits for the first', async () => {
    const own = await world.instance();
    const [first, second] = [await world.send(own, { to: 'bob' }), await world.send(own, { to: ' BOB ' })];
    expect(second.chat.id).toBe(first.chat.id);
    expect(second.contact_id).toBe(first.contact_id);
    const rows = await world.rows(
      `select due_at = 'infinity' as waits from send_queue where instance_id = $1 order by position`,
      [toUuid('instance', own)],
    );
    expect(rows.map(({ waits }) => waits)).toEqual([false, true]);
  });

  test('accepts a contact, a chat or an address', async () => {
    const first = await world.send(instance, { to: 'carol' });
    const byContact = await world.send(instance, { to: undefined, contact_id: first.contact_id });
    const byChat = await world.send(instance, { to: undefined, chat_id: first.chat.id });
    expect([byContact.chat.id, byChat.chat.id]).toEqual([first.chat.id, first.chat.id]);
    expect([byContact.to, byChat.to]).toEqual([first.to, first.to]);
  });

  test('many concurrent requests get sequences without gaps, one chat, their order, and their own responses', async () => {
    const own = await world.instance();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        send({ instance_id: own, to: n % 2 ? 'dan' : 'dora', text: { body: `no ${n}` } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    expect(answers.map(({ body }) => body.text.body)).toEqual(answers.map((_, n) => `no ${n}`));
    expect(answers.map(({ body }) => body.sequence).toSorted((a, b) => a - b)).toEqual(
      answers.map((_, n) => n + 1),
    );
    expect(new Set(answers.map(({ body }) => body.chat.id)).size).toBe(2);
    const rows = await world.rows(
      `select m.sequence, q.position, q.due_at = 'infinity' as waits from send_queue q join messages m on m.id = q.id
       where q.instance_id = $1 order by q.position`,
      [toUuid('instance', own)],
    );
    expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map(({ position }) => position));
    expect(rows.filter(({ waits }) => !waits)).toHaveLength(2);
  });

  test('an error in one of many concurrent requests is only returned to that one', async () => {
    const good = { instance_id: instance, to: 'eve' };
    const answers = await Promise.all([
      send(good),
      send({ ...good, to: 'no@such@name!' }),
      send({ ...good, to: undefined }),
      send({ ...good, text: { body: 'x'.repeat(65_536) } }),
      send({ ...good, type: 'poll', text: undefined, poll: { question: 'When?', options: ['a', 'b'] } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([202, 422, 400, 202, 202]);
    expect(answers[1].body.code).toBe('invalid_address');
    expect(pointers(answers[1])).toEqual(['/to']);
  });

  test('an ID is not an address, whether or not its object exists', async () => {
    const { body } = await send({ to: 'ida' });
    for (const to of [
      body.contact_id,
      body.chat.id,
      publicId('contact', newUuid()),
      publicId('group', newUuid()),
    ])
      for (const answer of [await send({ to }), await send({ mentions: [to] })])
        expect([to, answer.status, answer.body.code]).toEqual([to, 422, 'invalid_address']);
    expect(await send({ to: 'con_fusion' })).toHaveStatus(202);
  });

  test('with an Idempotency-Key is done once', async () => {
    const headers = { 'idempotency-key': 'send once' };
    const body = { instance_id: instance, to: 'frank', type: 'text', text: { body: 'Once' } };
    const [first, second] = await Promise.all(
      [1, 2].map(() => world.call('/messages', body, 'POST', headers)),
    );
    const third = await world.call('/messages', body, 'POST', headers);
    expect(third.headers.get('idempotency-replayed')).toBe('true');
    expect([first!.status, second!.status].filter((status) => status === 202).length).toBeGreaterThan(0);
    const sent = await world.call('/messages?q=once');
    expect(sent.body.data.map(({ id }: { id: string }) => id)).toEqual([third.body.id]);
  });

  test('a person sends from the console', async () => {
    const { body } = await world.home.owner.call('/messages', {
      workspace: world.home.workspace,
      body: { instance_id: instance, to: 'alice', type: 'text', text: { body: 'Hi' } },
    });
    expect(body).toMatchObject({ source: 'console', created_by: world.home.owner.userId });
  });
});

describe('send refuses', () => {
  test('all schema errors at once', async () => {
    const answer = await send({
      contact_id: 'con_01h2xcejqtf2nbrexx3vqjhp41',
      text: undefined,
      image: {},
      reply_to: 'msg_7zzzzzzzzzzzzzzzzzzzzzzzzz',
      type: 'image',
      location: { latitude: 1, longitude: 2 },
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(pointers(answer)!.toSorted()).toEqual(['/contact_id', '/image/media_id', '/location']);
  });

  test.each([
    [{ to: undefined }, '/to'],
    [{ text: {} }, '/text/body'],
    [{ text: { body: '  ' } }, '/text/body'],
    [{ text: { body: 'x', boddy: 'y' } }, '/text/boddy'],
    [{ type: 'fax' }, '/type'],
    [{ group_id: 'grp_01h2xcejqtf2nbrexx3vqjhp41' }, '/group_id'],
    [{ type: 'poll', text: undefined, poll: { question: 'q', options: ['only'] } }, '/poll/options'],
    [{ type: 'location', text: undefined, location: { latitude: 91, longitude: 0 } }, '/location/latitude'],
    [{ type: 'document', text: undefined, document: { url: 'ftp://example.com/a' } }, '/document/url'],
    [
      {
        type: 'event',
        text: undefined,
        event: { name: 'x', start_at: '2027-01-02T00:00:00Z', end_at: '2027-01-01T00:00:00Z' },
      },
      '/event/end_at',
    ],
  ])('%j', async (more, pointer) => {
    const answer = await send(more);
    expect(answer.status, JSON.stringify(answer.body)).toBe(400);
    expect(pointers(answer)).toContain(pointer);
  });

  test('objects that do not exist in this workspace', async () => {
    const other = await startOther();
    for (const [more, pointer] of [
      [{ instance_id: other.instance }, '/instance_id'],
      [{ to: undefined, chat_id: other.chat }, '/chat_id'],
      [{ to: undefined, contact_id: other.contact }, '/contact_id'],
      [{ reply_to: other.message }, '/reply_to'],
      [
        { type: 'image', text: undefined, image: { media_id: 'med_01h2xcejqtf2nbrexx3vqjhp41' } },
        '/image/media_id',
      ],
    ] as const) {
      const answer = await send(more);
      expect([answer.status, answer.body.code, pointers(answer)]).toEqual([404, 'not_found', [pointer]]);
    }
  });

  /** Objects of another workspace. */
  async function startOther() {
    const own = await world.app.signUp();
    const { body } = await own.call('/workspaces', { body: { name: 'Other' } });
    const asOther = (path: string, given?: object) => own.call(path, { workspace: body.id, body: given });
    const made = (await asOther('/instances', { name: 'other', channel: 'sandbox' })).body.id;
    await world.rows("update instances set state = 'connected' where id = $1", [toUuid('instance', made)]);
    const message = (
      await asOther('/messages', { instance_id: made, to: 'x', type: 'text', text: { body: 'Hi' } })
    ).body;
    return { instance: made, chat: message.chat.id, contact: message.contact_id, message: message.id };
  }

  test.each(['created', 'disconnected', 'failed'])('from an instance that is %s', async (state) => {
    const own = await world.instance();
    await world.rows('update instances set state = $2 where id = $1', [toUuid('instance', own), state]);
    const answer = await send({ instance_id: own });
    expect([answer.status, answer.body.code]).toEqual([422, 'instance_disconnected']);
    expect((await world.call(`/messages?instance_id=${own}`)).body.data).toEqual([]);
  });

  test.each(['connecting', 'reconnecting', 'restricted', 'action_required'])(
    'not while it is %s',
    async (state) => {
      const own = await world.instance();
      await world.rows('update instances set state = $2 where id = $1', [toUuid('instance', own), state]);
      expect(await send({ instance_id: own })).toHaveStatus(202);
    },
  );

  test("a contact without an address on the instance, another instance's chat, another chat's message", async () => {
    const own = await world.instance();
    const elsewhere = await world.send(instance, { to: 'gina' });
    const here = await world.send(own, { to: 'gina' });
    const contact = await send({ instance_id: own, to: undefined, contact_id: elsewhere.contact_id });
    expect([contact.status, pointers(contact)]).toEqual([422, ['/contact_id']]);
    const chat = await send({ instance_id: own, to: undefined, chat_id: elsewhere.chat.id });
    expect([chat.status, pointers(chat)]).toEqual([422, ['/chat_id']]);
    const reply = await send({ instance_id: own, to: 'harry', reply_to: here.id });
    expect([reply.status, pointers(reply)]).toEqual([422, ['/reply_to']]);
    expect((await send({ instance_id: own, to: 'gina', reply_to: here.id })).body.reply_to).toBe(here.id);
  });

  test('unsupported content, with the name of the capability, before anything is written', async () => {
    const before = await world.rows('select count(*) from messages');
    const answers = [
      await send({ subject: 'A thread' }),
      await send({
        type: 'interactive',
        text: undefined,
        interactive: { body: 'x'.repeat(4_096), choices: [{ id: 'a', title: 'A' }] },
      }),
      await send({
        type: 'interactive',
        text: undefined,
        interactive: { body: 'x', choices: [{ id: 'a', title: 'A', form_id: '1' }] },
      }),
    ];
    expect(answers[0]!.body).toMatchObject({ status: 422, code: 'unsupported_by_channel' });
    expect(answers[0]!.body.detail).toContain('operations.threads');
    expect(answers[1]!).toHaveStatus(202);
    expect(answers[2]!.body).toMatchObject({ status: 422, code: 'unsupported_by_channel' });
    expect(answers[2]!.body.detail).toContain('operations.forms');
    const mail = await world.instance('email');
    const poll = await send({
      instance_id: mail,
      to: 'a@example.com',
      type: 'poll',
      text: undefined,
      poll: { question: 'q', options: ['a', 'b'] },
    });
    expect(poll.body).toMatchObject({ status: 422, code: 'unsupported_by_channel' });
    expect(poll.body.detail).toContain('types.poll');
    const after = await world.rows('select count(*) from messages');
    expect(Number(after[0].count) - Number(before[0].count)).toBe(1);
  });

  test('more than a year ahead', async () => {
    const answer = await send({ scheduled_at: new Date(Date.now() + 400 * 86_400_000).toISOString() });
    expect([answer.status, pointers(answer)]).toEqual([422, ['/scheduled_at']]);
  });
});
