import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp } from '../../../../test/support/test-app.ts';
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

describe('files', () => {
  async function upload(bytes: Buffer, name: string, type: string): Promise<string> {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(bytes)], { type }), name);
    const answer = await fetch(`${world.app.base}/api/v1/media`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${world.home.key}` },
    });
    return ((await answer.json()) as { id: string }).id;
  }

  test('one that is there', async () => {
    const mediaId = await upload(Buffer.from('%PDF-1.4 list'), 'list.pdf', 'application/pdf');
    const message = await world.send(instance, {
      type: 'document',
      text: undefined,
      document: { media_id: mediaId, caption: 'Our list' },
    });
    expect(message.document).toEqual({ media_id: mediaId, caption: 'Our list', file_name: null });
    const image = await send({ type: 'image', text: undefined, image: { media_id: mediaId } });
    expect(image.body).toMatchObject({ status: 422, code: 'unsupported_by_channel' });
    expect(image.body.detail).toContain('types.image.mime_types');
    expect(pointers(image)).toEqual(['/image/media_id']);
    const voice = await send({ type: 'voice', text: undefined, voice: { media_id: mediaId, caption: 'x' } });
    expect(pointers(voice)!.toSorted()).toEqual(['/voice/caption', '/voice/media_id']);
  });

  test('one to be fetched, after its URL is checked', async () => {
    const message = await world.send(instance, {
      type: 'document',
      text: undefined,
      document: { url: 'https://example.com/list.pdf', file_name: 'list.pdf' },
    });
    const media = await world.call(`/media/${message.document.media_id}`);
    expect(media.body).toMatchObject({ state: 'pending', file_name: 'list.pdf' });
    const inside = await send({
      type: 'document',
      text: undefined,
      document: { url: 'http://127.0.0.1:1/x' },
    });
    expect(inside.body).toMatchObject({ status: 422, code: 'address_not_allowed' });
    expect(pointers(inside)).toEqual(['/document/url']);
  });
});

describe('scheduled', () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

  test('waits outside the queue', async () => {
    const own = await world.instance();
    const at = inAnHour();
    const message = await world.send(own, { scheduled_at: at });
    expect(message).toMatchObject({ status: 'scheduled', scheduled_at: at });
    expect(
      await world.rows('select 1 from send_queue where id = $1', [toUuid('message', message.id)]),
    ).toEqual([]);
    const [row] = await world.rows('select due_at from scheduled_messages where message_id = $1', [
      toUuid('message', message.id),
    ]);
    expect(row.due_at.toISOString()).toBe(at);
    expect((await world.events(message.id)).map(({ type }) => type)).toEqual(['message.scheduled']);
    expect((await world.call(`/chats/${message.chat.id}`)).body.last_message).toBeNull();
    expect((await world.call('/messages?status=scheduled')).body.data[0].id).toBe(message.id);
  });

  test('a time in the past sends immediately', async () => {
    const message = await world.send(instance, { scheduled_at: '2020-01-01T00:00:00Z' });
    expect(message).toMatchObject({ status: 'queued', scheduled_at: '2020-01-01T00:00:00.000Z' });
  });
});

describe('threads', () => {
  test('a subject starts one; without it the newest continues', async () => {
    const mail = await world.instance('email');
    const write = (more: object) => world.send(mail, { to: 'Zoe@Example.com', ...more });
    const first = await write({ subject: 'Offer' });
    const again = await write({});
    const second = await write({ subject: 'Invoice' });
    const newest = await write({});
    const reply = await write({ reply_to: first.id });
    const chats = [first, again, second, newest, reply].map(({ chat }) => chat.id);
    expect(chats).toEqual([chats[0], chats[0], chats[2], chats[2], chats[0]]);
    expect(chats[0]).not.toBe(chats[2]);
    expect(new Set([first, second].map(({ contact_id: id }) => id)).size).toBe(1);
    const [row] = await world.rows('select key, title from chats where id = $1', [toUuid('chat', chats[0])]);
    expect(row).toEqual({ key: first.id, title: 'Offer' });
    const onlyOne = await write({ to: 'new@example.com' });
    expect((await write({ to: 'new@example.com' })).chat.id).toBe(onlyOne.chat.id);
  });

  test('a thread of someone else who set the address for replies is not used if there is another', async () => {
    const mail = await world.instance('email');
    const write = (to: string) => world.send(mail, { to });
    const own = await write('ann@example.com');
    const theirs = await write('mallory@example.com');
    await world.rows("update chats set address = 'ann@example.com' where id = $1", [
      toUuid('chat', theirs.chat.id),
    ]);
    expect((await write('ann@example.com')).chat.id).toBe(own.chat.id);
    await world.rows("update chats set address = 'help@example.com' where id = $1", [
      toUuid('chat', theirs.chat.id),
    ]);
    expect((await write('help@example.com')).chat.id).toBe(theirs.chat.id);
  });

  test('within one batch too', async () => {
    const mail = await world.instance('email');
    const item = (more: object) => ({
      instance_id: mail,
      to: 'y@example.com',
      type: 'text',
      text: { body: 'Hi' },
      ...more,
    });
    const { body } = await world.call('/messages/batch', {
      messages: [item({}), item({ subject: 'A' }), item({}), item({ subject: 'B' }), item({})],
    });
    const chats = body.results.map(({ message }: { message: { chat: { id: string } } }) => message.chat.id);
    expect([
      chats[1] === chats[0],
      chats[2] === chats[1],
      chats[3] === chats[2],
      chats[4] === chats[3],
    ]).toEqual([false, true, false, true]);
  });
});

describe('batch', () => {
  test('each item has its own result, independent of the others', async () => {
    const own = await world.instance();
    const item = { instance_id: own, to: 'alice', type: 'text', text: { body: 'Hi' } };
    const { status, body } = await world.call('/messages/batch', {
      messages: [
        item,
        'no message',
        { ...item, to: 'no@such@name!' },
        { ...item, tipe: 'x' },
        { ...item, instance_id: 'ins_01h2xcejqtf2nbrexx3vqjhp41' },
        { ...item, type: 'document', text: undefined, document: { url: 'http://127.0.0.1:1/' } },
        { ...item, to: 'bob' },
      ],
    });
    expect(status).toBe(202);
    expect(body).toMatchObject({ object: 'message_batch', accepted: 2, refused: 5 });
    expect(
      body.results.map(({ index, message, problem }: Record<string, { status: number; code: string }>) => [
        index,
        message?.status ?? problem?.code,
      ]),
    ).toEqual([
      [0, 'queued'],
      [1, 'invalid_request'],
      [2, 'invalid_address'],
      [3, 'invalid_request'],
      [4, 'not_found'],
      [5, 'address_not_allowed'],
      [6, 'queued'],
    ]);
    expect(body.results[3].problem).toMatchObject({
      status: 400,
      errors: [{ pointer: '/tipe', code: 'unknown_field', detail: 'did you mean type?' }],
    });
    expect(
      body.results.flatMap(
        ({ message }: { message: { sequence: number } | null }) => message?.sequence ?? [],
      ),
    ).toEqual([1, 2]);
  });

  test('creates as many files as the quota allows', async () => {
    const own = await world.instance();
    const { body: usage } = await world.call('/usage');
    const { used } = usage.resources.find(({ resource }: { resource: string }) => resource === 'media');
    const limited = await startTestApp({ WORKSPACE_LIMITS: `media=${used + 5}` }, world.app);
    onTestFinished(() => limited.stop());
    const text = { instance_id: own, to: 'alice', type: 'text', text: { body: 'Hi' } };
    const file = (nth: number) => ({
      ...text,
      type: 'document',
      text: undefined,
      document: { url: `https://example.com/${nth}.pdf` },
    });
    const batch = async (messages: object[]) => {
      const { body } = await limited.call('/messages/batch', { key: world.home.key, body: { messages } });
      return body.results.map(
        ({ message, problem }: Record<string, { status: number; code: string }>) =>
          message?.status ?? problem?.code,
      );
    };
    const [taken, full] = ['queued', 'quota_exceeded'];
    const first = await batch([text, ...Array.from({ length: 9 }, (_, nth) => file(nth)), text]);
    expect(first).toEqual([taken, ...Array(5).fill(taken), ...Array(4).fill(full), taken]);
    expect(await batch([file(1), text, file(2)])).toEqual([full, taken, full]);
  });

  test('a thousand', async () => {
    const own = await world.instance();
    const messages = Array.from({ length: 1_000 }, (_, n) => ({
      instance_id: own,
      to: `c${n % 100}`,
      type: 'text',
      text: { body: `no ${n}` },
    }));
    const { body } = await world.call('/messages/batch', { messages });
    expect(body.accepted).toBe(1_000);
    const [{ due, all }] = await world.rows(
      `select count(*) filter (where due_at < 'infinity')::int as due, count(*)::int as all from send_queue where instance_id = $1`,
      [toUuid('instance', own)],
    );
    expect([due, all]).toEqual([100, 1_000]);
    const over = await world.call('/messages/batch', { messages: [...messages, messages[0]] });
    expect(over).toHaveStatus(400);
  });
});

describe('forward', () => {
  test('a new message with the same content', async () => {
    const first = await world.send(instance, {
      type: 'location',
      text: undefined,
      location: { latitude: 1, longitude: 2 },
    });
    const { status, body } = await world.call(`/messages/${first.id}/forward`, { to: 'forwarded' });
    expect(status).toBe(202);
    expect(body.id).not.toBe(first.id);
    expect(body).toMatchObject({
      type: 'location',
      location: first.location,
      to: 'forwarded',
      status: 'queued',
    });
    const other = await world.instance();
    const elsewhere = await world.call(`/messages/${first.id}/forward`, { to: 'x', instance_id: other });
    expect(elsewhere.body.instance_id).toBe(other);
    expect(await world.call(`/messages/${first.id}/forward`, {})).toHaveStatus(400);
    await world.rows('update messages set deleted_at = now() where id = $1', [toUuid('message', first.id)]);
    expect((await world.call(`/messages/${first.id}/forward`, { to: 'x' })).body.code).toBe('conflict');
  });
});
