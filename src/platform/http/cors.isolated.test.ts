import { setDatabaseTime } from '../time/clock.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { toUuid } from '../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
const SHOP = 'https://shop.example';
const IN_A_YEAR = new Date(Date.now() + 365 * 86_400_000).toISOString();

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

async function makeBrowserKey(origins: string[], more: object = {}): Promise<{ id: string; secret: string }> {
  const { status, body } = await home.owner.call('/api-keys', {
    workspace: home.workspace,
    body: {
      name: 'site',
      scopes: ['models:read', 'models:invoke'],
      allowed_origins: origins,
      expires_at: IN_A_YEAR,
      ...more,
    },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

const preflight = (origin: string, path = '/models', headers: Record<string, string> = {}) =>
  app.call(path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', ...headers },
  });

/** Returns the headers that tell a browser whether the page may read the response. */
const told = ({ headers }: { headers: Headers }) => ({
  origin: headers.get('access-control-allow-origin'),
  credentials: headers.get('access-control-allow-credentials'),
  privateNetwork: headers.get('access-control-allow-private-network'),
});
const NOTHING = { origin: null, credentials: null, privateNetwork: null };
const to = (origin: string) => ({ ...NOTHING, origin });

describe('a preflight', () => {
  beforeAll(() => makeBrowserKey([SHOP, 'http://localhost:5173']));

  test.each([SHOP, 'http://localhost:5173'])(
    'lets %s ask, with what it wants to send, for a while',
    async (origin) => {
      const asked = { 'access-control-request-headers': 'authorization,content-type,idempotency-key' };
      const answer = await preflight(origin, '/chat/completions', asked);
      expect([answer.status, answer.body]).toEqual([204, '']);
      expect(told(answer)).toEqual(to(origin));
      expect(answer.headers.get('access-control-allow-headers')).toBe(
        'authorization,content-type,idempotency-key',
      );
      expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
      expect(answer.headers.get('access-control-max-age')).toBe('600');
      expect(answer.headers.get('vary')).toContain('Origin');
    },
  );

  test.each([
    'https://evil.example',
    'http://shop.example',
    'https://shop.example:8443',
    'https://www.shop.example',
    'https://shop.example.evil.example',
    'https://shop.example/',
    'HTTPS://SHOP.EXAMPLE',
    'null',
    '*',
    '',
    `https://${'a'.repeat(5_000)}.example`,
    "https://'; select 1 --",
  ])('tells %s nothing', async (origin) => {
    const answer = await preflight(origin);
    expect([answer.status, told(answer)]).toEqual([204, NOTHING]);
    expect(answer.headers.get('access-control-allow-methods')).toBeNull();
  });

  test.each(['a b', 'x:y', 'a,,b', 'x\u00e9', '(', 'a,b,'])(
    'does not give back "%s" as names of headers',
    async (names) => {
      const answer = await preflight(SHOP, '/models', { 'access-control-request-headers': names });
      expect(answer.headers.get('access-control-allow-headers')).toBeNull();
    },
  );

  test('asks for no key, and is the same for every operation and for none of a cookie', async () => {
    for (const path of ['/api-keys', '/workspaces', '/me'])
      expect(told(await preflight(SHOP, path, { cookie: home.owner.cookie }))).toEqual(to(SHOP));
  });
});

describe('a call', () => {
  let key: { id: string; secret: string };
  beforeAll(async () => {
    key = await makeBrowserKey([SHOP]);
    await makeBrowserKey(['https://other.example']);
  });

  test('of a listed page can be read, with what helps it', async () => {
    const answer = await app.call('/models', { key: key.secret, headers: { origin: SHOP } });
    expect([answer.status, told(answer)]).toEqual([200, to(SHOP)]);
    const exposed = answer.headers.get('access-control-expose-headers')!.split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining([
        'Fairlead-Request-Id',
        'X-Request-Id',
        'RateLimit',
        'RateLimit-Policy',
        'Retry-After',
        'ETag',
        'Idempotency-Replayed',
      ]),
    );
    expect(answer.headers.get('vary')).toContain('Origin');
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  });

  test('of a page that another key lists is refused in words that it can read', async () => {
    const answer = await app.call('/models', {
      key: key.secret,
      headers: { origin: 'https://other.example' },
    });
    expect([answer.status, answer.body.code, told(answer)]).toEqual([
      403,
      'origin_not_allowed',
      to('https://other.example'),
    ]);
  });

  test.each([
    ['/nothing-here', 404, 'not_found'],
    ['/api-keys', 403, 'insufficient_scope'],
    ['/me?x=1', 400, 'invalid_request'],
    ['/embeddings', 405, 'method_not_allowed'],
    ['/models/none', 404, 'not_found'],
  ])('of %s fails readably: %i', async (path, status, code) => {
    const answer = await app.call(path, { key: key.secret, headers: { origin: SHOP } });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(told(answer)).toEqual(to(SHOP));
  });

  test('by another method fails readably', async () => {
    const answer = await app.call('/models', {
      method: 'DELETE',
      key: key.secret,
      headers: { origin: SHOP },
    });
    expect([answer.status, answer.headers.get('allow'), told(answer)]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      to(SHOP),
    ]);
  });

  test('of a path without an operation gets past its preflight', async () => {
    const answer = await preflight(SHOP, '/nothing-here', {
      'access-control-request-headers': 'authorization',
    });
    expect([answer.status, told(answer)]).toEqual([204, to(SHOP)]);
    expect(answer.headers.get('access-control-allow-headers')).toBe('authorization');
    expect(told(await preflight('https://evil.example', '/nothing-here'))).toEqual(NOTHING);
    expect(await app.call('/nothing-here', { method: 'OPTIONS' })).toHaveStatus(404);
  });

  test.each([
    ['that cannot be decoded', '/models/%E0%A4%A', 'unknown_url'],
    ['with a part of 600 characters', `/api-keys/${'a'.repeat(600)}`, undefined],
  ])('of a path %s fails readably, past its preflight', async (_name, path, openAiCode) => {
    const answer = await app.call(path, { key: key.secret, headers: { origin: SHOP } });
    expect([answer.status, answer.body.code, told(answer)]).toEqual([404, 'not_found', to(SHOP)]);
    expect(answer.headers.get('access-control-expose-headers')).toContain('Fairlead-Request-Id');
    expect(answer.body.error?.code).toBe(openAiCode);
    const asked = await preflight(SHOP, path, { 'access-control-request-headers': 'authorization' });
    expect([asked.status, told(asked)]).toEqual([204, to(SHOP)]);
    expect(asked.headers.get('access-control-allow-headers')).toBe('authorization');
    expect(told(await preflight('https://evil.example', path))).toEqual(NOTHING);
  });

  test('with a bad key fails readably, and says no more to a page that is not listed', async () => {
    expect(told(await app.call('/models', { key: 'fl_nonsense', headers: { origin: SHOP } }))).toEqual(
      to(SHOP),
    );
    expect(
      told(await app.call('/models', { key: 'fl_nonsense', headers: { origin: 'https://evil.example' } })),
    ).toEqual(NOTHING);
  });

  test('with a key that lists no page works from anywhere, but only its own pages can read it', async () => {
    const answer = await app.call('/models', { key: home.key, headers: { origin: 'https://evil.example' } });
    expect([answer.status, told(answer)]).toEqual([200, NOTHING]);
  });

  test('with a cookie is refused from a listed page too', async () => {
    const headers = { cookie: home.owner.cookie, origin: SHOP, 'fairlead-workspace': home.workspace };
    for (const options of [{ headers }, { headers, body: { name: 'x', preset: 'full' } }]) {
      const answer = await app.call('/api-keys', options);
      expect([answer.status, answer.body.code]).toEqual([403, 'origin_not_allowed']);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    }
  });
});

