/** Tests the link cache of nodes: correct within a second, and available while the database is not. */
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { startDatabaseProxy } from '../../../../test/support/database-proxy.ts';
import type { Exhaustion } from './budgets.ts';
import { appendRouteChanges } from './route-change.store.ts';
import { CHANGE_RETENTION_MS, deleteOldRouteChanges } from './route.system-store.ts';
import {
  insertWorkspace,
  PLAIN,
  putHost,
  putRoute,
  type Redirector,
  startRedirector,
} from '../../../../test/support/links/redirect.ts';

let at: Redirector;
let workspaceId: string;
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  at = await startRedirector();
  workspaceId = await insertWorkspace(at.database);
});
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});
afterAll(() => at.stop());

const PERSON = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0.0.0 Safari/537.36' };

async function visit(path: string, base = at.base): Promise<string> {
  const response = await fetch(base + path, { redirect: 'manual', headers: PERSON });
  await response.arrayBuffer();
  return response.headers.get('location') ?? String(response.status);
}

/** The same through another host. */
function visitHost(host: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(new URL(at.base).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(/^location: (.*)\r$/im.exec(text)?.[1] ?? text.split(' ')[1]!));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });
}

/**
 * Visits until the response came from memory: a route that is read while its own creation is announced is not cached.
 */
async function remember(node: Redirector, path: string): Promise<void> {
  const hits = async () =>
    Number(/lookups_total\{result="hit"\} (\d+)/.exec(await node.registry.metrics())![1]);
  const before = await hits();
  await vi.waitFor(async () => {
    expect(await visit(path, node.base)).toBe(PLAIN.url);
    expect(await hits()).toBeGreaterThan(before);
  }, PATIENCE);
}

test('a slug that is made elsewhere is found, and its changes are seen', async () => {
  expect(await visit('/later')).toBe('404');
  await putRoute(at.database, workspaceId, 'later', { url: 'https://one.test/' });
  await vi.waitFor(async () => expect(await visit('/later')).toBe('https://one.test/'), PATIENCE);
  await putRoute(at.database, workspaceId, 'later', { url: 'https://two.test/' });
  await vi.waitFor(async () => expect(await visit('/later')).toBe('https://two.test/'), PATIENCE);
  await at.database.pool.query(`delete from link_routes where slug = 'later'`);
  await appendRouteChanges(at.database.db, workspaceId, [{ domain: '', slug: 'later' }]);
  await vi.waitFor(async () => expect(await visit('/later')).toBe('404'), PATIENCE);
});

test('a change that commits after younger ones is not passed over', async () => {
  await putRoute(at.database, workspaceId, 'slow', { url: 'https://before.test/' });
  expect(await visit('/slow')).toBe('https://before.test/');
  const lateClient = new pg.Client(at.database.connection);
  await lateClient.connect();
  ending.push(() => lateClient.end());
  await lateClient.query('begin');
  await lateClient.query(`update link_routes set route = $1 where slug = 'slow'`, [
    JSON.stringify({ ...PLAIN, url: 'https://after.test/' }),
  ]);
  await lateClient.query(`insert into route_changes (workspace_id, domain, slug) values ($1, '', 'slow')`, [
    workspaceId,
  ]);
  // Younger transactions, seen one after the other while the old one is open.
  for (const url of ['https://a.test/', 'https://b.test/', 'https://c.test/']) {
    await putRoute(at.database, workspaceId, 'quick', { url });
    await vi.waitFor(async () => expect(await visit('/quick')).toBe(url), PATIENCE);
  }
  expect(await visit('/slow')).toBe('https://before.test/');
  await lateClient.query('commit');
  await vi.waitFor(async () => expect(await visit('/slow')).toBe('https://after.test/'), PATIENCE);
});

