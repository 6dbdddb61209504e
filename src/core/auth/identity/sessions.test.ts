import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createSecretBox } from '../../../platform/crypto/secret-box.ts';
import { cookieSecret, hashToken } from '../session-cookie.ts';
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

const epoch = async (): Promise<number> =>
  (await server.database.db.selectFrom('auth_epoch').select('epoch').executeTakeFirstOrThrow()).epoch;

/** Runs `work` and returns by how much it raised the epoch. */
async function raised(work: () => Promise<unknown>): Promise<number> {
  const before = await epoch();
  await work();
  return (await epoch()) - before;
}

async function ada(): Promise<Browser> {
  const browser = new Browser(server.base);
  expect(await browser.signUp('ada@example.com')).toHaveStatus(200);
  return browser;
}

const getToken = (browser: Browser): string => server.identity.sessions.readToken(browser.cookie)!;
const find = (token: string) => server.identity.sessions.find(token);

test('signing in makes a new token, whatever token the browser came with, and ends the old session', async () => {
  const browser = await ada();
  const before = getToken(browser);
  await browser.signIn('ada@example.com');
  expect(getToken(browser)).not.toBe(before);
  expect(await find(before)).toBeNull();
  const secret = cookieSecret(createSecretBox('a secret for tests, 32 characters long'));
  const fixed = 'a'.repeat(32);
  const signature = createHmac('sha256', secret).update(fixed).digest('base64');
  const victim = new Browser(server.base);
  victim.cookies.set(COOKIE, encodeURIComponent(`${fixed}.${signature}`));
  await victim.signIn('ada@example.com');
  expect(getToken(victim)).not.toBe(fixed);
  expect(await find(fixed)).toBeNull();
});

test('a cookie whose signature is wrong is none, and costs no look at the database', async () => {
  const browser = await ada();
  const value = browser.cookies.get(COOKIE)!;
  const { readToken } = server.identity.sessions;
  const token = readToken(browser.cookie)!;
  const secret = cookieSecret(createSecretBox('another secret that is long enough too'));
  const foreign = createHmac('sha256', secret).update(token).digest('base64');
  for (const bad of [
    token,
    `${token}.`,
    `${token}.${foreign}`,
    value.replace(/^./, (first) => (first === 'a' ? 'b' : 'a')),
    value.slice(0, -5),
    '%',
    'null',
    '',
  ]) {
    const cookie = `${COOKIE}=${bad}`;
    expect(readToken(cookie)).toBeNull();
    const answer = await new Browser(server.base, { cookie }).get('/get-session');
    expect([answer.status, answer.body]).toEqual([200, { user: null, session: null }]);
    expect((await new Browser(server.base, { cookie }).get('/list-sessions')).body.code).toBe(
      'not_signed_in',
    );
  }
  expect(readToken(undefined)).toBeNull();
  expect(readToken('other=1; fairlead_api.session_tokenx=y')).toBeNull();
  expect(readToken(`theme=dark; ${browser.cookie}; x=y`)).toBe(token);
});

test('find tells the user and the epoch in one statement', async () => {
  const browser = await ada();
  const session = await find(getToken(browser));
  expect(session).toMatchObject({ userName: 'Ada', email: 'ada@example.com', epoch: await epoch() });
  expect(session!.expiresAt.getTime()).toBeGreaterThan(Date.now() + 6.9 * 86_400_000);
  expect(await find('x'.repeat(32))).toBeNull();
  expect(await find(hashToken(getToken(browser)))).toBeNull();
});

test('signing out ends the session, raises the epoch, and forgets the cookie', async () => {
  const browser = await ada();
  const token = getToken(browser);
  expect(await raised(() => browser.post('/sign-out'))).toBe(1);
  expect([...browser.cookies.keys()]).toEqual(['fairlead_api.known_device']);
  expect(await find(token)).toBeNull();
  expect(await browser.post('/sign-out')).toHaveStatus(200);
});

