import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { unitsFor } from '../../../../test/support/events/outbox.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';
import { checkDueDomains } from './domain-check.ts';
import { readDomainHost } from './host.ts';
import { nextCheck, PENDING_MS } from './domain-schedule.ts';
import { type NameServer, startNameServer } from '../../../../test/support/links/domains.ts';
import { createTlsAllowed } from './tls-allowed.ts';
import { createResolveTxt } from './txt-record.ts';

let names: NameServer;
let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  names = await startNameServer();
  app = await startTestApp({ DNS_SERVERS: names.address, WORKSPACE_LIMITS: 'domains=30' });
  home = await startWorkspace(app, {
    scopes: ['domains:read', 'domains:write', 'links:write', 'links:read', 'usage:read'],
  });
});
afterAll(async () => {
  await app.stop();
  await names.stop();
});

const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });
const verify = (id: string, key = home.key) => app.call(`/domains/${id}/verify`, { key, method: 'POST' });
const allowed = async (domain: string) =>
  (await fetch(`${app.base}/internal/tls-allowed?domain=${encodeURIComponent(domain)}`)).status;
const query = async (text: string, values: unknown[] = []) =>
  (await app.database.pool.query(text, values)).rows;

interface Added {
  id: string;
  verification: { name: string; value: string };
}
async function add(host: string, key = home.key): Promise<Added> {
  const { status, body } = await app.call('/domains', { key, body: { host } });
  expect(status).toBe(201);
  return body;
}
const setRecord = ({ verification: { name, value } }: Added): void => void names.records.set(name, [value]);
const eventsAbout = async (id: string) =>
  (await getEvents(app, toUuid('workspace', home.workspace)!)).filter(
    ({ data }: { data: { object: { id: string } } }) => data.object.id === id,
  );

describe('hosts', () => {
  test.each([
    ['Links.Example.COM', 'links.example.com'],
    ['links.example.com.', 'links.example.com'],
    ['  go.example.com ', 'go.example.com'],
    ['grüße.example', 'xn--gre-6ka8l.example'],
    ['xn--gre-6ka8l.example', 'xn--gre-6ka8l.example'],
    ['EXAMPLE。com', 'example.com'],
  ])('%j is %s', (input, host) => {
    expect(readDomainHost(input, 'fairlead.example')).toEqual({ host });
  });

  test.each([
    ['https://a.example', 'invalid_host'],
    ['a.example:80', 'invalid_host'],
    ['a.example/x', 'invalid_host'],
    ['*.a.example', 'invalid_host'],
    ['user@a.example', 'invalid_host'],
    ['a..example', 'invalid_host'],
    ['-a.example', 'invalid_host'],
    ['under_score.example', 'invalid_host'],
    [`${'a'.repeat(64)}.example`, 'invalid_host'],
    [`${'a.'.repeat(120)}example`, 'invalid_host'],
    ['', 'invalid_host'],
    ['[::1]', 'invalid_host'],
    ['\ud800.example', 'invalid_host'],
    ['127.0.0.1', 'host_not_allowed'],
    ['0x7f.1', 'host_not_allowed'],
    ['2130706433', 'host_not_allowed'],
    ['localhost', 'host_not_allowed'],
    ['a.localhost', 'host_not_allowed'],
    ['printer.local', 'host_not_allowed'],
    ['1.0.0.127.in-addr.arpa', 'host_not_allowed'],
    ['intranet', 'host_not_allowed'],
    ['com', 'host_not_allowed'],
    ['fairlead.example', 'host_not_allowed'],
    ['Fairlead.Example.', 'host_not_allowed'],
  ])('%j is refused: %s', (input, code) => {
    expect(readDomainHost(input, 'fairlead.example')).toMatchObject({ fault: { code } });
  });
});

