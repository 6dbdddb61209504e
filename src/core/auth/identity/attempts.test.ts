import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Problem } from '../../../platform/http/problem.ts';
import { type AttemptKind, type Bounds, createAttempts } from './attempts.ts';
import {
  Browser,
  PASSWORD,
  startIdentity,
  type TestIdentity,
} from '../../../../test/support/auth/identity.ts';

const WRONG = 'a wrong password';
const COOKIE = 'fairlead_api.known_device';
const TABLES = ['users', 'verifications', 'auth_attempts', 'known_addresses'];

let server: TestIdentity;

beforeAll(async () => {
  server = await startIdentity({ SIGN_UP: 'open', TRUST_PROXY: '127.0.0.1' });
});
afterAll(() => server.stop());
beforeEach(async () => {
  for (const table of TABLES) await sql`delete from ${sql.table(table)}`.execute(server.database.db);
  server.outbox.length = 0;
});

/** A browser at an address, without cookies. */
const at = (ip: string, on = server): Browser => new Browser(on.base, { 'x-forwarded-for': ip });

/** A browser at 203.0.113.1 that signed up as Ada. */
async function ada(): Promise<Browser> {
  const browser = at('203.0.113.1');
  expect(await browser.signUp('ada@example.com')).toHaveStatus(200);
  return browser;
}

async function forgetAddresses(): Promise<void> {
  await sql`delete from known_addresses`.execute(server.database.db);
}

const getStatus = async (browser: Browser, password = PASSWORD): Promise<number> =>
  (await browser.signIn('ada@example.com', password)).status;

/** Sign-in with few attempts: the email's limit is reached after three wrong passwords from any address. */
async function startStrict(): Promise<TestIdentity> {
  const few = (max: number) => ({ max, windowSeconds: 3600 });
  const sign_in: Bounds = { address: few(100), email: few(3), pair: few(3), device: few(3) };
  const bounds: Record<AttemptKind, Bounds> = {
    sign_in,
    sign_up: {},
    open_sign_up: {},
    request_reset: {},
    reset: {},
    change_password: {},
  };
  return startIdentity({ SIGN_UP: 'open', TRUST_PROXY: '127.0.0.1' }, { on: server, bounds });
}

describe('a refused sign-in', () => {
  test('counts toward no other bound: one address cannot lock an email out everywhere', async () => {
    await ada();
    await forgetAddresses();
    const stranger = at('198.51.100.1');
    const statuses: number[] = [];
    for (let n = 0; n < 60; n++) statuses.push(await getStatus(stranger, WRONG));
    expect([statuses.filter((status) => status === 401).length, statuses.at(-1)]).toEqual([10, 429]);
    expect(await getStatus(at('203.0.113.9'))).toBe(200);
  });

  test('leaves its address free to sign in to other emails', async () => {
    await ada();
    await at('203.0.113.1').signUp('bob@example.com');
    await forgetAddresses();
    const stranger = at('198.51.100.1');
    for (let n = 0; n < 120; n++) await getStatus(stranger, WRONG);
    expect(await stranger.signIn('bob@example.com')).toHaveStatus(200);
  });

  test('is refused while others at once are being checked, and still counts nothing', async () => {
    await ada();
    await forgetAddresses();
    await sql`delete from auth_attempts`.execute(server.database.db);
    const guesses = Array.from({ length: 80 }, () => getStatus(at('198.51.100.1'), WRONG));
    expect((await Promise.all(guesses)).filter((status) => status === 401)).toHaveLength(10);
    const { rows } = await sql<{ used: number }>`select used from auth_attempts`.execute(server.database.db);
    expect(rows.map(({ used }) => used)).toEqual([10, 10, 10]);
  });
});

describe('somebody who has a whole IPv6 network', () => {
  test('does not use up the bound of an email, from however many addresses', async () => {
    await ada();
    await forgetAddresses();
    const statuses: number[] = [];
    // 80 networks /64 of 20 networks /56 of one /48.
    for (let n = 0; n < 80; n++)
      statuses.push(await getStatus(at(`2001:db8:1:${(n * 64).toString(16)}::1`), WRONG));
    expect(statuses.filter((status) => status === 401)).toHaveLength(12);
    expect(await getStatus(at('2001:db8:2::1'))).toBe(200);
  });

  test('counts as one address also where a provider gives out a /56', async () => {
    await ada();
    await forgetAddresses();
    const statuses: number[] = [];
    for (let n = 0; n < 20; n++) statuses.push(await getStatus(at(`2001:db8:1:${n.toString(16)}::1`), WRONG));
    expect(statuses.filter((status) => status === 401)).toHaveLength(11);
    expect(await getStatus(at('2001:db8:1:100::1'))).toBe(200);
  });
});