test('what concerns a whole domain or workspace is forgotten', async () => {
  const other = await insertWorkspace(at.database);
  expect(await visitHost('whole.test', '/x')).toBe('421');
  await putHost(at.database, other, 'whole.test');
  await putRoute(at.database, other, 'x', {}, 'whole.test');
  await vi.waitFor(async () => expect(await visitHost('whole.test', '/x')).toBe(PLAIN.url), PATIENCE);
  await at.database.pool.query(`update domains set root_url = 'https://r.test/' where host = 'whole.test'`);
  await appendRouteChanges(at.database.db, other, [{ domain: 'whole.test', slug: null }]);
  await vi.waitFor(async () => expect(await visitHost('whole.test', '/')).toBe('https://r.test/'), PATIENCE);
  await at.database.pool.query('update workspaces set deleted_at = now() where id = $1', [other]);
  await appendRouteChanges(at.database.db, other, [{ domain: null, slug: null }]);
  await vi.waitFor(async () => expect(await visitHost('whole.test', '/x')).toBe('421'), PATIENCE);
});

test('without the database known links go on at once; what is not known, or is counted, waits for it', async () => {
  const proxy = await startDatabaseProxy(at.database.connection);
  const node = await startRedirector({}, at.database, { way: proxy.connection });
  ending.push(async () => {
    await node.stop();
    await proxy.stop();
  });
  await putRoute(at.database, workspaceId, 'known', {});
  await putRoute(at.database, workspaceId, 'capped', { maxClicks: 100 });
  await remember(node, '/known');
  expect(await visit('/missing', node.base)).toBe('404');
  expect(await visit('/capped', node.base)).toBe(PLAIN.url);
  await proxy.cut();
  // Never anything else, from the first moment on.
  const until = performance.now() + 2_500;
  while (performance.now() < until) {
    expect(await visit('/known', node.base)).toBe(PLAIN.url);
    await sleep(20);
  }
  for (const path of ['/missing', '/unheard-of', '/capped']) expect(await visit(path, node.base)).toBe('503');
  expect(await (await fetch(`${node.base}/readyz`)).json()).toMatchObject({
    status: 'degraded',
    checks: { links: 'degraded' },
  });
  // Missed changes are caught up on.
  await putRoute(at.database, workspaceId, 'known', { url: 'https://changed.test/' });
  await proxy.mend();
  await vi.waitFor(
    async () => expect(await visit('/known', node.base)).toBe('https://changed.test/'),
    PATIENCE,
  );
  expect(await visit('/missing', node.base)).toBe('404');
  await vi.waitFor(async () => expect(await visit('/capped', node.base)).toBe(PLAIN.url), PATIENCE);
});

