/**
 * What is published from elsewhere, the whole way: a flow in Node-RED, imported as it is served, posts to a publishing
 * endpoint; the message arrives by XMPP at Prosody and by email at Dovecot; and that it was published comes back to
 * the flow as an event, which it verifies.
 */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import {
  accountAt as mailAccountAt,
  HAS_MAIL_SERVERS,
  MAIL_SERVERS,
  type MailServers,
  type MailUser,
  startMailServers,
} from '../support/channels/email/mail-servers.ts';
import { startPeer, type XmppPeer } from '../support/channels/xmpp/peer.ts';
import { HAS_PROSODY, PROSODY, startProsody } from '../support/channels/xmpp/prosody.ts';
import type { XmppServer } from '../support/channels/xmpp/xmpp-server.ts';
import { needs } from '../support/needs.ts';
import { startTestApp, startWorkspace, type TestApp } from '../support/test-app.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { getMails } from '../support/mail-world.ts';
import { type FlowNode, HAS_NODE_RED, type NodeRed, OUTSIDE, startNodeRed } from '../support/node-red.ts';
import { freePort } from '../support/product.ts';
import { accountAt } from '../support/xmpp-world.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
type Body = any;

const PATIENT = 120_000;
const NEEDED = `${PROSODY}, ${MAIL_SERVERS}, and Node-RED in the folder that NODE_RED_DIR names`;
const TEMPLATE = 'New: {{ payload.title }}';

