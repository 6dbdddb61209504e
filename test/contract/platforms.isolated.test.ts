/**
 * The calls that automation platforms make, by Zapier's own tester and as Make, n8n, Activepieces and Pipedream document
 * theirs. Zapier's tester replaces `fetch` and `http.request` of its process.
 */
import * as zapier from 'zapier-platform-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../support/test-app.ts';
import { type Receiver, startReceiver } from '../support/webhooks.ts';
import { ZAPIER_APP } from '../support/zapier-app.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of the API
type Json = any;

/** Exported, but not in its types. */
const { createAppHandler } = zapier as unknown as {
  createAppHandler: (app: object) => (event: { command: 'validate' }) => Promise<{ results: object[] }>;
};

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let receiver: Receiver;
beforeAll(async () => {
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
});
beforeEach(async () => {
  home = await startWorkspace(app);
  receiver = await startReceiver();
  return () => receiver.close();
});
afterAll(() => app?.stop());

const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: Json }> =>
  app.call(path, { key: home.key, method, body });

/** Something happens that webhooks may hear of. @returns ID of the link that was made */
async function happen(): Promise<string> {
  const { status, body } = await call('POST', '/links', { url: 'https://example.com/' });
  expect(status).toBe(201);
  return body.id;
}

/** What came about a link, as the platform reads it. */
const getDelivery = (id: string): Promise<Json> =>
  vi.waitFor(() => {
    const found = receiver.received
      .map(({ body }): Json => JSON.parse(body))
      .find(({ data }) => data.object.id === id);
    if (!found) throw new Error('nothing came yet');
    return found;
  }, PATIENCE);

describe("Zapier's app tester", () => {
  const tester = zapier.createAppTester(ZAPIER_APP);
  const { authentication, triggers, creates } = ZAPIER_APP;
  const { performSubscribe, performUnsubscribe, perform, performList, outputFields } =
    triggers.event.operation;
  const bundle = (rest: object = {}) => ({
    authData: { base_url: app.base, api_key: home.key },
    inputData: { type: 'link.created' },
    ...rest,
  });
  const subscribe = () => tester(performSubscribe, bundle({ targetUrl: receiver.url }));

  test('takes the definition as valid', async () => {
    const { results } = await createAppHandler(ZAPIER_APP)({ command: 'validate' });
    expect(results).toEqual([]);
  });

  test('authenticates by GET /me, which names the key and its workspace', async () => {
    const { data } = (await tester(authentication.test, bundle())) as Json;
    expect(data).toMatchObject({
      object: 'me',
      kind: 'api_key',
      name: 'test',
      workspace: { id: home.workspace },
    });
    const wrong = bundle({ authData: { base_url: app.base, api_key: `${home.key.slice(0, -1)}_` } });
    await expect(tester(authentication.test, wrong)).rejects.toThrow(/401|invalid_key/);
  });

  test('subscribes, hears what happens, and finds it in the list in exactly that shape', async () => {
    const subscribed = await subscribe();
    expect(subscribed).toMatchObject({
      id: expect.stringMatching(/^whk_/),
      target_url: receiver.url,
      events: ['link.created'],
    });
    const delivered = await getDelivery(await happen());
    const [triggered] = await tester(perform, bundle({ cleanedRequest: delivered }));
    expect(triggered).toEqual(delivered);
    const listed = await tester(performList, bundle());
    expect(listed).toEqual([delivered]);
    const fields = (await tester(outputFields[0]!, bundle())) as { key: string }[];
    expect(fields.map(({ key }) => key).sort()).toEqual(Object.keys(delivered).sort());
  });

  test('lists at most three samples, the newest first, and the one of the catalog where nothing happened yet', async () => {
    const [sample, ...others] = await tester(performList, bundle());
    expect(others).toEqual([]);
    expect(sample).toMatchObject({
      object: 'event',
      type: 'link.created',
      data: { object: { object: 'link' } },
    });
    await subscribe();
    const ids: string[] = [];
    for (let made = 0; made < 4; made++) ids.push(await happen());
    const delivered = await getDelivery(ids[3]!);
    expect(Object.keys(sample!).sort()).toEqual(Object.keys(delivered).sort());
    const listed = await tester(performList, bundle());
    expect(listed.map((event: Json) => event.data.object.id)).toEqual(ids.slice(1).toReversed());
  });

  test('unsubscribes, and hears nothing any more', async () => {
    const subscribeData = await subscribe();
    expect(await tester(performUnsubscribe, bundle({ subscribeData }))).toEqual({ status: 204 });
    const { body } = await call('GET', '/webhooks');
    expect(body.data).toEqual([]);
    // A second hook, which is sent the same event, shows that its turn is over.
    const other = await startReceiver();
    await call('POST', '/webhooks', { url: other.url, events: ['link.created'] });
    await happen();
    await vi.waitFor(() => expect(other.received).toHaveLength(1), PATIENCE);
    expect(receiver.received).toEqual([]);
    await other.close();
  });

  test('whose Zap is gone answers 410, and is subscribed to no more; turned on again it is', async () => {
    const { id } = await subscribe();
    receiver.react = () => 410;
    await happen();
    await vi.waitFor(async () => {
      const { body } = await call('GET', `/webhooks/${id}`);
      expect(body).toMatchObject({ enabled: false, disabled_reason: 'gone' });
    }, PATIENCE);
    receiver.react = () => 200;
    expect(await subscribe()).toMatchObject({ id, enabled: true, disabled_reason: null });
    await getDelivery(await happen());
  });

  test('fills the dropdown of events with what a webhook can have', async () => {
    const types = (await tester(triggers.event_type.operation.perform, bundle())) as { id: string }[];
    const ids = types.map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining(['link.created', 'message.received', 'publication.published']),
    );
    expect(ids).not.toContain('chat.typing');
  });

  test('sends a message', async () => {
    const made = await call('POST', '/instances', { name: 'Box', channel: 'sandbox' });
    await call('POST', `/instances/${made.body.id}/connect`);
    await vi.waitFor(async () => {
      const { body } = await call('GET', `/instances/${made.body.id}`);
      expect(body.state).toBe('connected');
    }, PATIENCE);
    const inputData = { instance_id: made.body.id, to: 'alice', text: 'Hi' };
    const sent = (await tester(creates.message.operation.perform, bundle({ inputData }))) as Json;
    expect(sent).toMatchObject({ object: 'message', status: 'queued', text: { body: 'Hi' } });
    const refused = bundle({ inputData: { ...inputData, instance_id: 'ins_none' } });
    await expect(tester(creates.message.operation.perform, refused)).rejects.toThrow(/400|invalid_request/);
  });
});

