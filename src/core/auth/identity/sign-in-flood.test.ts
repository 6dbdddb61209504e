/** One person floods sign-in; others are served after a number of hashes that does not depend on the flood. */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Browser, startIdentity, type TestIdentity } from '../../../../test/support/auth/identity.ts';
import { type HeldHashes, holdHashes } from '../../../../test/support/auth/held-hashes.ts';
import { until } from '../../../../test/support/events/outbox.ts';
import { DEFAULT_BOUNDS } from './attempts.ts';
import { MAX_SESSIONS } from './sessions.system-store.ts';

const FLOOD = 84;
/** Maximum concurrent hashes. */
const AT_ONCE = 1;
/**
 * Of one attacker's hashes: those that run, then one turn of those at known and of those at unknown devices, then one
 * more until it is the other ones' turn again.
 */
const SERVED_AFTER = AT_ONCE + 3;
const VICTIM = 'the password of a victim';
const ATTACKER = 'the password of an attacker';

let server: TestIdentity;
let hashes: HeldHashes;

beforeEach(async () => {
  hashes = holdHashes(async ({ message }) => hash('sha256', message, 'buffer'));
  server = await startIdentity(
    { SIGN_UP: 'open', TRUST_PROXY: '127.0.0.1' },
    {
      hashing: { atOnce: AT_ONCE, derive: hashes.derive },
      bounds: { ...DEFAULT_BOUNDS, open_sign_up: {} },
    },
  );
});
afterEach(() => server.stop());

const at = (ip: string): Browser => new Browser(server.base, { 'x-forwarded-for': ip });
const forget = (table: string) => sql`delete from ${sql.table(table)}`.execute(server.database.db);

/** A browser that signed up with a password of its own and then signed out. */
async function signUp(ip: string, email: string, password: string): Promise<Browser> {
  const browser = at(ip);
  expect(await browser.signUp(email, { password })).toHaveStatus(200);
  await browser.post('/sign-out');
  return browser;
}

/** Devices at one address that are known for an account, which they share or have each for itself. */
async function knownDevices(isShared: boolean): Promise<{ browser: Browser; email: string }[]> {
  const devices = [];
  if (isShared) await signUp('198.51.100.1', 'eve@example.com', ATTACKER);
  for (let n = 0; n < FLOOD; n++) {
    const email = isShared ? 'eve@example.com' : `eve${n}@example.com`;
    const browser = isShared ? at('198.51.100.1') : await signUp('198.51.100.1', email, ATTACKER);
    if (isShared) {
      expect(await browser.signIn(email, ATTACKER)).toHaveStatus(200);
      await browser.post('/sign-out');
    }
    devices.push({ browser, email });
    if (n % 20 === 19) await forget('auth_attempts');
  }
  await forget('auth_attempts');
  return devices;
}

/** Attacks, lets victims sign in, and counts. @returns their statuses and how many hashes of the attacker ran first */
async function attack(
  devices: { browser: Browser; email: string }[],
  victims: Browser[],
): Promise<{ statuses: number[]; before: number[]; flood: number[] }> {
  hashes.hold();
  const computed = server.hashesComputed();
  const flood = devices.map(({ browser, email }) => browser.signIn(email, ATTACKER));
  await until(() => server.hashesComputed() === computed + FLOOD);
  const signIns = [];
  for (const [n, victim] of victims.entries()) {
    signIns.push(victim.signIn(`victim${n}@example.com`, VICTIM));
    await until(() => server.hashesComputed() === computed + FLOOD + n + 1);
  }
  let isOver = false;
  const all = Promise.all([...flood, ...signIns]).finally(() => (isOver = true));
  await until(() => {
    hashes.next();
    return isOver;
  });
  await all;
  const before = hashes.begun.flatMap((password, place) =>
    password === VICTIM ? hashes.begun.slice(0, place).filter((one) => one === ATTACKER).length : [],
  );
  const statuses = await Promise.all(signIns.map(async (answer) => (await answer).status));
  return { statuses, before, flood: await Promise.all(flood.map(async (answer) => (await answer).status)) };
}