describe('strangers who use up the bound of an email', () => {
  let strict: TestIdentity;
  beforeAll(async () => {
    strict = await startStrict();
  });
  afterAll(() => strict.stop());

  async function attack(): Promise<void> {
    for (let n = 1; n <= 3; n++) expect(await getStatus(at(`198.51.100.${n}`, strict), WRONG)).toBe(401);
    expect(await getStatus(at('203.0.113.9', strict))).toBe(429);
  }

  test('do not lock out a device that signed in before, wherever it is', async () => {
    const { cookies } = await ada();
    await forgetAddresses();
    await attack();
    const browser = at('203.0.113.9', strict);
    browser.cookies.set(COOKIE, cookies.get(COOKIE)!);
    expect(await getStatus(browser)).toBe(200);
  });

  test('do not lock out an address that signed in before, without any cookie', async () => {
    await ada();
    await attack();
    expect(await getStatus(at('203.0.113.1', strict))).toBe(200);
    await sql`update known_addresses set expires_at = now()`.execute(server.database.db);
    expect(await getStatus(at('203.0.113.1', strict))).toBe(429);
  });

  test('do not gain attempts from a device of their own, nor from a forged cookie', async () => {
    await ada();
    const eve = at('198.51.100.9');
    await eve.signUp('eve@example.com');
    await forgetAddresses();
    await attack();
    const [id = '', signature = ''] = eve.cookies.get(COOKIE)!.split('.');
    for (const cookie of [`${id}.${signature}`, `${id}.`, id, `x${id}.${signature}`, '%']) {
      const browser = at('198.51.100.9', strict);
      browser.cookies.set(COOKIE, cookie);
      expect([cookie, await getStatus(browser)]).toEqual([cookie, 429]);
    }
  });

  test('are not helped by a device that guesses: it has a bound of its own', async () => {
    const { cookies } = await ada();
    await forgetAddresses();
    const known = (ip: string): Browser => {
      const browser = at(ip, strict);
      browser.cookies.set(COOKIE, cookies.get(COOKIE)!);
      return browser;
    };
    for (let n = 1; n <= 3; n++) expect(await getStatus(known(`203.0.113.${n}`), WRONG)).toBe(401);
    expect(await getStatus(known('203.0.113.4'))).toBe(429);
    expect(await getStatus(at('203.0.113.5', strict))).toBe(200);
  });
});

describe('devices and addresses of a former password', () => {
  const NEW = 'the next password';
  const change = (browser: Browser) =>
    browser.post('/change-password', { current_password: PASSWORD, new_password: NEW });
  let strict: TestIdentity;
  beforeAll(async () => {
    strict = await startStrict();
  });
  afterAll(() => strict.stop());

  /** Browsers at addresses of their own that signed in once; with `cookies: false` only the addresses are known. */
  async function thieves({ cookies }: { cookies: boolean }): Promise<Browser[]> {
    const browsers = Array.from({ length: 5 }, (_, n) => at(`198.51.100.${n}`, strict));
    for (const browser of browsers) {
      expect(await getStatus(browser)).toBe(200);
      browser.cookies.delete('fairlead_api.session_token');
      if (!cookies) browser.cookies.delete(COOKIE);
    }
    if (cookies) await forgetAddresses();
    return browsers;
  }

  for (const cookies of [true, false])
    test(`add no guesses at the next one: ${cookies ? 'devices' : 'addresses'}`, async () => {
      const owner = await ada();
      const browsers = await thieves({ cookies });
      expect(await change(owner)).toHaveStatus(200);
      const statuses: number[] = [];
      for (const browser of browsers) statuses.push(await getStatus(browser, WRONG));
      expect(statuses).toEqual([401, 401, 401, 429, 429]);
    });

  test('are replaced for the browser that changes or resets it', async () => {
    const browser = await ada();
    await change(browser);
    await browser.post('/sign-out');
    await forgetAddresses();
    for (let n = 1; n <= 4; n++) await getStatus(at(`198.51.100.${n}`, strict), WRONG);
    const elsewhere = at('203.0.113.9', strict);
    elsewhere.cookies.set(COOKIE, browser.cookies.get(COOKIE)!);
    expect(await getStatus(elsewhere, NEW)).toBe(200);

    await browser.post('/request-password-reset', { email: 'ada@example.com' });
    const token = /token=([\w-]+)/.exec(server.outbox[0]!.text)![1]!;
    const locked = at('203.0.113.10', strict);
    expect(await getStatus(locked, NEW)).toBe(429);
    expect(await locked.post('/reset-password', { token, new_password: PASSWORD })).toHaveStatus(200);
    await forgetAddresses();
    expect(await getStatus(locked)).toBe(200);
  });
});

