import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPasswordHasher } from './password-hash.ts';
import {
  Browser,
  PASSWORD,
  startIdentity,
  type TestIdentity,
} from '../../../../test/support/auth/identity.ts';

const NEW = 'a new password';
let server: TestIdentity;

beforeAll(async () => {
  server = await startIdentity({ SIGN_UP: 'open', BASE_URL: 'http://localhost:4000' });
});
afterAll(() => server.stop());
beforeEach(async () => {
  for (const table of ['users', 'verifications', 'auth_attempts'])
    await sql`delete from ${sql.table(table)}`.execute(server.database.db);
  server.outbox.length = 0;
});

const browse = () =>
  new Browser(server.base.replace('127.0.0.1', 'localhost'), { origin: 'http://localhost:4000' });
const signedIn = async (browser: Browser): Promise<boolean> =>
  (await browser.get('/get-session')).body.user !== null;
const epoch = async () => (await server.database.db.selectFrom('auth_epoch').selectAll().execute())[0]!.epoch;

async function ada(): Promise<Browser> {
  const browser = browse();
  expect(await browser.signUp('ada@example.com')).toHaveStatus(200);
  return browser;
}

async function askForReset(email = 'ada@example.com'): Promise<string> {
  const mails = server.outbox.length;
  const { status, body } = await browse().post('/request-password-reset', { email });
  expect([status, body]).toEqual([200, { accepted: true }]);
  const mail = server.outbox[mails];
  return /token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
}

const reset = (token: string, new_password = NEW) =>
  browse().post('/reset-password', { token, new_password });

describe('reset by mail', () => {
  test('sets the password once, ends all sessions and raises the epoch', async () => {
    const [browser, phone] = [await ada(), browse()];
    await phone.signIn('ada@example.com');
    const token = await askForReset('ADA@example.com');
    expect(token.length).toBeGreaterThanOrEqual(24);
    const before = await epoch();
    expect((await reset(token)).body).toEqual({ accepted: true });
    expect(await epoch()).toBeGreaterThan(before);
    expect([await signedIn(browser), await signedIn(phone)]).toEqual([false, false]);
    expect((await browse().signIn('ada@example.com')).body.code).toBe('invalid_credentials');
    expect(await browse().signIn('ada@example.com', NEW)).toHaveStatus(200);

    const again = await reset(token, 'yet another one');
    expect([again.status, again.body.code]).toEqual([410, 'reset_token_invalid']);
    expect(await browse().signIn('ada@example.com', NEW)).toHaveStatus(200);
  });

  test('one token used many times at the same instant works once', async () => {
    await ada();
    const token = await askForReset();
    const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => reset(token, `${NEW} ${n}`)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 410, 410, 410, 410, 410]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(await browse().signIn('ada@example.com', `${NEW} ${winner}`)).toHaveStatus(200);
  });

  test('a used one makes the others worthless', async () => {
    await ada();
    const [first, second] = [await askForReset(), await askForReset()];
    expect(await reset(second)).toHaveStatus(200);
    expect(await reset(first, 'yet another one')).toHaveStatus(410);
  });

  test('expires after an hour', async () => {
    await ada();
    const token = await askForReset();
    const [row] = await server.database.db.selectFrom('verifications').selectAll().execute();
    const life = row!.expires_at.getTime() - Date.now();
    expect(life / 60_000).toBeGreaterThan(59);
    expect(life / 60_000).toBeLessThanOrEqual(60);
    await server.database.db
      .updateTable('verifications')
      .set({ expires_at: new Date(Date.now() - 1) })
      .execute();
    expect(await reset(token)).toHaveStatus(410);
    expect(await browse().signIn('ada@example.com')).toHaveStatus(200);
    expect(await server.identity.deleteExpired()).toBe(1);
  });

  test('only the hash of the token is stored, and the hash is no token', async () => {
    await ada();
    const token = await askForReset();
    const [row] = await server.database.db.selectFrom('verifications').selectAll().execute();
    expect(row!.identifier).toBe(createHash('sha256').update(`reset-password:${token}`).digest('base64url'));
    expect(JSON.stringify(row)).not.toContain(token);
    expect(await reset(row!.identifier)).toHaveStatus(410);
    expect(server.logged.join('')).not.toContain(token);
  });

  test('the link is made from BASE_URL, whatever the request says', async () => {
    await ada();
    const browser = browse();
    browser.headers['x-forwarded-host'] = 'evil.example';
    await browser.post('/request-password-reset', { email: 'ada@example.com' });
    expect(server.outbox[0]!.to).toBe('ada@example.com');
    expect(server.outbox[0]!.text).toContain('http://localhost:4000/user/api/reset-password?token=');
    expect(server.outbox[0]!.text + server.outbox[0]!.html).not.toContain('evil.example');
    const redirected = await browser.post('/request-password-reset', {
      email: 'ada@example.com',
      redirectTo: 'https://evil.example',
    });
    expect(redirected.body.errors[0]).toMatchObject({ pointer: '/redirectTo', code: 'unknown_field' });
  });

  test('an unknown or disabled user is answered alike, takes alike, and gets no mail', async () => {
    await ada();
    await browse().signUp('gone@example.com');
    await server.database.db
      .updateTable('users')
      .set({ disabled_at: new Date() })
      .where('email', '=', 'gone@example.com')
      .execute();
    const timed = async (email: string): Promise<number> => {
      const startedAt = performance.now();
      await askForReset(email);
      return performance.now() - startedAt;
    };
    const times = [
      await timed('ada@example.com'),
      await timed('nobody@example.com'),
      await timed('gone@example.com'),
    ];
    for (const time of times) expect(time).toBeGreaterThan(240);
    expect(server.outbox.map(({ to }) => to)).toEqual(['ada@example.com']);
  });

  test('is bounded for each email, whether there is such a user or not', async () => {
    await ada();
    for (const email of ['ada@example.com', 'nobody@example.com']) {
      for (let n = 0; n < 3; n++) await askForReset(email);
      const { status, headers } = await browse().post('/request-password-reset', { email });
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(server.outbox).toHaveLength(3);
  });

  test('a short password is refused before the token is used', async () => {
    await ada();
    const token = await askForReset();
    const short = await reset(token, '1234567');
    expect([short.status, short.body.code, short.body.errors[0].pointer]).toEqual([
      422,
      'password_too_short',
      '/new_password',
    ]);
    expect(await reset(token)).toHaveStatus(200);
  });

  test('a weak password is refused before the token is used', async () => {
    await ada();
    const token = await askForReset();
    for (const password of ['iloveyou2', 'ada@example.com']) {
      const { status, body } = await reset(token, password);
      expect([status, body.code, body.errors[0].pointer]).toEqual([
        422,
        'password_too_weak',
        '/new_password',
      ]);
    }
    expect(await reset(token)).toHaveStatus(200);
  });

  test('where no mail can be sent, says so', async () => {
    const mute = await startIdentity({}, { on: server, mail: false });
    expect((await new Browser(mute.base).get('/status')).body.mail).toBe(false);
    const answer = await new Browser(mute.base).post('/request-password-reset', { email: 'ada@example.com' });
    expect([answer.status, answer.body.code]).toEqual([422, 'mail_not_configured']);
    await mute.stop();
  });

  test('when the mail cannot be left, there is no token either, and the call fails', async () => {
    await ada();
    const push = server.outbox.push;
    server.outbox.push = () => {
      throw new Error('the queue is full');
    };
    const answer = await browse().post('/request-password-reset', { email: 'ada@example.com' });
    server.outbox.push = push;
    expect(answer).toHaveStatus(500);
    expect(await server.database.db.selectFrom('verifications').select('id').execute()).toEqual([]);
  });
});

