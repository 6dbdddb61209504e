/** The whole way on the sandbox, through the API: sending, the queue's view, clearing, scheduling, expiry. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startTestApp();
  ({ key } = await startWorkspace(app));
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string) => app.call(path, { key, body, method });
const toMessage = async (id: string) => (await call(`/messages/${id}`)).body;

async function startInstance(name: string): Promise<string> {
  const { body } = await call('/instances', { name, channel: 'sandbox', settings: {}, credentials: {} });
  await call(`/instances/${body.id}/connect`, {});
  await vi.waitFor(
    async () => expect((await call(`/instances/${body.id}`)).body.state).toBe('connected'),
    PATIENCE,
  );
  return body.id;
}
const send = async (instanceId: string, to: string, more: object = {}) => {
  const answer = await call('/messages', {
    instance_id: instanceId,
    to,
    type: 'text',
    text: { body: 'Hi' },
    ...more,
  });
  expect(answer).toHaveStatus(202);
  return answer.body;
};

test('a message is delivered, and what the other instance answers comes in', async () => {
  const [one, other] = [await startInstance('one'), await startInstance('other')];
  const { id } = await send(one, 'other');
  await vi.waitFor(
    async () => expect(['delivered', 'read']).toContain((await toMessage(id)).status),
    PATIENCE,
  );
  await vi.waitFor(async () => {
    const { data } = (await call(`/messages?instance_id=${other}&direction=inbound`)).body;
    expect(data).toMatchObject([
      { from: 'one', text: { body: 'Hi' }, status: 'received', source: 'channel' },
    ]);
  }, PATIENCE);
  const history = (await toMessage(id)).status_history.map(({ status }: { status: string }) => status);
  expect(history.slice(0, 2)).toEqual(['queued', 'sending']);
});

test('the queue is shown in order, in pages, and cleared; nothing of it is sent', async () => {
  const instance = await startInstance('cleared');
  const held = await send(instance, 'never@void');
  await vi.waitFor(async () => expect((await toMessage(held.id)).status).toBe('sending'), PATIENCE);
  const waiting = [await send(instance, 'never@void'), await send(instance, 'never@void')];
  const first = (await call(`/instances/${instance}/queue?limit=2`)).body;
  expect(first.data).toMatchObject([
    { message_id: held.id, action: 'send', state: 'sending', attempts: 1 },
    { message_id: waiting[0].id, state: 'waiting', attempts: 0, due_at: null },
  ]);
  const next = (await call(`/instances/${instance}/queue?limit=2&cursor=${first.next_cursor}`)).body;
  expect(next.data).toMatchObject([{ message_id: waiting[1].id }]);
  expect(next.has_more).toBe(false);
  expect((await call(`/instances/${instance}`)).body.queue.length).toBe(3);

  const cleared = await call(`/instances/${instance}/clear-queue`, {});
  expect(cleared).toMatchObject({
    status: 200,
    body: { object: 'cleared_queue', instance_id: instance, canceled: 2 },
  });
  for (const { id } of waiting) expect((await toMessage(id)).status).toBe('canceled');
  expect((await toMessage(held.id)).status).toBe('sending');
  expect((await call(`/instances/${instance}`)).body.queue.length).toBe(1);
  expect((await call(`/instances/${instance}/queue?cursor=bad`)).body.code).toBe('invalid_cursor');
});

test('a scheduled message goes when it is due; one that is canceled does not', async () => {
  const instance = await startInstance('scheduled');
  const soon = new Date(Date.now() + 1_500).toISOString();
  const [one, other] = [
    await send(instance, 'bob', { scheduled_at: soon }),
    await send(instance, 'bob', { scheduled_at: soon }),
  ];
  expect(one.status).toBe('scheduled');
  expect((await call(`/messages/${other.id}/cancel`, {})).body.status).toBe('canceled');
  await vi.waitFor(
    async () => expect(['sent', 'delivered', 'read']).toContain((await toMessage(one.id)).status),
    PATIENCE,
  );
  const { status_history: history } = await toMessage(one.id);
  expect(history.map(({ status }: { status: string }) => status).slice(0, 3)).toEqual([
    'scheduled',
    'queued',
    'sending',
  ]);
  expect(Date.parse(history[1].at)).toBeGreaterThanOrEqual(Date.parse(soon));
  expect((await toMessage(other.id)).status).toBe('canceled');
});