test('a pending domain is looked up ever more seldom, until seven days are over', () => {
  const since = new Date('2026-01-01T00:00:00Z');
  let now = since;
  const waits: number[] = [];
  for (let next = nextCheck(since, now); next !== null; next = nextCheck(since, now)) {
    waits.push(next.getTime() - now.getTime());
    now = next;
  }
  expect(now.getTime() - since.getTime()).toBe(PENDING_MS);
  expect(waits[0]).toBe(60_000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(6 * 3_600_000);
  expect(waits.length).toBeLessThan(70);
  expect(waits.slice(0, -1)).toEqual(waits.slice(0, -1).toSorted((a, b) => a - b));
});

describe('a domain', () => {
  test('is added, shown, changed under If-Match, and deleted', async () => {
    const { status, body, headers } = await call('/domains', {
      host: 'Shown.Example.com',
      root_url: 'https://example.com/',
      metadata: { team: 'x' },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      object: 'domain',
      host: 'shown.example.com',
      state: 'pending',
      verification: { type: 'TXT', name: '_fairlead.shown.example.com' },
      last_error: null,
      checked_at: null,
      verified_at: null,
      not_found_url: null,
      root_url: 'https://example.com/',
      metadata: { team: 'x' },
      created_by: home.keyId,
    });
    expect(body.id).toMatch(/^dom_/);
    expect(body.verification.value).toMatch(/^fairlead-verify=[0-9a-f]{32}$/);
    expect(Date.parse(body.next_check_at) - Date.parse(body.created_at)).toBe(60_000);
    const path = `/domains/${body.id}`;
    const changed = await call(path, { not_found_url: 'https://example.com/404', root_url: null }, 'PATCH', {
      'if-match': headers.get('etag')!,
    });
    expect(changed.body).toMatchObject({ not_found_url: 'https://example.com/404', root_url: null });
    expect((await call(path)).body).toEqual(changed.body);
    expect(await call(path, { root_url: null }, 'PATCH', { 'if-match': '"1"' })).toHaveStatus(412);
    expect((await call('/domains?host=shown.example.com')).body.data).toEqual([changed.body]);
    expect((await call('/domains?state=verified&host=shown.example.com')).body.data).toEqual([]);
    expect(await call(path, undefined, 'DELETE')).toHaveStatus(204);
    expect(await call(path)).toHaveStatus(404);
    expect((await call('/me')).body.default_domain).toBe('localhost:0');
  });

  test('has its faults told at once, of shape first', async () => {
    const shape = await call('/domains', {
      host: 'a b',
      root_url: 'nonsense',
      not_found_url: 'https://ok.example/',
    });
    expect([shape.status, shape.body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
      400,
      ['/host', '/root_url'],
    ]);
    const rejected = await call('/domains', { host: '10.0.0.1', not_found_url: 'http://localhost:0/x' });
    expect([
      rejected.status,
      rejected.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]),
    ]).toEqual([
      422,
      [
        ['/host', 'host_not_allowed'],
        ['/not_found_url', 'link_loop'],
      ],
    ]);
    const circle = await call('/domains', { host: 'circle.example', root_url: 'https://CIRCLE.example/x' });
    expect([circle.status, circle.body.errors[0].code]).toEqual([422, 'link_loop']);
    expect((await call('/domains?host=circle.example')).body.data).toEqual([]);
  });

  test('is there once in a workspace, and counted by the quota', async () => {
    await add('once.example.com');
    const again = await call('/domains', { host: 'ONCE.example.com' });
    expect([again.status, again.body.errors[0].code]).toEqual([409, 'taken']);
    const { resources } = (await call('/usage')).body;
    const { data } = (await call('/domains?limit=100')).body;
    expect(resources).toContainEqual({ resource: 'domains', used: data.length, limit: 30 });
  });
});

