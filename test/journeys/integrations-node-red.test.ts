/** The Node-RED flow that the API serves, imported as it is into a real Node-RED: only what is secret is filled in. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { startTestApp, startWorkspace, type TestApp } from '../support/test-app.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { type FlowNode, HAS_NODE_RED, type NodeRed, OUTSIDE, startNodeRed } from '../support/node-red.ts';
import { freePort } from '../support/product.ts';

describe(
  'the Node-RED flow as it is served',
  needs('Node-RED, in the folder that NODE_RED_DIR names', HAS_NODE_RED),
  () => {
    let app: TestApp;
    let home: Awaited<ReturnType<typeof startWorkspace>>;
    let folder: TemporaryFolder;
    let nodeRed: NodeRed;
    let webhook: { id: string; secret: string };
    let instance: string;
    let flow: FlowNode[];
    let deploy: (publishUrl: string, getNodes: (nodes: FlowNode[]) => FlowNode[]) => Promise<unknown>;

    const call = async (path: string, body?: object) => {
      const answer = await app.call(path, { key: home.key, body });
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
      return answer.body;
    };
    const press = async (name: string) => {
      const button = flow.find((node) => node.type === 'inject' && node['name'] === name);
      const { status } = await fetch(`${nodeRed.base}/admin/inject/${button!.id}`, { method: 'POST' });
      expect(status).toBe(200);
    };

    beforeAll(async () => {
      app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
      home = await startWorkspace(app);
      instance = (await call('/instances', { name: 'Box', channel: 'sandbox' })).id;
      await call(`/instances/${instance}/connect`, {});
      await vi.waitFor(async () => {
        const { state } = await call(`/instances/${instance}`);
        if (state !== 'connected') throw new Error(`it is ${state}`);
      }, PATIENCE);
      folder = await temporaryFolder('node-red-');
      nodeRed = await startNodeRed(folder.path, await freePort());
      webhook = await call('/webhooks', { url: `${nodeRed.base}/fairlead`, events: ['message.*'] });

      const served = await app.call('/integrations/node_red?events=message.received,message.read', {
        key: home.key,
      });
      flow = served.body as FlowNode[];
      const [tab, ...nodes] = flow as [FlowNode & { env: { name: string; value: string }[] }, ...FlowNode[]];
      const filledIn: Record<string, string> = { FAIRLEAD_INSTANCE: instance, FAIRLEAD_TO: 'alice' };
      const credentials = { FAIRLEAD_KEY: home.key, FAIRLEAD_WEBHOOK_SECRET: webhook.secret };
      const env = tab.env.map((entry) => ({ ...entry, value: filledIn[entry.name] ?? entry.value }));
      // What debug nodes show goes to the log too, where this test reads it.
      const told = nodes.map((node) => (node.type === 'debug' ? { ...node, console: true } : node));
      deploy = (publishUrl, getNodes) =>
        nodeRed.deploy([
          { ...tab, env, credentials: { ...credentials, FAIRLEAD_PUBLISH_URL: publishUrl } },
          ...getNodes(told),
        ]);
      await deploy('', (all) => all);
    });
    afterAll(async () => {
      await nodeRed?.stop();
      await folder?.[Symbol.asyncDispose]();
      await app?.stop();
    });

    test('sends a message at the press of a button, and gets its events, verified, by type', async () => {
      await press('send');
      const { data } = await vi.waitFor(async () => {
        const found = await call('/messages?direction=inbound');
        expect(found.data).toHaveLength(1);
        return call('/messages?direction=outbound');
      }, PATIENCE);
      expect(data).toEqual([expect.objectContaining({ text: { body: 'Hello from Node-RED' } })]);
      // The last status is always told; one before may be passed over where the answer is quick.
      await vi.waitFor(async () => {
        const deliveries = await call(`/webhooks/${webhook.id}/deliveries?status=succeeded`);
        const types = deliveries.data.map((delivery: { event_type: string }) => delivery.event_type);
        expect(types).toEqual(expect.arrayContaining(['message.read', 'message.received', 'message.queued']));
      }, PATIENCE);
      await vi.waitFor(() => {
        for (const branch of [
          'message.read',
          'message.received',
          'other events',
          'what became of the message',
        ])
          expect(nodeRed.output()).toContain(`[debug:${branch}]`);
      }, PATIENCE);
    });

    test('answers what comes again, and refuses what is not genuine', async () => {
      const { event_id } = await call(`/webhooks/${webhook.id}/test`, {});
      const delivery = await vi.waitFor(async () => {
        const { data } = await call(`/webhooks/${webhook.id}/deliveries?event_id=${event_id}`);
        expect(data[0]?.status).toBe('succeeded');
        return data[0].id as string;
      }, PATIENCE);
      await call(`/deliveries/${delivery}/retry`, {});
      await vi.waitFor(async () => {
        const { attempts } = await call(`/deliveries/${delivery}`);
        expect(
          attempts.map(({ response }: { response: { body: string } }) => JSON.parse(response.body)),
        ).toEqual([{ duplicate: event_id }, { received: event_id }]);
      }, PATIENCE);
      const forged = await fetch(`${nodeRed.base}/fairlead`, {
        method: 'POST',
        body: JSON.stringify({ id: 'evt_1', type: 'message.received' }),
        headers: {
          'content-type': 'application/json',
          'webhook-id': 'evt_1',
          'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
          'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
        },
      });
      expect([forged.status, await forged.json()]).toEqual([401, { refused: 'signature' }]);
    });

    test('publishes received messages once that is enabled, and ends a loop with a contact that replies', async () => {
      const endpoint = await call('/publishing-endpoints', {
        name: 'Loop',
        auth: { type: 'bearer' },
        destinations: [
          { instance_id: instance, to: 'echo', type: 'text', template: 'Again: {{ payload.title }}' },
        ],
      });
      await deploy(`${app.base}/api/v1/publish/${endpoint.id}`, (nodes) =>
        nodes.map((node) => (node['name'] === 'not a loop' ? { ...node, d: false } : node)),
      );
      // The contact repeats what it is sent, which is published to it again.
      await call('/messages', { instance_id: instance, to: 'echo', type: 'text', text: { body: 'Echo' } });
      await vi.waitFor(() => expect(nodeRed.output()).toContain('[debug:stopped as a loop]'), PATIENCE);
      const { data } = await call(`/publications?endpoint_id=${endpoint.id}`);
      expect(data).toHaveLength(5);
    });

    test('asks nobody outside, and shows no secret', () => {
      expect(nodeRed.output()).not.toContain(OUTSIDE);
      expect(nodeRed.output()).not.toContain(home.key);
      expect(nodeRed.output()).not.toContain(webhook.secret);
    });
  },
);