test.each([
  ['one account with many devices', true],
  ['many accounts', false],
])('a flood from one address, of %s, delays others by a few hashes each', async (_of, isShared) => {
  const victims = [];
  for (let n = 0; n < 8; n++) victims.push(await signUp(`203.0.113.${n}`, `victim${n}@example.com`, VICTIM));
  await forget('auth_attempts');
  const devices = await knownDevices(isShared);
  // Half of them come from unknown addresses.
  const sent = victims.map((victim, n) => (n % 2 ? victim : at(`192.0.2.${n}`)));
  const { statuses, before, flood } = await attack(devices, sent);
  expect(statuses).toEqual(Array(8).fill(200));
  // Each waits for earlier ones, and for the attacker's turns in between.
  for (const [place, count] of before.entries()) expect(count).toBeLessThanOrEqual(SERVED_AFTER + 2 * place);
  expect(before[0]).toBeLessThanOrEqual(SERVED_AFTER);
  expect(new Set(flood)).toEqual(new Set([200, 503]));
  const signedIn = flood.filter((status) => status === 200).length;
  expect(signedIn).toBeLessThanOrEqual(AT_ONCE + (isShared ? 10 : 60));
});

test('a password is not hashed for a caller who left before their turn', async () => {
  const email = 'ada@example.com';
  await signUp('203.0.113.1', email, VICTIM);
  await forget('auth_attempts');
  hashes.hold();
  const computed = server.hashesComputed();
  const first = at('203.0.113.1').signIn(email, VICTIM);
  await until(() => hashes.begun.length === 1);
  const leaving = new AbortController();
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: ATTACKER }),
    signal: leaving.signal,
  };
  const left = Array.from({ length: 5 }, () =>
    at('203.0.113.1')
      .send('/sign-in/email', request)
      .catch(() => 'left'),
  );
  await until(() => server.hashesComputed() === computed + 6);
  leaving.abort();
  expect(await Promise.all(left)).toEqual(left.map(() => 'left'));
  // They count no longer for the email; their address pays for the look-ups.
  const used = async () => {
    const { rows } = await sql<{ used: number }>`
      select used from auth_attempts order by used desc limit 2
    `.execute(server.database.db);
    return rows.map((row) => row.used).join();
  };
  await until(async () => (await used()) === '6,1');
  const last = at('203.0.113.1').signIn(email, VICTIM);
  let isOver = false;
  const all = Promise.all([first, last]).finally(() => (isOver = true));
  await until(() => {
    hashes.next();
    return isOver;
  });
  expect((await all).map(({ status }) => status)).toEqual([200, 200]);
  expect(hashes.begun.filter((password) => password === ATTACKER)).toEqual([]);
});

test('the newest sessions of a user stay, as many as may be', async () => {
  const browser = await signUp('203.0.113.1', 'ada@example.com', VICTIM);
  const first = at('203.0.113.1');
  await first.signIn('ada@example.com', VICTIM);
  const count = async () => (await server.database.db.selectFrom('sessions').select('id').execute()).length;
  for (let n = 1; n < MAX_SESSIONS; n++) {
    expect(await at('203.0.113.1').signIn('ada@example.com', VICTIM)).toHaveStatus(200);
    if (n % 40 === 0) await forget('auth_attempts');
  }
  expect([await count(), (await first.get('/get-session')).body.user.email]).toEqual([
    MAX_SESSIONS,
    'ada@example.com',
  ]);
  await signUp('203.0.113.2', 'bob@example.com', ATTACKER);
  expect(await browser.signIn('ada@example.com', VICTIM)).toHaveStatus(200);
  expect([await count(), (await first.get('/get-session')).body.user]).toEqual([MAX_SESSIONS, null]);
  expect((await browser.get('/get-session')).body.user.email).toBe('ada@example.com');
});

test('successes are counted per email, those of an email that others try are not', async () => {
  const { max } = DEFAULT_BOUNDS.sign_in.success;
  await signUp('203.0.113.1', 'ada@example.com', VICTIM);
  for (let n = 0; n < 10; n++) await at('198.51.100.1').signIn('ada@example.com', ATTACKER);
  for (let n = 0; n < max; n++)
    expect(await at(`203.0.113.${n}`).signIn('ada@example.com', VICTIM)).toHaveStatus(200);
  const refused = await at('203.0.113.1').signIn('ada@example.com', VICTIM);
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await signUp('203.0.113.1', 'bob@example.com', VICTIM);
  expect(await at('203.0.113.1').signIn('bob@example.com', VICTIM)).toHaveStatus(200);
  await sql`update auth_attempts set window_ends = now()`.execute(server.database.db);
  expect(await at('203.0.113.1').signIn('ada@example.com', VICTIM)).toHaveStatus(200);
});