describe('verification', () => {
  test('says what it finds, and takes the host once the record is there', async () => {
    const domain = await add('steps.example.com');
    const missing = await verify(domain.id);
    expect(missing.body).toMatchObject({ state: 'pending', last_error: { code: 'record_missing' } });
    expect(missing.body.checked_at).not.toBeNull();
    names.records.set(domain.verification.name, ['v=spf1 -all', `fairlead-verify=${'0'.repeat(32)}`]);
    const differs = await verify(domain.id);
    expect(differs.body.last_error.code).toBe('record_differs');
    expect(differs.body.last_error.detail).toContain('v=spf1 -all');
    names.records.set(domain.verification.name, 'fails');
    expect((await verify(domain.id)).body.last_error).toMatchObject({ code: 'lookup_failed' });
    expect(await allowed('steps.example.com')).toBe(404);
    const [before] = await query('select coalesce(max(n), 0) as n from route_changes');
    names.records.set(domain.verification.name, ['other', ` ${domain.verification.value} `]);
    const { status, body } = await verify(domain.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: 'verified', last_error: null, next_check_at: null });
    expect(body.verified_at).not.toBeNull();
    expect(await query('select domain, slug from route_changes where n > $1', [before.n])).toEqual([
      { domain: 'steps.example.com', slug: null },
    ]);
    const events = await eventsAbout(domain.id);
    expect(events.map(({ type }) => type)).toEqual(['domain.verified']);
    expect(events[0]!.data.object).toMatchObject({ state: 'verified', host: 'steps.example.com' });
    // Verification is permanent: a removed record is reported, and changes nothing.
    names.records.delete(domain.verification.name);
    expect((await verify(domain.id)).body).toMatchObject({
      state: 'verified',
      last_error: { code: 'record_missing' },
    });
  });

  test('shows what strangers wrote within bounds, as plain text', async () => {
    const domain = await add('rude.example.com');
    names.records.set(domain.verification.name, ['a\0\n<b>'.padEnd(900, 'x'), 'b', 'c', 'd', 'e']);
    const { body } = await verify(domain.id);
    expect(body.last_error.code).toBe('record_differs');
    expect(body.last_error.detail).toContain('and 2 more');
    expect(body.last_error.detail).not.toMatch(/\p{Cc}/u);
    expect(body.last_error.detail.length).toBeLessThan(600);
  });

  test('gives a host to one workspace alone, however many prove it at once', async () => {
    const others = await Promise.all(
      Array.from({ length: 3 }, () => startWorkspace(app, { preset: 'links' })),
    );
    const keys = [home.key, ...others.map(({ key }) => key)];
    const added = await Promise.all(keys.map((key) => add('wanted.example.com', key)));
    names.records.set(
      '_fairlead.wanted.example.com',
      added.map(({ verification }) => verification.value),
    );
    const outcomes = await Promise.all(added.map(({ id }, nth) => verify(id, keys[nth])));
    const states = outcomes.map(({ body }) => body.state);
    expect(states.toSorted()).toEqual(['failed', 'failed', 'failed', 'verified']);
    const failedDomain = outcomes.find(({ body }) => body.state === 'failed')!;
    expect(failedDomain.body.last_error.code).toBe('host_taken');
    const stranger = await startWorkspace(app, { preset: 'links' });
    const rejectedCall = await app.call('/domains', {
      key: stranger.key,
      body: { host: 'wanted.example.com' },
    });
    expect([rejectedCall.status, rejectedCall.body.errors[0].code]).toEqual([409, 'host_taken']);
    // Once its holder gives it up, another gets it.
    const winner = states.indexOf('verified');
    const loser = states.indexOf('failed');
    const deletion = await app.call(`/domains/${added[winner]!.id}`, { key: keys[winner], method: 'DELETE' });
    expect(deletion).toHaveStatus(204);
    expect((await verify(added[loser]!.id, keys[loser])).body.state).toBe('verified');
  });

  test('that is pending gives a workspace nothing, and ends once another one is verified', async () => {
    const host = 'claimed.example.com';
    const squatter = await startWorkspace(app, { preset: 'links' });
    const claim = await add(host, squatter.key);
    const link = { url: 'https://example.com/', domain: host, slug: 'taken' };
    const rejected = await app.call('/links', { key: squatter.key, body: link });
    expect([rejected.status, rejected.body.errors[0].code]).toEqual([422, 'domain_not_verified']);
    expect(await allowed(host)).toBe(404);

    // The claim blocks no other workspace, and the owner's record proves nothing for it.
    const domain = await add(host);
    expect(domain.verification.name).toBe(claim.verification.name);
    expect(domain.verification.value).not.toBe(claim.verification.value);
    setRecord(domain);
    expect((await verify(claim.id, squatter.key)).body).toMatchObject({
      state: 'pending',
      last_error: { code: 'record_differs' },
    });
    expect((await verify(domain.id)).body.state).toBe('verified');
    expect(await call('/links', link)).toHaveStatus(201);

    for (const _again of [1, 2])
      expect((await verify(claim.id, squatter.key)).body).toMatchObject({
        state: 'failed',
        next_check_at: null,
        last_error: { code: 'host_taken' },
      });
  });

  test('is stored for an Idempotency-Key, and is another workspace’s business to nobody', async () => {
    const domain = await add('replayed.example.com');
    const headers = { 'idempotency-key': 'verify-1' };
    const first = await call(`/domains/${domain.id}/verify`, undefined, 'POST', headers);
    setRecord(domain);
    const again = await call(`/domains/${domain.id}/verify`, undefined, 'POST', headers);
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', first.body]);
    const stranger = await startWorkspace(app, { preset: 'links' });
    expect(await verify(domain.id, stranger.key)).toHaveStatus(404);
  });

  test('goes on by itself: what is due is looked up, and fails after seven days', async () => {
    const [found, lost, later] = [
      await add('found.example.com'),
      await add('lost.example.com'),
      await add('later.example.com'),
    ];
    setRecord(found);
    setRecord(later);
    await query(`update domains set check_at = now() - interval '1 second' where host = 'found.example.com'`);
    await query(
      `update domains set check_at = now() - interval '1 day', pending_since = now() - interval '7 days'
       where host = 'lost.example.com'`,
    );
    await checkDueDomains(unitsFor(app.database.db), createResolveTxt([names.address]), () => new Date());
    // The running server may have been the one that took them.
    await vi.waitFor(async () => {
      expect((await call(`/domains/${found.id}`)).body.state).toBe('verified');
      expect((await call(`/domains/${lost.id}`)).body).toMatchObject({
        state: 'failed',
        next_check_at: null,
        last_error: { code: 'record_missing' },
      });
    }, PATIENCE);
    expect((await call(`/domains/${later.id}`)).body.state).toBe('pending');
    expect((await eventsAbout(lost.id)).map(({ type }) => type)).toEqual(['domain.failed']);
    const again = await verify(lost.id);
    expect(again.body).toMatchObject({ state: 'pending', last_error: { code: 'record_missing' } });
    expect(Date.parse(again.body.next_check_at)).toBeGreaterThan(Date.now());
  });
});

