/**
 * The whole journey of docs/journey.md, on real servers: from a clean clone and the first sign-up to two nodes on
 * another database, by way of a backup that is restored elsewhere. What was made at its beginning works at its end.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase, testServerUrl } from '../support/db.ts';
import { PNG } from '../support/messaging/media.ts';
import { needs } from '../support/needs.ts';
import { type S3Server, startS3 } from '../support/s3-server.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { openAccount } from '../support/account.ts';
import { type Body, type Client, getClient } from '../support/journey/client.ts';
import { cleanClone } from '../support/journey/clone.ts';
import { npmRun } from '../support/journey/command.ts';
import { type FarEnds, HAS_NEEDED, NEEDED, startFarEnds } from '../support/journey/far-ends.ts';
import { freePort, type Product, startProduct } from '../support/product.ts';

const WAIT = { timeout: 120_000, interval: 100 };
const PATIENT = { timeout: 300_000 };
const NPM_START: [string, ...string[]] = ['npm', 'start'];

describe('from a clean clone to two nodes', needs(NEEDED, HAS_NEEDED), () => {
  let folder: TemporaryFolder;
  /** The folder of the program. */
  let root: string;
  let ends: FarEnds;
  let s3: S3Server;
  let database: TestDatabase;
  let baseUrl: string;
  let port: number;
  let nodes: Product[] = [];
  let key: string;
  let client: Client;
  let webhook: Body;
  let link: Body;
  let tracked: Body;
  const instances: Record<string, string> = {};
  let clicks = 0;

  const at = (name: string): string => join(folder.path, name);
  const start = async (name: string, env: Record<string, string> = {}, own = port): Promise<Product> => {
    const options = { root, dataDir: at(name), port: own, command: NPM_START };
    const node = await startProduct({ ...options, env: { BASE_URL: baseUrl, ...ends.env, ...env } });
    nodes.push(node);
    return node;
  };
  const stopAll = async (): Promise<void> => {
    const running = nodes;
    nodes = [];
    for (const node of running) expect((await node.stop()).code).toBe(0);
  };
  const connected = (one: Client, id: string): Promise<void> =>
    vi.waitFor(
      async () => expect(await one.get(`/instances/${id}`)).toMatchObject({ state: 'connected' }),
      WAIT,
    );
  const delivered = (type: string, resourceId: string): Promise<void> =>
    vi.waitFor(async () => {
      const { data: events } = await client.get(`/events?type=${type}&resource_id=${resourceId}`);
      expect(events).toHaveLength(1);
      const { data } = await client.get(`/webhooks/${webhook.id}/deliveries?event_id=${events[0].id}`);
      expect(data).toEqual([expect.objectContaining({ status: 'succeeded', last_status_code: 200 })]);
      expect(ends.nodeRed.output()).toContain(resourceId);
    }, WAIT);
  const visit = async (url: string, by: Client = client): Promise<string | null> => {
    const { status, location } = await by.visit(url);
    expect(status).toBe(302);
    clicks += 1;
    return location;
  };
  const counted = (by: Client = client): Promise<void> =>
    vi.waitFor(async () => {
      const { totals } = await by.get('/analytics');
      expect(totals.clicks).toBe(clicks);
    }, WAIT);
  /** Sequence and ID of all events that are kept. */
  const log = async (by: Client): Promise<[sequence: number, id: string][]> => {
    const found: [number, string][] = [];
    for (let after = 0; ;) {
      const { data } = await by.get(`/events?after_sequence=${after}&limit=100`);
      if (!data.length) return found;
      found.push(...data.map((event: Body) => [event.sequence, event.id]));
      [after] = found.at(-1)!;
    }
  };

  beforeAll(async () => {
    folder = await temporaryFolder('journey-');
    root = await cleanClone(folder.path);
    ends = await startFarEnds(folder.path);
    s3 = await startS3();
    database = await createTestDatabase('template0');
    port = await freePort();
    baseUrl = `http://localhost:${port}`;
  }, PATIENT.timeout);
  afterAll(async () => {
    for (const node of nodes) await node.stop();
    await ends?.stop();
    await s3?.stop();
    await database?.drop();
    await folder?.[Symbol.asyncDispose]();
  }, PATIENT.timeout);

  test('sign-up, workspace, key, and accounts on real servers', PATIENT, async () => {
    await start('first');
    const account = await openAccount(baseUrl);
    ({ secret: key } = await account.createKey());
    client = getClient(baseUrl, baseUrl, key);
    for (const channel of ['xmpp', 'email'] as const) {
      const { id, state } = await client.post('/instances', ends[channel]);
      expect(state).toBe('created');
      instances[channel] = id;
      await client.post(`/instances/${id}/connect`);
      await connected(client, id);
    }
  });

  test('a signed webhook at Node-RED', PATIENT, async () => {
    webhook = await client.post('/webhooks', {
      url: `${ends.nodeRed.base}/fairlead`,
      events: ['message.received', 'message.sent', 'publication.published'],
    });
    const [tab, ...rest] = await client.get(
      '/integrations/node_red?events=message.received,message.sent,publication.published',
    );
    const credentials = { FAIRLEAD_KEY: key, FAIRLEAD_WEBHOOK_SECRET: webhook.secret };
    // What debug nodes show goes to the log too, where this test reads it.
    const told = rest.map((node: Body) => (node.type === 'debug' ? { ...node, console: true } : node));
    await ends.nodeRed.deploy([{ ...tab, credentials }, ...told]);
    const { event_id: ping } = await client.post(`/webhooks/${webhook.id}/test`);
    await vi.waitFor(async () => {
      const { data } = await client.get(`/webhooks/${webhook.id}/deliveries?event_id=${ping}`);
      expect(data).toEqual([expect.objectContaining({ status: 'succeeded', last_status_code: 200 })]);
    }, WAIT);
  });

  test('messages come and go, and each is told of', PATIENT, async () => {
    await ends.friendWrites('Do you have tea?');
    await ends.customerWrites('An order', 'One coffee, please');
    const received = await vi.waitFor(async () => {
      const { data } = await client.get('/messages?direction=inbound');
      expect(data).toHaveLength(2);
      return data as Body[];
    }, WAIT);
    for (const message of received) await delivered('message.received', message.id);

    const answer = { type: 'text', text: { body: 'We have: https://example.com/tea' }, shorten_links: true };
    tracked = await client.post('/messages', { ...answer, instance_id: instances['xmpp'], to: ends.friend });
    const mailed = await client.post('/messages', {
      instance_id: instances['email'],
      to: ends.customer,
      type: 'text',
      text: { body: 'It is on its way' },
    });
    for (const { id } of [tracked, mailed]) await delivered('message.sent', id);
    await vi.waitFor(async () => {
      expect((await ends.customerSaw()).join('\n')).toContain('It is on its way');
    }, WAIT);
  });

  test('the tracked link in a message is clicked', PATIENT, async () => {
    const text = await vi.waitFor(async () => {
      const found = (await ends.friendSaw()).find((one) => one.startsWith('We have: '));
      expect(found).toBeDefined();
      return found!;
    }, WAIT);
    const shortUrl = text.slice('We have: '.length);
    expect(new URL(shortUrl).origin).toBe(baseUrl);
    expect(await visit(shortUrl)).toBe('https://example.com/tea');
    await vi.waitFor(async () => {
      const { data } = await client.get(`/links?search=${encodeURIComponent('example.com/tea')}`);
      const { data: found } = await client.get(`/links/${data[0].id}/clicks`);
      expect(found).toEqual([expect.objectContaining({ message_id: tracked.id })]);
    }, WAIT);
  });

  test('what is posted to an inbound endpoint is published', PATIENT, async () => {
    const endpoint = await client.post('/publishing-endpoints', {
      name: 'Blog',
      auth: { type: 'secret_url' },
      destinations: [
        {
          instance_id: instances['xmpp'],
          to: ends.friend,
          type: 'text',
          template: 'News: {{ payload.title }}',
        },
      ],
    });
    const answer = await fetch(endpoint.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Fresh tea' }),
    });
    expect(answer).toHaveStatus(202);
    await delivered('publication.published', ((await answer.json()) as Body).id);
    await vi.waitFor(async () => expect(await ends.friendSaw()).toContain('News: Fresh tea'), WAIT);
  });

  test('a link of its own, a file, and what analytics say', PATIENT, async () => {
    link = await client.post('/links', { url: 'https://example.com/a', slug: 'launch' });
    for (let n = 0; n < 5; n++) expect(await visit(link.short_url)).toBe('https://example.com/a');
    await counted();
    const form = new FormData();
    form.append('file', new Blob([PNG], { type: 'image/png' }), 'ship.png');
    const headers = { authorization: `Bearer ${key}` };
    const made = await fetch(`${baseUrl}/api/v1/media`, { method: 'POST', headers, body: form });
    expect(made).toHaveStatus(201);
  });

  test('a backup while it serves, restored elsewhere', PATIENT, async () => {
    const file = at('fairlead.backup');
    const before = await log(client);
    await npmRun(root, 'backup', [file, '--with-secret'], { DATA_DIR: at('first') });
    await stopAll();
    await npmRun(root, 'restore', [file], { DATA_DIR: at('second') });
    await start('second');
    const { data } = await client.get('/links?search=launch');
    expect(data[0]).toMatchObject({ id: link.id, slug: 'launch' });
    expect(await visit(link.short_url)).toBe('https://example.com/a');
    await counted();
    const after = await log(client);
    expect(after.slice(0, before.length)).toEqual(before);
    for (const id of Object.values(instances)) await connected(client, id);
    await ends.friendWrites('Are you still there?');
    await vi.waitFor(async () => {
      const { data: found } = await client.get('/messages?direction=inbound');
      expect(found.map((one: Body) => one.text.body)).toContain('Are you still there?');
    }, WAIT);
  });

  test('moved to another PostgreSQL server, with the files in an S3 store', PATIENT, async () => {
    const env = { DATA_DIR: at('second'), S3_URL: s3.url() };
    expect(await npmRun(root, 'move', ['--media'], env)).toMatch(/2 files .* copied, 0 already existed/);
    const told = await npmRun(root, 'move', [testServerUrl(database.name)], { DATA_DIR: at('second') });
    expect(told).toMatch(/were moved to .*\. Row counts and checksums match/);
    expect(await visit(link.short_url)).toBe('https://example.com/a');
    await stopAll();
  });

  test('two nodes: the same key, the same links, and nothing is missing', PATIENT, async () => {
    const env = {
      DATABASE_URL: testServerUrl(database.name),
      FAIRLEAD_SECRET: (await readFile(join(at('second'), 'secret.key'), 'utf8')).split('\n')[0]!,
      S3_URL: s3.url(),
    };
    await start('second', env);
    const other = await start('third', env, await freePort());
    const clients = [client, getClient(other.base, baseUrl, key)];
    for (const one of clients) {
      expect(await visit(link.short_url, one)).toBe('https://example.com/a');
      const { data } = await one.get('/media');
      // A picture, and the email as it came.
      const types = data.map(({ mime_type: type }: Body) => type);
      expect(types.toSorted()).toEqual(['image/png', 'message/rfc822']);
      for (const id of Object.values(instances)) await connected(one, id);
    }
    for (const one of clients) await counted(one);
    const [first, second] = [await log(clients[0]!), await log(clients[1]!)];
    expect(second.slice(0, first.length)).toEqual(first);
    expect(second.map(([sequence]) => sequence)).toEqual(second.map((_, n) => n + 1));

    const sent = await clients[1]!.post('/messages', {
      instance_id: instances['xmpp'],
      to: ends.friend,
      type: 'text',
      text: { body: 'From the second node' },
    });
    await delivered('message.sent', sent.id);
    await vi.waitFor(async () => expect(await ends.friendSaw()).toContain('From the second node'), WAIT);
    await stopAll();
  });
});