test('a session in use is prolonged once a day; one that expired is gone', async () => {
  const browser = await ada();
  expect((await browser.get('/get-session')).headers.getSetCookie()).toEqual([]);
  const sixDays = new Date(Date.now() + 5.9 * 86_400_000);
  await server.database.db.updateTable('sessions').set({ expires_at: sixDays }).execute();
  const prolonged = await raised(async () => {
    const { headers, body } = await browser.get('/get-session');
    expect(headers.getSetCookie()[0]).toContain('Max-Age=604800');
    expect(Date.parse(body.session.expires_at)).toBeGreaterThan(Date.now() + 6.9 * 86_400_000);
  });
  expect(prolonged).toBe(0);
  const token = getToken(browser);
  expect((await find(token))!.expiresAt.getTime()).toBeGreaterThan(Date.now() + 6.9 * 86_400_000);

  const past = new Date(Date.now() - 1000);
  expect(
    await raised(() => server.database.db.updateTable('sessions').set({ expires_at: past }).execute()),
  ).toBe(1);
  expect(await find(token)).toBeNull();
  expect((await browser.get('/get-session')).body).toEqual({ user: null, session: null });
  expect(await raised(() => server.identity.deleteExpired())).toBe(0);
  expect(await server.database.db.selectFrom('sessions').select('id').execute()).toEqual([]);
});

test('sessions are listed, and ended one by one or all others; nobody ends those of others', async () => {
  const first = await ada();
  const second = new Browser(server.base, { 'user-agent': 'Phone/1' });
  await second.signIn('ada@example.com');
  const eve = new Browser(server.base);
  await eve.signUp('eve@example.com');

  const { body } = await first.get('/list-sessions');
  expect(body).toMatchObject({ object: 'list', has_more: false, next_cursor: null });
  expect(body.data.map((session: { current: boolean }) => session.current)).toEqual([false, true]);
  expect(body.data[0]).toMatchObject({ object: 'session', user_agent: 'Phone/1', ip: '127.0.0.1' });
  const { id } = body.data[0];
  expect(id).toMatch(/^ses_/);

  expect(await eve.post('/revoke-session', { id })).toHaveStatus(404);
  expect(await first.post('/revoke-session', { id: 'usr_01h2xcejqtf2nbrexx3vqjhp41' })).toHaveStatus(400);
  expect(await first.post('/revoke-session', { id: 'ses_01h2xcejqtf2nbrexx3vqjhp41' })).toHaveStatus(404);
  expect(await raised(() => first.post('/revoke-session', { id }))).toBe(1);
  expect((await second.get('/get-session')).body.user).toBeNull();

  await second.signIn('ada@example.com');
  expect((await first.post('/revoke-other-sessions')).body).toEqual({ revoked: 1 });
  expect((await second.get('/get-session')).body.user).toBeNull();
  expect((await first.get('/get-session')).body.user.name).toBe('Ada');
  expect((await eve.get('/get-session')).body.user.name).toBe('Ada');
});

test('sessions of a disabled or deleted user hold no more, and the epoch rises', async () => {
  const browser = await ada();
  const token = getToken(browser);
  const { db } = server.database;
  expect(await raised(() => db.updateTable('users').set({ disabled_at: new Date() }).execute())).toBe(1);
  expect(await find(token)).toBeNull();
  expect((await browser.get('/get-session')).body.user).toBeNull();
  expect(
    (await browser.post('/change-password', { current_password: PASSWORD, new_password: 'x' })).status,
  ).toBe(401);
  const right = await new Browser(server.base).signIn('ada@example.com');
  expect([right.status, right.body.code]).toEqual([403, 'user_disabled']);
  expect(right.headers.getSetCookie()).toEqual([]);
  const wrong = await new Browser(server.base).signIn('ada@example.com', 'wrong password');
  expect(wrong.body.code).toBe('invalid_credentials');
  await db.updateTable('users').set({ disabled_at: null }).execute();
  expect((await browser.get('/get-session')).body.user.name).toBe('Ada');
  expect(await raised(() => db.deleteFrom('users').execute())).toBeGreaterThan(0);
  expect(await find(token)).toBeNull();
});

test('a new name is seen everywhere: the epoch rises', async () => {
  const browser = await ada();
  const answer = async () => {
    const { body } = await browser.post('/update-user', { name: ' Ada King ' });
    expect(body.user.name).toBe('Ada King');
  };
  expect(await raised(answer)).toBe(1);
  expect((await find(getToken(browser)))!.userName).toBe('Ada King');
  for (const field of ['email', 'emailVerified', 'image', 'id'])
    expect((await browser.post('/update-user', { name: 'x', [field]: 'y' })).body.errors[0].code).toBe(
      'unknown_field',
    );
  expect((await new Browser(server.base).post('/update-user', { name: 'x' })).body.code).toBe(
    'not_signed_in',
  );
});