describe('the known-device cookie', () => {
  test('is HttpOnly, for /api/auth alone, long-lived, and stored nowhere', async () => {
    const browser = at('203.0.113.1');
    const { headers } = await browser.signUp('ada@example.com');
    const attributes = /; Max-Age=15552000; Path=\/api\/auth; HttpOnly; SameSite=Strict$/;
    const line = headers.getSetCookie().find((one) => one.startsWith(COOKIE))!;
    expect(line).toMatch(attributes);
    const value = browser.cookies.get(COOKIE)!;
    expect(Buffer.from(value, 'base64url').toString('latin1')).not.toContain('ada@example.com');
    expect(value).not.toContain('ada@example.com');
    const tables = await Promise.all(
      [...TABLES, 'sessions'].map(
        async (name) =>
          (await sql`select t::text from ${sql.table(name)} t`.execute(server.database.db)).rows,
      ),
    );
    const id = value.split('.')[0]!;
    for (const form of [id, createHash('sha256').update(id).digest('hex'), 'ada@example.com 203.0.113.1'])
      expect(JSON.stringify(tables)).not.toContain(form);
    // A later sign-in keeps the device.
    await browser.post('/sign-out');
    await browser.signIn('ada@example.com');
    expect(browser.cookies.get(COOKIE)).toBe(value);
  });

  test('is not set for a program, which could not send it back without an Origin', async () => {
    await ada();
    const program = at('203.0.113.1');
    delete program.headers.origin;
    expect(await getStatus(program)).toBe(200);
    expect(program.cookies.has(COOKIE)).toBe(false);
  });
});

describe('what counts as an attempt', () => {
  test('is a password that was checked and is wrong, nothing that failed before', async () => {
    const attempts = createAttempts(server.database.db);
    const failing = (code: 'unavailable' | 'invalid_credentials') =>
      attempts
        .check('sign_in', { ip: '203.0.113.1', email: 'ada@example.com' }, () =>
          Promise.reject(new Problem(code, 'refused')),
        )
        .catch((error: unknown) => (error as Problem).code);
    for (let n = 0; n < 20; n++) expect(await failing('unavailable')).toBe('unavailable');
    for (let n = 0; n < 10; n++) expect(await failing('invalid_credentials')).toBe('invalid_credentials');
    expect(await failing('invalid_credentials')).toBe('rate_limited');
  });

  test('is not a sign-up with the email of somebody else', async () => {
    await at('203.0.113.1').signUp('bob@example.com');
    const invited = await startIdentity({ SIGN_UP: 'invite', TRUST_PROXY: '127.0.0.1' }, { on: server });
    for (let n = 0; n < 25; n++)
      expect((await at('198.51.100.1', invited).signUp('ada@example.com')).body.code).toBe(
        'invitation_required',
      );
    expect(await at('203.0.113.1').signUp('ada@example.com')).toHaveStatus(200);
    await invited.stop();
  });

  test('is not a sign-up whose password is too short to be looked at', async () => {
    const stranger = at('198.51.100.1');
    for (let n = 0; n < 101; n++)
      expect(await stranger.signUp('ada@example.com', { password: 'short' })).toHaveStatus(422);
    expect(await stranger.signUp('ada@example.com')).toHaveStatus(200);
  });

  test('is not a reset with the token of a mail, however many wrong ones came from its address', async () => {
    await ada();
    await at('203.0.113.1').post('/request-password-reset', { email: 'ada@example.com' });
    const token = /token=([\w-]+)/.exec(server.outbox[0]!.text)![1]!;
    const reset = (value: string) =>
      at('203.0.113.1').post('/reset-password', { token: value, new_password: 'a new password' });
    for (let n = 0; n < 30; n++) expect(await reset(`${token}${n}`)).toHaveStatus(410);
    expect(await reset(`${token}x`)).toHaveStatus(429);
    expect(await reset(token)).toHaveStatus(200);
  });

  test('of changing the password is counted for its session: another one of the user is free', async () => {
    const [thief, owner] = [await ada(), at('203.0.113.1')];
    await owner.signIn('ada@example.com');
    const change = (browser: Browser, current_password: string) =>
      browser.post('/change-password', { current_password, new_password: 'a new password' });
    for (let n = 0; n < 10; n++) expect(await change(thief, WRONG)).toHaveStatus(422);
    expect(await change(thief, PASSWORD)).toHaveStatus(429);
    expect(await change(owner, PASSWORD)).toHaveStatus(200);
  });
});

describe('open sign-up', () => {
  const signUpAll = async (ips: readonly string[], name: string) => {
    const answers = [];
    for (const [n, ip] of ips.entries()) answers.push(await at(ip).signUp(`${name}${n}@example.com`));
    return answers;
  };

  test.each([
    { by: 'an address', max: 20, getIp: () => '198.51.100.7' },
    { by: 'an IPv6 /64', max: 20, getIp: (n: number) => `2001:db8:1:2::${n + 1}` },
    { by: 'an IPv6 /56', max: 40, getIp: (n: number) => `2001:db8:1:${n + 1}::1` },
  ])('makes $max users an hour from $by, and others sign up', async ({ max, getIp }) => {
    await ada();
    const answers = await signUpAll(
      Array.from({ length: max + 5 }, (_, n) => getIp(n)),
      'eve',
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(max);
    const last = answers.at(-1)!;
    expect([last.status, last.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await at('203.0.113.50').signUp('bob@example.com')).toHaveStatus(200);
  });

  test('does not count a token that is no invitation as one', async () => {
    await ada();
    const statuses: number[] = [];
    for (let n = 0; n < 25; n++) {
      const more = { invitation_token: `made-up-${n}` };
      statuses.push((await at('198.51.100.7').signUp(`eve${n}@example.com`, more)).status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.at(-1)).toBe(429);
  });
});