describe(
  'from Node-RED to XMPP and email, and back',
  needs(NEEDED, HAS_PROSODY && HAS_MAIL_SERVERS && HAS_NODE_RED),
  () => {
    const authorities = getCACertificates('default');
    let app: TestApp;
    let key: string;
    let prosody: XmppServer;
    let mail: MailServers;
    let peer: XmppPeer;
    let customer: MailUser;
    let folder: TemporaryFolder;
    let nodeRed: NodeRed;
    let flow: FlowNode[];
    let webhook: Body;
    let instances: { xmpp: string; email: string };

    const get = async (path: string): Promise<Body> => {
      const { status, body } = await app.call(path, { key });
      expect([status, path], JSON.stringify(body)).toEqual([200, path]);
      return body;
    };
    const post = async (path: string, given: object = {}): Promise<Body> => {
      const { status, body } = await app.call(path, { key, body: given });
      expect(status, JSON.stringify(body)).toBeLessThan(300);
      return body;
    };

    async function connected(account: object): Promise<string> {
      const { id } = await post('/instances', account);
      await post(`/instances/${id}/connect`);
      await vi.waitFor(async () => {
        const { state } = await get(`/instances/${id}`);
        if (state !== 'connected') throw new Error(`it is ${state}`);
      }, PATIENCE);
      return id;
    }

    const newEndpoint = (name: string, type: 'bearer' | 'secret_url'): Promise<Body> =>
      post('/publishing-endpoints', {
        name,
        auth: { type },
        destinations: [
          { instance_id: instances.xmpp, to: peer.address, type: 'text', template: TEMPLATE },
          {
            instance_id: instances.email,
            to: customer.address,
            type: 'text',
            template: TEMPLATE,
            subject: 'News: {{ payload.title }}',
          },
        ],
      });

    /** Deploys the flow with its settings filled in, as its user does. */
    async function fillIn(publishUrl: string): Promise<void> {
      const [tab, ...nodes] = flow as [FlowNode, ...FlowNode[]];
      const credentials = {
        FAIRLEAD_KEY: key,
        FAIRLEAD_WEBHOOK_SECRET: webhook.secret,
        FAIRLEAD_PUBLISH_URL: publishUrl,
      };
      // What debug nodes show goes to the log too, where this test reads it.
      const told = nodes.map((node) => (node.type === 'debug' ? { ...node, console: true } : node));
      await nodeRed.deploy([{ ...tab, credentials }, ...told]);
    }

    async function press(name: string): Promise<void> {
      const button = flow.find((node) => node.type === 'inject' && node['name'] === name);
      const { status } = await fetch(`${nodeRed.base}/admin/inject/${button!.id}`, { method: 'POST' });
      expect(status).toBe(200);
    }

    beforeAll(async () => {
      [prosody, mail, folder] = await Promise.all([
        startProsody(),
        startMailServers(),
        temporaryFolder('node-red-'),
      ]);
      setDefaultCACertificates([...authorities, prosody.ca, mail.ca]);
      app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
      ({ key } = await startWorkspace(app));
      const [ours, theirs] = await Promise.all([prosody.addUser('news'), prosody.addUser('reader')]);
      peer = await startPeer(prosody, theirs);
      const sender = await mail.addUser('news');
      customer = await mail.addUser('customer');
      const [xmpp, email] = await Promise.all([
        connected(accountAt(prosody, ours)),
        connected({ name: sender.address, channel: 'email', ...mailAccountAt(mail, sender) }),
      ]);
      instances = { xmpp, email };
      nodeRed = await startNodeRed(folder.path, await freePort());
      webhook = await post('/webhooks', { url: `${nodeRed.base}/fairlead`, events: ['publication.*'] });
      flow = await get('/integrations/node_red?events=publication.published,publication.failed');
    }, PATIENT);
    afterAll(async () => {
      await nodeRed?.stop();
      await app?.stop();
      setDefaultCACertificates(authorities);
      await peer?.close();
      await Promise.all([prosody?.stop(), mail?.stop()]);
      await folder?.[Symbol.asyncDispose]();
    }, PATIENT);

    test.each(['bearer', 'secret_url'] as const)(
      'by an endpoint with %s',
      async (type) => {
        const endpoint = await newEndpoint(`From Node-RED, ${type}`, type);
        expect(endpoint.url).toContain(type === 'bearer' ? '/api/v1/publish/pep_' : '/in/');
        // An app of a test listens on a port that it chose itself.
        const { pathname } = new URL(endpoint.url);
        await fillIn(app.base + pathname);
        const texts = async () =>
          (await peer.seen()).filter(
            (sight) => sight.kind === 'message' && sight.text === 'New: Hello from Node-RED',
          );
        const before = { xmpp: (await texts()).length, email: (await getMails(customer)).length };
        await press('publish');

        const publication = await vi.waitFor(async () => {
          const { data } = await get(`/publications?endpoint_id=${endpoint.id}`);
          expect(data).toEqual([expect.objectContaining({ status: 'published' })]);
          return data[0];
        }, PATIENCE);
        expect(publication.results).toEqual([
          expect.objectContaining({
            destination: 0,
            instance_id: instances.xmpp,
            to: peer.address,
            error: null,
          }),
          expect.objectContaining({
            destination: 1,
            instance_id: instances.email,
            to: customer.address,
            error: null,
          }),
        ]);

        await vi.waitFor(async () => expect(await texts()).toHaveLength(before.xmpp + 1), PATIENCE);
        const mails = await vi.waitFor(async () => {
          const found = await getMails(customer);
          expect(found).toHaveLength(before.email + 1);
          return found;
        }, PATIENCE);
        expect(mails.at(-1)).toMatch(/^Subject: News: Hello from Node-RED\r?$/m);
        expect(mails.at(-1)).toContain('New: Hello from Node-RED');

        const event = await vi.waitFor(async () => {
          const { data } = await get(`/events?type=publication.published&resource_id=${publication.id}`);
          expect(data).toHaveLength(1);
          return data[0];
        }, PATIENCE);
        await vi.waitFor(async () => {
          const { data } = await get(`/webhooks/${webhook.id}/deliveries?event_id=${event.id}`);
          expect(data).toEqual([expect.objectContaining({ status: 'succeeded', last_status_code: 200 })]);
        }, PATIENCE);
        // It went on, verified, by the branch of its type.
        await vi.waitFor(() => {
          const [, told = ''] = nodeRed.output().split('[debug:publication.published]').slice(-2);
          expect(told).toContain(publication.id);
        }, PATIENCE);
      },
      PATIENT,
    );

    test('asks nobody else, and shows no secret', () => {
      expect(nodeRed.output()).not.toContain(OUTSIDE);
      expect(nodeRed.output()).not.toContain(key);
      expect(nodeRed.output()).not.toContain(webhook.secret);
    });
  },
);
