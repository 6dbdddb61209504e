import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase, openPool } from '../../../platform/db/database.ts';
import { createServer } from '../../../platform/http/server.ts';
import { readConfig } from '../../../platform/config/config.ts';
import { createSecretBox } from '../../../platform/crypto/secret-box.ts';
import { createIdentity } from './identity.ts';
import { createPasswordHasher } from './password-hash.ts';
import {
  Browser,
  CHEAP_PASSWORDS,
  PASSWORD,
  startIdentity,
  type TestIdentity,
} from '../../../../test/support/auth/identity.ts';

let server: TestIdentity;
beforeAll(async () => {
  server = await startIdentity({ SIGN_UP: 'open' });
});
afterAll(() => server.stop());
beforeEach(async () => {
  await sql`delete from users`.execute(server.database.db);
  await sql`delete from auth_attempts`.execute(server.database.db);
});

const WRITES: [path: string, body: object | undefined][] = [
  ['/sign-up/email', { name: 'Eve', email: 'eve@example.com', password: PASSWORD }],
  ['/sign-in/email', { email: 'ada@example.com', password: PASSWORD }],
  ['/sign-out', undefined],
  ['/revoke-session', { id: 'ses_01h2xcejqtf2nbrexx3vqjhp41' }],
  ['/revoke-other-sessions', undefined],
  ['/update-user', { name: 'Eve' }],
  ['/request-password-reset', { email: 'ada@example.com' }],
  ['/reset-password', { token: 'x', new_password: 'a new password' }],
  ['/change-password', { current_password: PASSWORD, new_password: 'a new password' }],
];

