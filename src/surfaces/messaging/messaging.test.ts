/** End-to-end test: an instance is created and connected, sends, receives, emits events, and is deleted. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { toUuid } from '../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { getEvents } from '../../../test/support/workspaces.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string) =>
  app.call(path, { key: home.key, body, method });
async function ok(path: string, body?: unknown, method?: string) {
  const answer = await call(path, body, method);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** A connected sandbox instance: its ID. */
async function connected(name: string, settings: object = {}): Promise<string> {
  const { id } = await ok('/instances', { name, channel: 'sandbox', settings });
  await ok(`/instances/${id}/connect`, undefined, 'POST');
  await vi.waitFor(async () => expect((await ok(`/instances/${id}`)).state).toBe('connected'), PATIENCE);
  return id;
}
const send = (instance: string, to: string, body: string) =>
  ok('/messages', { instance_id: instance, to, type: 'text', text: { body } });
const untilStatus = (id: string, status: string) =>
  vi.waitFor(async () => {
    const message = await ok(`/messages/${id}`);
    expect(message.status).toBe(status);
    return message;
  }, PATIENCE);
const getInbound = async (instance: string) =>
  (await ok(`/messages?instance_id=${instance}&direction=inbound`)).data;
const statusesTold = async (id: string): Promise<string[]> =>
  (await getEvents(app, toUuid('workspace', home.workspace)!))
    .filter(({ type, data }) => type.startsWith('message.') && data.object.id === id)
    .map(({ type }) => type);