describe('what depends on it', () => {
  test('links keep it from being deleted', async () => {
    const domain = await add('busy.example.com');
    setRecord(domain);
    await verify(domain.id);
    const made = await call('/links', {
      url: 'https://example.com/a',
      domain: 'busy.example.com',
      slug: 'a',
    });
    expect(made).toHaveStatus(201);
    const rejected = await call(`/domains/${domain.id}`, undefined, 'DELETE');
    expect([rejected.status, rejected.body.errors[0].code]).toEqual([409, 'domain_in_use']);
    expect(rejected.body.detail).toContain('1 link uses busy.example.com');
    await call(`/links/${made.body.id}`, undefined, 'DELETE');
    expect(await call(`/domains/${domain.id}`, undefined, 'DELETE')).toHaveStatus(204);
  });

  test('certificates are allowed for it and for this server’s own host', async () => {
    const domain = await add('secure.example.com');
    setRecord(domain);
    await verify(domain.id);
    expect(await allowed('SECURE.example.com.')).toBe(200);
    expect(await allowed('localhost')).toBe(200);
    expect(await allowed('other.example.com')).toBe(404);
    expect(await allowed('')).toBe(404);
    expect(await allowed('\0')).toBe(404);
    expect(await fetch(`${app.base}/internal/tls-allowed`)).toHaveStatus(404);
    expect(await fetch(`${app.base}/internal/tls-allowed?domain=a&domain=b`)).toHaveStatus(404);
  });

  test('thousands of made-up names keep nobody from an answer, and take a few statements; too many at once are refused', async () => {
    const domain = await add('known.example.com');
    setRecord(domain);
    await verify(domain.id);
    let statements = 0;
    const counted = app.database.db.withPlugin({
      transformQuery: ({ node }) => (statements++, node),
      transformResult: async ({ result }) => result,
    });
    const isAllowed = createTlsAllowed({ db: counted, ownHost: 'own.example' }, () => 0);
    const madeUp = Array.from({ length: 4_500 }, (_, nth) => isAllowed(`n${nth}.example`));
    const real = isAllowed('Known.example.com.');
    expect(await isAllowed('own.example')).toBe(true);
    const lateCalls = await Promise.allSettled(
      Array.from({ length: 1_000 }, (_, nth) => isAllowed(`late${nth}.example`)),
    );
    expect(lateCalls.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'unavailable' },
    });
    expect(new Set(await Promise.all(madeUp))).toEqual(new Set([false]));
    expect(await real).toBe(true);
    expect(await isAllowed('n5.example')).toBe(false);
    expect(statements).toBeLessThan(10);
  });
});