describe('Make', () => {
  // https://developers.make.com/custom-apps-documentation: attach posts `webhook.url` and keeps `body.id`; detach deletes.
  const attach = () => call('POST', '/webhooks', { url: receiver.url, events: ['link.*'], kind: 'make' });

  test('attaches, attaches again without a second delivery, and detaches', async () => {
    const first = await attach();
    expect([first.status, first.body.secret]).toEqual([201, expect.stringMatching(/^whsec_/)]);
    const again = await attach();
    expect([again.status, again.body.id, again.body.secret]).toEqual([200, first.body.id, null]);
    await getDelivery(await happen());
    expect(receiver.received).toHaveLength(1);
    expect(await call('DELETE', `/webhooks/${first.body.id}`)).toHaveStatus(204);
    // Detaching what is gone is an answer that Make passes over, not a fault of the server.
    expect(await call('DELETE', `/webhooks/${first.body.id}`)).toHaveStatus(404);
    const anew = await attach();
    expect([anew.status, anew.body.id === first.body.id]).toEqual([201, false]);
  });
});

describe('n8n', () => {
  // The lifecycle of a trigger node: checkExists, create, delete, with what create gave kept as static data.
  const lifecycle = () => {
    const staticData: { webhookId?: string } = {};
    return {
      async checkExists(): Promise<boolean> {
        const { body } = await call('GET', `/webhooks?target_url=${encodeURIComponent(receiver.url)}`);
        for (const webhook of body.data as { id: string; target_url: string }[])
          if (webhook.target_url === receiver.url) {
            staticData.webhookId = webhook.id;
            return true;
          }
        return false;
      },
      async create(): Promise<boolean> {
        const { body } = await call('POST', '/webhooks', {
          target_url: receiver.url,
          events: ['link.created'],
          kind: 'n8n',
        });
        if (body.id === undefined) return false;
        staticData.webhookId = body.id;
        return true;
      },
      async delete(): Promise<boolean> {
        const { status } = await call('DELETE', `/webhooks/${staticData.webhookId}`);
        delete staticData.webhookId;
        return status === 204;
      },
      staticData,
    };
  };

  test('asks whether its webhook exists, creates it, is found again after a restart, and deletes it', async () => {
    await call('POST', '/webhooks', { url: `${receiver.url}/other`, events: ['link.created'] });
    const node = lifecycle();
    expect(await node.checkExists()).toBe(false);
    expect(await node.create()).toBe(true);
    const restarted = lifecycle();
    expect(await restarted.checkExists()).toBe(true);
    expect(restarted.staticData).toEqual(node.staticData);
    await getDelivery(await happen());
    expect(await restarted.delete()).toBe(true);
    expect(await restarted.checkExists()).toBe(false);
  });

  test('finds by url as by target_url', async () => {
    const { body } = await call('POST', '/webhooks', { url: receiver.url, events: ['link.created'] });
    for (const name of ['url', 'target_url']) {
      const found = await call('GET', `/webhooks?${name}=${encodeURIComponent(receiver.url)}`);
      expect(found.body.data.map(({ id }: Json) => id)).toEqual([body.id]);
      expect((await call('GET', `/webhooks?${name}=${receiver.url}/x`)).body.data).toEqual([]);
    }
  });
});

describe('Activepieces and Pipedream', () => {
  test('enable with an address and keep the ID, read events as samples, disable by it', async () => {
    const enabled = await call('POST', '/webhooks', { url: receiver.url, events: ['link.created'] });
    const store = { webhookId: enabled.body.id as string };
    const delivered = await getDelivery(await happen());
    const samples = await call('GET', '/events?type=link.created&limit=5');
    expect(samples.body.data[0]).toEqual(delivered);
    // Pipedream signs nothing itself, but keeps what create gave to verify with.
    expect(enabled.body.secret).toMatch(/^whsec_/);
    expect(await call('DELETE', `/webhooks/${store.webhookId}`)).toHaveStatus(204);
  });
});