describe('one instance', () => {
  test('a message is sent, delivered and read, and its reply is received', async () => {
    const instance = await connected('Front desk');
    const queued = await send(instance, 'Alice', 'something to repeat');
    expect(queued).toMatchObject({
      object: 'message',
      instance_id: instance,
      direction: 'outbound',
      source: 'api',
      status: 'queued',
      from: 'front-desk',
      to: 'alice',
      text: { body: 'something to repeat' },
    });
    const read = await untilStatus(queued.id, 'read');
    // The first response is outdated, and a conditional request must show that.
    const asked = { key: home.key, headers: { 'if-none-match': '"1"' } };
    expect(await app.call(`/messages/${queued.id}`, asked)).toHaveStatus(200);
    const history = read.status_history.map(({ status }: { status: string }) => status);
    expect(history.slice(0, 2)).toEqual(['queued', 'sending']);
    expect(history.at(-1)).toBe('read');
    expect(read.external_id).not.toBeNull();
    expect(Date.parse(read.read_at)).toBeGreaterThanOrEqual(Date.parse(read.created_at));

    const [answer] = await vi.waitFor(async () => {
      const heard = await getInbound(instance);
      expect(heard).toHaveLength(1);
      return heard;
    }, PATIENCE);
    expect(answer).toMatchObject({ source: 'channel', status: 'received', from: 'alice', type: 'text' });
    expect(answer.text.body).toContain('something to repeat');
    expect([answer.chat.id, answer.sequence]).toEqual([queued.chat.id, queued.sequence + 1]);

    const chat = await ok(`/chats/${queued.chat.id}`);
    expect([chat.kind, chat.unread, chat.last_message.id]).toEqual(['direct', 1, answer.id]);
    const told = await statusesTold(queued.id);
    expect(told[0]).toBe('message.queued');
    expect(told.at(-1)).toBe('message.read');
    expect(told.filter((type) => type === 'message.sent').length).toBeLessThan(2);
    expect(await statusesTold(answer.id)).toEqual(['message.received']);
    expect((await ok(`/instances/${instance}`)).queue).toEqual({ length: 0, oldest_at: null });
  });

  test('a disconnected instance sends nothing; waiting messages are sent afterwards, in order', async () => {
    const instance = await connected('Night shift', { replies: false });
    await ok(`/instances/${instance}/disconnect`, undefined, 'POST');
    const body = { instance_id: instance, to: 'bob', type: 'text', text: { body: 'late' } };
    const refused = await call('/messages', body);
    expect([refused.status, refused.body.code]).toEqual([422, 'instance_disconnected']);
    expect((await ok(`/messages?instance_id=${instance}`)).data).toEqual([]);
    await ok(`/instances/${instance}/connect`, undefined, 'POST');
    const sent = [];
    for (const text of ['one', 'two', 'three']) sent.push(await send(instance, 'bob', text));
    const done = await Promise.all(sent.map(({ id }) => untilStatus(id, 'read')));
    const times = done.map(({ sent_at: at }) => Date.parse(at));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test('a restart during sending loses and duplicates nothing', async () => {
    const instance = await connected('Busy desk', { replies: false });
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, n) => send(instance, `guest-${n}`, `${n}`)),
    );
    await ok(`/instances/${instance}/restart`, undefined, 'POST');
    for (const { id } of sent) {
      const { status_history: history } = await untilStatus(id, 'read');
      const statuses = history.map(({ status }: { status: string }) => status);
      expect(new Set(statuses.filter((status: string) => !/queued|sending/.test(status))).size).toBe(
        statuses.filter((status: string) => !/queued|sending/.test(status)).length,
      );
    }
  });

  test('waiting messages can be cleared', async () => {
    const { id } = await ok('/instances', {
      name: 'Waiting',
      channel: 'sandbox',
      settings: { pairing: 'qr', pairing_seconds: 0 },
    });
    await ok(`/instances/${id}/connect`, undefined, 'POST');
    const sent = [await send(id, 'carol', 'first'), await send(id, 'dave', 'second')];
    const { queue } = await ok(`/instances/${id}`);
    expect(queue.length).toBe(2);
    expect(Date.parse(queue.oldest_at)).toBeLessThanOrEqual(Date.now());
    const page = await ok(`/instances/${id}/queue?limit=1`);
    const rest = await ok(`/instances/${id}/queue?limit=1&cursor=${page.next_cursor}`);
    const shown = [...page.data, ...rest.data];
    expect(shown.map((entry) => [entry.message_id, entry.action, entry.attempts])).toEqual(
      sent.map((message) => [message.id, 'send', 0]),
    );
    expect([page.has_more, rest.has_more, rest.next_cursor]).toEqual([true, false, null]);
    for (const cursor of ['x', Buffer.from("1:' or 1=1 --").toString('base64url')])
      expect((await call(`/instances/${id}/queue?cursor=${cursor}`)).body.code).toBe('invalid_cursor');
    const { body } = await call(`/instances/${id}/clear-queue`, undefined, 'POST');
    expect(body).toEqual({ object: 'cleared_queue', instance_id: id, canceled: 2 });
    for (const message of sent) await untilStatus(message.id, 'canceled');
    await vi.waitFor(
      async () => expect((await ok(`/instances/${id}`)).queue).toEqual({ length: 0, oldest_at: null }),
      PATIENCE,
    );
  });
});

test('two instances talk to each other', async () => {
  const [anna, ben] = [await connected('Anna'), await connected('Ben')];
  const sent = await send(anna, 'ben', 'hello Ben');
  const [heard] = await vi.waitFor(async () => {
    const messages = await getInbound(ben);
    expect(messages).toHaveLength(1);
    return messages;
  }, PATIENCE);
  expect(heard).toMatchObject({ from: 'anna', text: { body: 'hello Ben' } });
  await untilStatus(sent.id, 'delivered');
  const back = await send(ben, 'anna', 'hello Anna');
  await untilStatus(back.id, 'delivered');
  await ok(`/messages/${heard.id}/read`, undefined, 'POST');
  await untilStatus(sent.id, 'read');

  const removed = await call(`/instances/${ben}`, undefined, 'DELETE');
  expect(removed).toHaveStatus(204);
  await vi.waitFor(async () => expect(await call(`/messages/${heard.id}`)).toHaveStatus(404), PATIENCE);
  expect((await ok(`/messages/${sent.id}`)).status).toBe('read');
});
