/** Seeing and repairing with everything running: the engine, the jobs, a receiver. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let receiver: Server;
let got: { id: string; body: string }[] = [];
let answer: (response: ServerResponse) => void;
const respond = (status: number, body = '') => {
  answer = (response) => void response.writeHead(status).end(body);
};

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    got.push({ id: String(request.headers['webhook-id']), body: await text(request) });
    answer(response);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
  home = await startWorkspace(app);
});
afterAll(async () => {
  await app.stop();
  receiver.closeAllConnections();
  receiver.close();
});

const call = (path: string, body?: unknown, method?: string) =>
  app.call(path, { key: home.key, body, method });
const soon = { timeout: 120_000, interval: 30 };

async function newWebhook(): Promise<string> {
  got = [];
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${Math.random()}`;
  const { status, body } = await call('/webhooks', { url, events: ['api_key.created'] });
  expect(status).toBe(201);
  return body.id;
}
const makeKey = () =>
  home.owner.call('/api-keys', { workspace: home.workspace, body: { name: 'live', preset: 'links' } });
const deliveries = async (webhook: string, filter = '') =>
  (await call(`/webhooks/${webhook}/deliveries${filter}`)).body.data;

test('a delivery shows what was sent and answered; a retry sends it again under its ID', async () => {
  const webhook = await newWebhook();
  let open: ServerResponse | undefined;
  answer = (response) => (open = response);
  await makeKey();
  await vi.waitFor(() => expect(open).toBeDefined(), soon);
  const [sending] = await deliveries(webhook, '?status=sending');
  expect(sending).toMatchObject({ status: 'sending', attempt_count: 0, next_attempt_at: null });
  expect((await call(`/deliveries/${sending.id}/retry`, {}, 'POST')).body.code).toBe('conflict');
  open!.writeHead(503, { 'x-reason': 'tired' }).end('not now');
  await vi.waitFor(
    async () => expect(await deliveries(webhook, '?status=pending')).toMatchObject([{ attempt_count: 1 }]),
    soon,
  );
  const failed = (await call(`/deliveries/${sending.id}`)).body;
  expect(failed).toMatchObject({ last_status_code: 503, completed_at: null, body: got[0]!.body });
  expect(Date.parse(failed.next_attempt_at)).toBeGreaterThan(Date.now());
  expect(failed.attempts[0]).toMatchObject({
    number: 1,
    remote_address: expect.stringContaining('127.0.0.1'),
    response: { status_code: 503, body: 'not now', headers: { 'x-reason': 'tired' } },
  });
  expect(failed.attempts[0].request.headers['webhook-id']).toBe(failed.event_id);
  expect((await call(`/webhooks/${webhook}/health`)).body.state).toBe('failing');

  respond(200, 'thanks');
  expect(await call(`/deliveries/${sending.id}/retry`, {}, 'POST')).toHaveStatus(202);
  await vi.waitFor(async () => expect((await deliveries(webhook))[0].status).toBe('succeeded'), soon);
  const again = await call(`/deliveries/${sending.id}/retry`, {}, 'POST');
  expect([again.status, again.body.status]).toEqual([202, 'pending']);
  await vi.waitFor(
    async () =>
      expect((await deliveries(webhook))[0]).toMatchObject({ status: 'succeeded', attempt_count: 3 }),
    soon,
  );
  expect(new Set(got.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
  expect(got).toHaveLength(3);
  expect((await call(`/webhooks/${webhook}/health`)).body).toMatchObject({
    state: 'healthy',
    waiting: 0,
    sending: 0,
    last_24_hours: { succeeded: 2, failed: 1 },
  });
  expect((await call('/delivery-queue')).body).toMatchObject({ waiting: 0, sending: 0, failing_webhooks: 0 });
  expect(await call(`/webhooks/${webhook}`, undefined, 'DELETE')).toHaveStatus(204);
});

test('a replay brings what was missed while the webhook was disabled, and what came before it', async () => {
  const since = new Date(Date.now() - 1000).toISOString();
  respond(200);
  const list = async () =>
    (await call(`/events?type=api_key.created&created_after=${since}`)).body.data as {
      id: string;
      data: { object: { id: string } };
    }[];
  const logged = async () => (await list()).map(({ id }) => id);
  /** In the log, so that a webhook from now on, or enabled again, isn't sent it as usual. */
  const makeLoggedKey = async (): Promise<void> => {
    const { id } = (await makeKey()).body;
    const ids = async () => (await list()).map(({ data }) => data.object.id);
    await vi.waitFor(async () => expect(await ids()).toContain(id), soon);
  };
  await makeLoggedKey();
  const webhook = await newWebhook();
  await call(`/webhooks/${webhook}`, { enabled: false }, 'PATCH');
  await makeLoggedKey();
  await makeLoggedKey();
  await call(`/webhooks/${webhook}`, { enabled: true }, 'PATCH');
  got = [];
  const started = await call(`/webhooks/${webhook}/replay`, { since });
  expect(started).toHaveStatus(202);
  const job = await vi.waitFor(async () => {
    const { body } = await call(`/jobs/${started.body.id}`);
    expect(body.state).toBe('succeeded');
    return body;
  }, soon);
  const missed: string[] = await logged();
  expect(job.result).toEqual({ deliveries: missed.length, skipped: 0 });
  await vi.waitFor(() => expect(got).toHaveLength(missed.length), soon);
  expect(got.map(({ id }) => id).toSorted()).toEqual(missed.toSorted());
});