test('a database that is frozen keeps no visit waiting for long, and takes no connection for good', async () => {
  const held = new Set<net.Socket>();
  let frozen = false;
  const { host = '', port = 5432 } = at.database.connection;
  const server = net.createServer((socket) => {
    held.add(socket);
    const onward = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host);
    held.add(onward);
    for (const one of [socket, onward])
      one.on('error', () => undefined).on('close', () => (socket.destroy(), onward.destroy()));
    socket.on('data', (chunk) => frozen || onward.write(chunk));
    onward.on('data', (chunk) => frozen || socket.write(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const way = {
    ...at.database.connection,
    host: '127.0.0.1',
    port: (server.address() as net.AddressInfo).port,
  };
  const node = await startRedirector({}, at.database, { way });
  ending.push(async () => {
    for (const socket of held) socket.destroy();
    server.close();
    await node.stop();
  });
  await putRoute(at.database, workspaceId, 'frozen', {});
  await remember(node, '/frozen');
  frozen = true;
  const until = performance.now() + 4_000;
  while (performance.now() < until) {
    expect(await visit('/frozen', node.base)).toBe(PLAIN.url);
    await sleep(20);
  }
  expect(await visit('/unheard-of', node.base)).toBe('503');
  await putRoute(at.database, workspaceId, 'frozen', { url: 'https://thawed.test/' });
  frozen = false;
  // Bytes were lost on the old connections: new ones must be opened.
  await vi.waitFor(
    async () => expect(await visit('/frozen', node.base)).toBe('https://thawed.test/'),
    PATIENCE,
  );
});

test('500 visits at once over two nodes: exactly as many are sent on as the link allows', async () => {
  const reported: string[] = [];
  const exhaustion: Exhaustion = {
    lock: async () => {},
    writeEvent: async (_unit, _workspace, id) => void reported.push(id),
  };
  const nodes = await Promise.all([1, 2].map(() => startRedirector({}, at.database, { exhaustion })));
  ending.push(() => Promise.all(nodes.map((node) => node.stop())));
  const linkId = await putRoute(at.database, workspaceId, 'hundred', { maxClicks: 100 });
  const get = async (base: string, init: RequestInit = {}): Promise<string> => {
    const response = await fetch(`${base}/hundred`, { redirect: 'manual', headers: PERSON, ...init });
    const text = await response.text();
    expect(text).not.toContain('example.com');
    return response.headers.get('location') === null ? String(response.status) : 'sent on';
  };
  const bot = { headers: { 'user-agent': 'Googlebot/2.1' } };
  for (let count = 0; count < 5; count++)
    expect([await get(nodes[0]!.base, { method: 'HEAD' }), await get(nodes[1]!.base, bot)]).toEqual([
      '200',
      '200',
    ]);
  const results = await Promise.all(Array.from({ length: 500 }, (_, nth) => get(nodes[nth % 2]!.base)));
  expect(results.filter((result) => result === 'sent on')).toHaveLength(100);
  expect(results.filter((result) => result === '410')).toHaveLength(400);
  const clicks = nodes.flatMap((node) => node.clicks);
  expect(clicks.filter(({ isBot }) => !isBot)).toHaveLength(100);
  expect(clicks.filter(({ isBot }) => isBot)).toHaveLength(5);
  expect(reported).toEqual([linkId]);
  const { rows } = await at.database.pool.query('select used from link_budgets where link_id = $1', [linkId]);
  expect(rows).toEqual([{ used: 100 }]);
  // A greater limit is seen.
  await at.database.pool.query('update link_budgets set max = 101 where link_id = $1', [linkId]);
  await at.database.pool.query(
    `update link_routes set route = route || '{"maxClicks": 101}' where slug = 'hundred'`,
  );
  await appendRouteChanges(at.database.db, workspaceId, [{ domain: '', slug: 'hundred' }]);
  await vi.waitFor(async () => expect(await get(nodes[0]!.base)).toBe('sent on'), PATIENCE);
  expect(await get(nodes[1]!.base)).toBe('410');
});

test('metrics tell outcomes, memory and staleness', async () => {
  await putRoute(at.database, workspaceId, 'measured', {});
  await visit('/measured');
  await visit('/not-measured');
  const text = await at.registry.metrics();
  expect(text).toMatch(/^fairlead_redirects_total\{outcome="redirect"\} [1-9]/m);
  expect(text).toMatch(/^fairlead_redirects_total\{outcome="not_found"\} [1-9]/m);
  expect(text).toMatch(/^fairlead_link_map_entries\{kind="link"\} [1-9]/m);
  expect(text).toMatch(/^fairlead_link_map_staleness_seconds 0\.\d+/m);
});

test('changes that nobody goes on from are deleted', async () => {
  const mine = await insertWorkspace(at.database);
  await appendRouteChanges(at.database.db, mine, [
    { domain: '', slug: 'old' },
    { domain: '', slug: 'new' },
  ]);
  const old = new Date(Date.now() - 3 * CHANGE_RETENTION_MS);
  const { pool } = at.database;
  await pool.query(`update route_changes set created_at = $1 where workspace_id = $2 and slug = 'old'`, [
    old,
    mine,
  ]);
  expect(await deleteOldRouteChanges(at.database.db, new Date())).toBe(1);
  const { rows } = await pool.query('select slug from route_changes where workspace_id = $1', [mine]);
  expect(rows).toEqual([{ slug: 'new' }]);
});
