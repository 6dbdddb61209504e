/** Node-RED as a receiver of webhooks: a flow that verifies deliveries and calls the API back with a key. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { startTestApp, startWorkspace, type TestApp } from '../support/test-app.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { HAS_NODE_RED, type NodeRed, OUTSIDE, startNodeRed } from '../support/node-red.ts';
import { HOOK, webhookFlow } from '../support/node-red-flow.ts';
import { freePort } from '../support/product.ts';

const PATIENT = { timeout: 240_000 };
const NODE_RED = 'Node-RED, in the folder that NODE_RED_DIR names';

describe('a Node-RED flow', needs(NODE_RED, HAS_NODE_RED), () => {
  let app: TestApp;
  let home: Awaited<ReturnType<typeof startWorkspace>>;
  let folder: TemporaryFolder;
  let nodeRed: NodeRed;
  let port: number;
  let webhook: { id: string; secret: string };

  const get = async (path: string) => {
    const { status, body } = await app.call(path, { key: home.key });
    expect([status, path]).toEqual([200, path]);
    return body;
  };
  const post = async (path: string, body?: object) => {
    const answer = await app.call(path, { key: home.key, method: 'POST', body });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  /** What the flow makes by its calls back, newest first. */
  const made = async () =>
    (await get('/inspectors?limit=100')).data as { name: string; metadata: object; created_by: string }[];

  /** The delivery of an event to a webhook, once it is as it is expected to be. */
  const getDelivery = (webhookId: string, eventId: string, expected: object) =>
    vi.waitFor(async () => {
      const { data } = await get(`/webhooks/${webhookId}/deliveries?event_id=${eventId}`);
      expect(data).toEqual([expect.objectContaining(expected)]);
      return get(`/deliveries/${data[0].id}`);
    }, PATIENCE);
  const succeeded = { status: 'succeeded', last_status_code: 200 };

  /** Makes a key. @returns the ID of the event that tells of it */
  async function makeKey(): Promise<string> {
    const key = await home.owner.call('/api-keys', {
      workspace: home.workspace,
      body: { name: 'Schlüssel für 灯台', scopes: ['events:read'] },
    });
    expect(key).toHaveStatus(201);
    return vi.waitFor(async () => {
      const { data } = await get('/events?type=api_key.created&limit=1');
      expect(data[0].data.object.id).toBe(key.body.id);
      return data[0].id as string;
    }, PATIENCE);
  }

  beforeAll(async () => {
    app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
    home = await startWorkspace(app);
    folder = await temporaryFolder('node-red-');
    port = await freePort();
    nodeRed = await startNodeRed(folder.path, port);
    webhook = await post('/webhooks', { url: nodeRed.base + HOOK, events: ['api_key.created'] });
    await nodeRed.deploy(webhookFlow({ base: app.base, key: home.key, secret: webhook.secret }));
  }, PATIENT.timeout);
  afterAll(async () => {
    await nodeRed?.stop();
    await folder?.[Symbol.asyncDispose]();
    await app?.stop();
  });

  test('verifies what happens, and calls back with a key', async () => {
    const eventId = await makeKey();
    const { attempts } = await getDelivery(webhook.id, eventId, succeeded);
    const [inspector, ...others] = await made();
    expect(others).toEqual([]);
    expect(inspector).toMatchObject({
      name: 'api_key.created',
      metadata: { event_id: eventId },
      created_by: home.keyId,
    });
    expect(attempts).toHaveLength(1);
    expect(attempts[0].response).toMatchObject({ status_code: 200, truncated: false });
    expect(JSON.parse(attempts[0].response.body)).toEqual({
      handled: eventId,
      type: 'api_key.created',
      made: (inspector as unknown as { id: string }).id,
    });
  });

  test('gets the ping of a test', async () => {
    const { event_id } = await post(`/webhooks/${webhook.id}/test`);
    await getDelivery(webhook.id, event_id, succeeded);
    expect((await made())[0]).toMatchObject({ name: 'ping', metadata: { event_id } });
  });

  test('knows an event that comes again by its webhook-id', async () => {
    const { event_id } = await post(`/webhooks/${webhook.id}/test`);
    const first = await getDelivery(webhook.id, event_id, succeeded);
    const before = await made();
    await post(`/deliveries/${first.id}/retry`);
    const again = await getDelivery(webhook.id, event_id, { ...succeeded, attempt_count: 2 });
    const [second] = again.attempts;
    expect(second.request.headers['webhook-id']).toBe(event_id);
    expect(JSON.parse(second.response.body)).toEqual({ duplicate: event_id });
    expect(await made()).toEqual(before);
  });

  describe('refuses', () => {
    const ID = 'evt_01h2xcejqtf2nbrexx3vqjhp41';
    const BODY = JSON.stringify({ id: ID, type: 'ping', data: {} });
    const OTHER = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

    /** Sends what claims to be ours. @param change of what is sent after it was signed */
    async function forge(change: { secret?: string; body?: string; id?: string; ageMs?: number }) {
      const signedAt = new Date(Date.now() - (change.ageMs ?? 0));
      const response = await fetch(nodeRed.base + HOOK, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': change.id ?? ID,
          'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1000)),
          'webhook-signature': new Webhook(change.secret ?? webhook.secret).sign(ID, signedAt, BODY),
        },
        body: change.body ?? BODY,
      });
      return [response.status, await response.json()];
    }

    test.each([
      ['another key', { secret: OTHER }, 'signature'],
      ['another body', { body: BODY.replace('ping', 'pong') }, 'signature'],
      ['the same JSON in other bytes', { body: `${BODY} ` }, 'signature'],
      ['another id', { id: 'evt_other' }, 'signature'],
      ['an old time', { ageMs: 10 * 60_000 }, 'timestamp'],
    ])('a forgery with %s, and does nothing', async (_name, change, refused) => {
      const before = await made();
      expect(await forge(change)).toEqual([401, { refused }]);
      expect(await made()).toEqual(before);
    });

    test('what is not signed', async () => {
      const response = await fetch(nodeRed.base + HOOK, { method: 'POST', body: BODY });
      expect([response.status, await response.json()]).toEqual([401, { refused: 'unsigned' }]);
    });

    test('only forgeries: the same, left as it was signed, is taken', async () => {
      expect(await forge({})).toEqual([200, expect.objectContaining({ handled: ID })]);
    });

    test('deliveries of a webhook with another secret, which then wait and tell why', async () => {
      const other = await post('/webhooks', {
        url: nodeRed.base + HOOK,
        events: ['webhook.disabled'],
        secret: OTHER,
      });
      const { event_id } = await post(`/webhooks/${other.id}/test`);
      const delivery = await getDelivery(other.id, event_id, { status: 'pending', last_status_code: 401 });
      expect(delivery.attempts[0].error.code).toBe('status');
      expect(JSON.parse(delivery.attempts[0].response.body)).toEqual({ refused: 'signature' });
    });
  });

  test('that was away gets what it missed, by a later attempt', PATIENT, async () => {
    await nodeRed.stop();
    expect(nodeRed.output()).not.toContain(OUTSIDE);
    const eventId = await makeKey();
    await getDelivery(webhook.id, eventId, { status: 'pending', attempt_count: 1, last_status_code: null });
    nodeRed = await startNodeRed(folder.path, port);
    // The second attempt follows after 5 s, and the third after minutes: Node-RED may be back too late for the second.
    const second = await getDelivery(webhook.id, eventId, { attempt_count: 2 });
    if (second.status === 'pending') await post(`/deliveries/${second.id}/retry`);
    const { attempts } = await getDelivery(webhook.id, eventId, succeeded);
    const [last, first] = [attempts.at(0), attempts.at(-1)];
    expect(first.response).toBeNull();
    const waited = Date.parse(attempts.at(-2).started_at) - Date.parse(first.started_at);
    expect(waited).toBeGreaterThan(3_900);
    expect(last.request.headers['webhook-id']).toBe(eventId);
    expect((await made())[0]).toMatchObject({ metadata: { event_id: eventId } });
  });

  test('asks nobody outside', () => {
    expect(nodeRed.output()).toContain('Started flows');
    expect(nodeRed.output()).not.toContain(OUTSIDE);
  });
});