describe('change by who knows it', () => {
  const change = (browser: Browser, current_password: string, new_password = NEW) =>
    browser.post('/change-password', { current_password, new_password });

  test('gives a new session and ends all old ones', async () => {
    const [browser, phone] = [await ada(), browse()];
    await phone.signIn('ada@example.com');
    const token = await askForReset();
    const [old, before] = [server.identity.sessions.readToken(browser.cookie)!, await epoch()];
    expect((await change(browser, PASSWORD)).body).toEqual({ accepted: true });
    expect(await epoch()).toBeGreaterThan(before);
    expect([await signedIn(browser), await signedIn(phone)]).toEqual([true, false]);
    expect(await server.identity.sessions.find(old)).toBeNull();
    expect(await browse().signIn('ada@example.com', NEW)).toHaveStatus(200);
    expect(await reset(token, 'yet another one')).toHaveStatus(410);
  });

  test('refuses a weak password', async () => {
    const browser = await ada();
    for (const password of ['qwerty123', 'ada@example.com']) {
      const { status, body } = await change(browser, PASSWORD, password);
      expect([status, body.code, body.errors[0].pointer]).toEqual([
        422,
        'password_too_weak',
        '/new_password',
      ]);
    }
    expect(await browse().signIn('ada@example.com')).toHaveStatus(200);
  });

  test('a wrong present password changes nothing, and is bounded', async () => {
    const [browser, phone] = [await ada(), browse()];
    await phone.signIn('ada@example.com');
    for (let n = 0; n < 10; n++) {
      const { status, body } = await change(browser, `guess number ${n}`);
      expect([status, body.code, body.errors[0].pointer]).toEqual([
        422,
        'wrong_password',
        '/current_password',
      ]);
    }
    expect(await change(browser, PASSWORD)).toHaveStatus(429);
    expect([await signedIn(browser), await signedIn(phone)]).toEqual([true, true]);
    expect(await browse().signIn('ada@example.com')).toHaveStatus(200);
  });

  test('needs a session', async () => {
    await ada();
    expect((await change(browse(), PASSWORD)).body.code).toBe('not_signed_in');
  });
});

test('who signs in with the old password while it is being changed gets no session', async () => {
  await ada();
  const { pool, db } = server.database;
  const stored = await createPasswordHasher().hash(NEW, ['test']);
  const other = await pool.connect();
  try {
    await other.query('begin');
    await other.query('update accounts set password = $1', [stored]);
    const late = browse().signIn('ada@example.com');
    // The sign-in has checked the old password and waits for the lock.
    await expect
      .poll(async () => {
        const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        `.execute(db);
        return rows.length;
      })
      .toBeGreaterThan(0);
    await other.query('delete from sessions');
    await other.query('commit');
    const { status, body } = await late;
    expect([status, body.code]).toEqual([401, 'invalid_credentials']);
  } finally {
    other.release();
  }
  expect(await db.selectFrom('sessions').select('id').execute()).toEqual([]);
});
