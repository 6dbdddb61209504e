import { createHash, createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSecretBox } from '../../../platform/crypto/secret-box.ts';
import { cookieSecret } from '../session-cookie.ts';
import {
  Browser,
  PASSWORD,
  startIdentity,
  type TestIdentity,
} from '../../../../test/support/auth/identity.ts';

const COOKIE = 'fairlead_api.session_token';
let server: TestIdentity;

beforeAll(async () => {
  server = await startIdentity({ SIGN_UP: 'open' });
});
afterAll(() => server.stop());
beforeEach(async () => {
  await sql`delete from users`.execute(server.database.db);
  await sql`delete from auth_attempts`.execute(server.database.db);
});

async function ada(): Promise<Browser> {
  const browser = new Browser(server.base);
  expect(await browser.signUp('ada@example.com')).toHaveStatus(200);
  return browser;
}

const getToken = (browser: Browser): string => server.identity.sessions.readToken(browser.cookie)!;

describe('signing in', () => {
  test('gives a session cookie, and the token nowhere else', async () => {
    await ada();
    const browser = new Browser(server.base);
    const { status, body, headers } = await browser.signIn('ADA@example.com');
    expect(status).toBe(200);
    expect(body.user).toMatchObject({ object: 'user', email: 'ada@example.com', name: 'Ada' });
    const [cookie, ...others] = headers.getSetCookie();
    expect(cookie).toMatch(
      /^fairlead_api\.session_token=[A-Za-z0-9]{32}\.[\w%]+; Max-Age=604800; Path=\/api; HttpOnly; SameSite=Strict$/,
    );
    expect(others).toEqual([expect.stringMatching(/^fairlead_api\.known_device=/)]);
    expect(headers.get('cache-control')).toBe('no-store');
    const token = getToken(browser);
    for (const path of ['/get-session', '/list-sessions'])
      expect(JSON.stringify((await browser.get(path)).body)).not.toMatch(token.slice(0, 12));
    expect(JSON.stringify(body)).not.toContain(token);
  });

  test('only hashes are in the tables', async () => {
    const browser = await ada();
    const token = getToken(browser);
    const [row] = await server.database.db.selectFrom('sessions').selectAll().execute();
    expect(row!.token_hash).toBe(createHash('sha256').update(token).digest('base64url'));
    expect(row).toMatchObject({ ip_address: '127.0.0.1', user_agent: 'node' });
    for (const table of ['users', 'sessions', 'accounts', 'verifications'] as const)
      expect(JSON.stringify(await server.database.db.selectFrom(table).selectAll().execute())).not.toContain(
        token,
      );
    // Read access to the table does not help: the stored hash is not a valid token, even with a correct signature.
    const secret = cookieSecret(createSecretBox('a secret for tests, 32 characters long'));
    const signature = createHmac('sha256', secret).update(row!.token_hash).digest('base64');
    const forged = `${COOKIE}=${encodeURIComponent(`${row!.token_hash}.${signature}`)}`;
    expect((await new Browser(server.base, { cookie: forged }).get('/get-session')).body.user).toBeNull();
  });

  test('a cookie without remember_me ends with the browser, its session after a day', async () => {
    await ada();
    const browser = new Browser(server.base);
    const body = { email: 'ada@example.com', password: PASSWORD, remember_me: false };
    const { headers } = await browser.post('/sign-in/email', body);
    expect(headers.getSetCookie()[0]).not.toContain('Max-Age');
    const session = await server.identity.sessions.find(getToken(browser));
    expect(session!.expiresAt.getTime()).toBeLessThan(Date.now() + 24 * 3_600_000 + 5000);
    expect((await browser.get('/get-session')).body.user.email).toBe('ada@example.com');
  });

  test('where BASE_URL is https, the cookie is Secure and named so', async () => {
    const secure = await startIdentity(
      { BASE_URL: 'https://fairlead.example', SIGN_UP: 'open' },
      { on: server },
    );
    await ada();
    const answer = await secure.app.inject({
      method: 'POST',
      url: '/api/auth/sign-in/email',
      headers: { host: 'fairlead.example', origin: 'https://fairlead.example' },
      payload: { email: 'ada@example.com', password: PASSWORD },
    });
    expect(answer.statusCode).toBe(200);
    const [session = '', device = ''] = answer.headers['set-cookie'] as string[];
    expect(session).toMatch(
      /^__Secure-fairlead_api\.session_token=.*; Path=\/api; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(device).toMatch(/^__Secure-fairlead_api\.known_device=.*; HttpOnly; SameSite=Strict; Secure$/);
    const cookie = session.split(';')[0]!;
    expect(secure.identity.sessions.readToken(cookie)).toMatch(/^\w{32}$/);
    expect(secure.identity.sessions.readToken(cookie.replace('__Secure-', ''))).toBeNull();
    await secure.stop();
  });

  test('a wrong password and an unknown user are answered alike', async () => {
    await ada();
    const wrong = await new Browser(server.base).signIn('ada@example.com', 'wrong password');
    const unknown = await new Browser(server.base).signIn('nobody@example.com', 'wrong password');
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    const same = ({ body }: typeof wrong) => ({ ...body, request_id: '' });
    expect(same(wrong)).toEqual(same(unknown));
    expect(wrong.body.code).toBe('invalid_credentials');
    const names = ({ headers }: typeof wrong) => [...headers.keys()].sort();
    expect(names(wrong)).toEqual(names(unknown));
    expect(wrong.headers.getSetCookie()).toEqual([]);
  });

  test('an unknown user costs as many hashes as a wrong password', async () => {
    await ada();
    for (const email of ['ada@example.com', 'nobody@example.com']) {
      const before = server.hashesComputed();
      await new Browser(server.base).signIn(email, 'wrong password');
      expect([email, server.hashesComputed() - before]).toEqual([email, 1]);
    }
  });

  test('ten wrong passwords for one email from one address: then nothing is tried, not even the right one', async () => {
    await ada();
    for (const email of ['ada@example.com', 'nobody@example.com']) {
      const browser = new Browser(server.base);
      for (let n = 0; n < 10; n++) expect(await browser.signIn(email, `guess number ${n}`)).toHaveStatus(401);
      const refused = await browser.signIn(email.toUpperCase());
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    }
    expect(await new Browser(server.base).signIn('other@example.com')).toHaveStatus(401);
  });

  test('many guesses at once gain nothing', async () => {
    await ada();
    const guesses = Array.from({ length: 25 }, (_, n) =>
      new Browser(server.base).signIn('ada@example.com', `guess number ${n}`),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  });

  test('signing in rightly is not counted, and processes count together', async () => {
    await ada();
    const other = await startIdentity({ SIGN_UP: 'open' }, { on: server });
    for (let n = 0; n < 12; n++)
      expect(await new Browser(server.base).signIn('ada@example.com')).toHaveStatus(200);
    for (let n = 0; n < 10; n++)
      await new Browser([server, other][n % 2]!.base).signIn('ada@example.com', 'wrong password');
    expect(await new Browser(other.base).signIn('ada@example.com')).toHaveStatus(429);
    await sql`update auth_attempts set window_ends = now()`.execute(server.database.db);
    expect(await new Browser(other.base).signIn('ada@example.com')).toHaveStatus(200);
    await other.stop();
  });

  test('an address and an email have bounds of their own', async () => {
    const bound = { max: 2, windowSeconds: 60 };
    const one = { address: bound };
    const none = { sign_up: {}, open_sign_up: {}, request_reset: {}, reset: {}, change_password: {} };
    const byAddress = await startIdentity({}, { on: server, bounds: { ...none, sign_in: one } });
    const guess = async (base: string, n: number) =>
      (await new Browser(base).signIn(`u${n}@example.com`)).status;
    expect([
      await guess(byAddress.base, 1),
      await guess(byAddress.base, 2),
      await guess(byAddress.base, 3),
    ]).toEqual([401, 401, 429]);
    await sql`delete from auth_attempts`.execute(server.database.db);
    const byEmail = await startIdentity(
      { TRUST_PROXY: '127.0.0.1' },
      { on: server, bounds: { ...none, sign_in: { email: bound } } },
    );
    const from = async (ip: string) =>
      (await new Browser(byEmail.base, { 'x-forwarded-for': ip }).signIn('ada@example.com')).status;
    expect([await from('203.0.113.1'), await from('203.0.113.2'), await from('203.0.113.3')]).toEqual([
      401, 401, 429,
    ]);
    await byAddress.stop();
    await byEmail.stop();
  });

  test('an address that a client claims counts only from a trusted proxy', async () => {
    const claimed = new Browser(server.base, {
      'x-forwarded-for': '203.0.113.9',
      'x-fairlead-client-ip': '1.2.3.4',
    });
    await claimed.signUp('eve@example.com');
    const [row] = await server.database.db.selectFrom('sessions').select('ip_address').execute();
    expect(row!.ip_address).toBe('127.0.0.1');
  });
});