describe('who may call from where', () => {
  test.each(WRITES)('%s from a foreign page is refused, and nothing changes', async (path, body) => {
    const ada = new Browser(server.base);
    await ada.signUp('ada@example.com');
    const port = new URL(server.base).port;
    const origins: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1.evil.example:${port}` },
      { origin: `http://localhost:${port}` }, // another name for the same machine is another origin
      { origin: `https://127.0.0.1:${port}` },
      { origin: 'http://127.0.0.1:1' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      {}, // a cookie without a header that names the call's origin
    ];
    for (const headers of origins) {
      const foreign = new Browser(server.base, { cookie: ada.cookie, ...headers });
      delete foreign.headers.origin;
      Object.assign(foreign.headers, headers);
      const answer = await foreign.post(path, body);
      expect([answer.status, answer.body.code]).toEqual([403, 'origin_not_allowed']);
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
    }
    expect((await ada.get('/get-session')).body.user.name).toBe('Ada');
    expect(server.outbox).toEqual([]);
    expect(await server.database.db.selectFrom('users').select('id').execute()).toHaveLength(1);
  });

  test('our own page may, and a program without cookies', async () => {
    const body = { name: 'Ada', email: 'ada@example.com', password: PASSWORD };
    const program = new Browser(server.base);
    delete program.headers.origin;
    expect(await program.post('/sign-up/email', body)).toHaveStatus(200);
    expect(await program.post('/sign-out')).toHaveStatus(403); // now it has a cookie
    program.headers['sec-fetch-site'] = 'same-origin';
    expect(await program.post('/sign-out')).toHaveStatus(200);
    const local = new Browser(server.base.replace('127.0.0.1', 'localhost'));
    expect(await local.signIn('ada@example.com')).toHaveStatus(200);
  });

  test('with BASE_URL, its origin alone', async () => {
    const BASE_URL = 'http://localhost:4000';
    const set = await startIdentity({ BASE_URL }, { on: server });
    const base = set.base.replace('127.0.0.1', 'localhost');
    expect(await new Browser(base, { origin: BASE_URL }).signIn('a@example.com')).toHaveStatus(401);
    expect((await new Browser(base).signIn('a@example.com')).body.code).toBe('origin_not_allowed');
    await set.stop();
  });

  test('no answer lets another page read it', async () => {
    const { headers } = await new Browser(server.base, { origin: 'https://evil.example' }).get(
      '/get-session',
    );
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('what there is', () => {
  test.each([
    'ok',
    'error',
    'sign-in/social',
    'callback/github',
    'delete-user',
    'change-email',
    'verify-email',
    'send-verification-email',
    'link-social',
    'unlink-account',
    'list-accounts',
    'get-access-token',
    'refresh-token',
    'account-info',
    'revoke-sessions',
    'update-session',
    'verify-password',
    'set-password',
    'reset-password/some-token?callbackURL=https://evil.example',
    'sign-up',
    '',
  ])('%s is not', async (path) => {
    for (const method of ['GET', 'POST']) {
      const answer = await new Browser(server.base).send(`/${path}`, { method });
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
  });

  test('another method is answered with the one there is', async () => {
    const browser = new Browser(server.base);
    for (const [path] of WRITES)
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await browser.send(path, { method });
        expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
      }
    const answer = await browser.send('/get-session', { method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('bodies are JSON of at most 64 KiB', async () => {
    const browser = new Browser(server.base);
    const send = async (body: string, type: string) =>
      (await browser.send('/sign-in/email', { method: 'POST', body, headers: { 'content-type': type } })).body
        .code;
    expect(await send('email=a%40example.com&password=x', 'application/x-www-form-urlencoded')).toBe(
      'unsupported_media_type',
    );
    expect(await send('{}', 'text/plain')).toBe('unsupported_media_type');
    expect(await send('{"email"', 'application/json')).toBe('invalid_json');
    const large = await browser.send('/sign-in/email', {
      method: 'POST',
      body: JSON.stringify({ email: 'x'.repeat(65_536) }),
      headers: { 'content-type': 'application/json' },
    });
    expect([large.body.code, large.body.detail]).toEqual([
      'payload_too_large',
      'The body must have at most 65536 bytes.',
    ]);
    expect(await send('[]', 'application/json')).toBe('invalid_request');
    expect(await send('{}', 'application/json')).toBe('invalid_request');
    expect((await browser.send('/sign-in/email', { method: 'POST' })).body.code).toBe('invalid_request');
  });

  test('all faults are told at once, with the field that was meant', async () => {
    const { body } = await new Browser(server.base).post('/sign-up/email', {
      nmae: 'Ada',
      email: 'x',
      password: 1,
    });
    expect(body.errors).toEqual(
      expect.arrayContaining([
        { pointer: '/nmae', code: 'unknown_field', detail: 'did you mean name?' },
        expect.objectContaining({ pointer: '/name', code: 'required' }),
        expect.objectContaining({ pointer: '/email', code: 'invalid_email' }),
        expect.objectContaining({ pointer: '/password', code: 'invalid_type' }),
      ]),
    );
  });

  test('no call leaves this machine', async () => {
    const original = globalThis.fetch;
    const asked: string[] = [];
    globalThis.fetch = (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      if (!url.startsWith(server.base)) asked.push(url);
      return original(input, init);
    };
    try {
      const browser = new Browser(server.base);
      await browser.signUp('ada@example.com');
      await browser.signIn('ada@example.com');
      await browser.get('/get-session');
    } finally {
      globalThis.fetch = original;
    }
    expect(asked).toEqual([]);
  });
});

test('while the database is away the answer is 503, never "signed out" or "success"', async () => {
  const config = readConfig({ PORT: '0' });
  const logged: object[] = [];
  const log = { info() {}, warn() {}, error: (details: object) => void logged.push(details) };
  const pool = openPool({ host: '127.0.0.1', port: 1, user: 'x', database: 'x' }, () => {});
  const app = createServer(config, server.app.log);
  const secrets = createSecretBox('a secret for tests, 32 characters long');
  createIdentity({
    config,
    db: openDatabase(pool),
    secrets,
    hasher: createPasswordHasher({ cost: CHEAP_PASSWORDS }),
    mail: { enabled: true, sendLater: async () => {} },
    log,
  }).register(app);
  const base = await app.listen({ host: '127.0.0.1', port: 0 });
  const signedIn = new Browser(server.base);
  await signedIn.signUp('ada@example.com');
  const browser = new Browser(base);
  for (const [name, value] of signedIn.cookies) browser.cookies.set(name, value);
  for (const path of ['/status', '/get-session', '/list-sessions'])
    expect((await browser.get(path)).status, path).toBe(503);
  for (const [path, body] of WRITES) {
    const answer = await browser.post(path, body);
    expect([answer.status, answer.body.code], path).toEqual([503, 'unavailable']);
    expect(answer.headers.getSetCookie()).toEqual([]);
  }
  await app.close();
  await pool.end();
});