describe('a page is listed no longer', () => {
  const until = async (origin: string) =>
    expect.poll(async () => told(await preflight(origin)).origin).toBeNull();

  test('once its key is revoked', async () => {
    const origin = 'https://revoked.example';
    const { id } = await makeBrowserKey([origin]);
    expect(told(await preflight(origin))).toEqual(to(origin));
    await home.owner.call(`/api-keys/${id}/revoke`, { workspace: home.workspace, body: {} });
    await until(origin);
  });

  test('once its key lists others', async () => {
    const origin = 'https://moved.example';
    const { id } = await makeBrowserKey([origin]);
    expect(told(await preflight(origin))).toEqual(to(origin));
    const body = { allowed_origins: ['https://new.example'] };
    await home.owner.call(`/api-keys/${id}`, { workspace: home.workspace, method: 'PATCH', body });
    await until(origin);
    expect(told(await preflight('https://new.example'))).toEqual(to('https://new.example'));
  });

  test('once its key has expired, though nobody said so', async () => {
    const origin = 'https://expired.example';
    const expiry = Date.now() + 3_600_000;
    const { id } = await makeBrowserKey([origin], { expires_at: new Date(expiry).toISOString() });
    await expect.poll(async () => told(await preflight(origin))).toEqual(to(origin));
    // The hour passes for this process and for the database.
    await app.database.pool.query('update api_keys set expires_at = now() where id = $1', [
      toUuid('api_key', id),
    ]);
    onTestFinished(() => setDatabaseTime(null));
    // A reading of the database's clock sets it right again at any time.
    await expect
      .poll(async () => {
        setDatabaseTime(expiry);
        return told(await preflight(origin));
      })
      .toEqual(NOTHING);
  });

  test('but still while another key lists it', async () => {
    const origin = 'https://twice.example';
    const { id } = await makeBrowserKey([origin]);
    await makeBrowserKey([origin]);
    await home.owner.call(`/api-keys/${id}/revoke`, { workspace: home.workspace, body: {} });
    await sleep(700);
    expect(told(await preflight(origin))).toEqual(to(origin));
  });
});
