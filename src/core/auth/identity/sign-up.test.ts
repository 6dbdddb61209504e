import { hash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../../platform/http/ids.ts';
import {
  Browser,
  PASSWORD,
  startIdentity,
  type TestIdentity,
} from '../../../../test/support/auth/identity.ts';

const started: TestIdentity[] = [];
afterEach(async () => {
  for (const server of started.splice(0).toReversed()) await server.stop();
});

async function start(...args: Parameters<typeof startIdentity>): Promise<TestIdentity> {
  const server = await startIdentity(...args);
  started.push(server);
  return server;
}

/** Settings of a server that others can reach (it listens on loopback all the same). */
const PUBLIC = { HOST: '0.0.0.0', BASE_URL: 'http://localhost:4000' };
const publicBrowser = (server: TestIdentity) =>
  new Browser(server.base.replace('127.0.0.1', 'localhost'), { origin: PUBLIC.BASE_URL });

const tokenIn = (server: TestIdentity): string | undefined =>
  /setup token ([\w-]+)/.exec(server.logged.join('\n'))?.[1];

async function invite(server: TestIdentity, email: string, more: { state?: string; expires?: Date } = {}) {
  const { db } = server.database;
  const [workspace, invitation, token] = [newUuid(), newUuid(), `inv-${newUuid()}`];
  await db.insertInto('workspaces').values({ id: workspace, name: 'W', slug: workspace }).execute();
  await db
    .insertInto('invitations')
    .values({
      workspace_id: workspace,
      id: invitation,
      email,
      role: 'developer',
      state: more.state ?? 'pending',
      expires_at: more.expires ?? new Date(Date.now() + 60_000),
    })
    .execute();
  await db
    .insertInto('invite_tokens')
    .values({ hash: hash('sha256', token, 'buffer'), workspace_id: workspace, invitation_id: invitation })
    .execute();
  return { token, workspace };
}

describe('the first user', () => {
  test('signs up on loopback without a token; then sign-up is by invitation', async () => {
    const server = await start();
    const browser = new Browser(server.base);
    expect((await browser.get('/status')).body).toEqual({
      sign_up: 'first',
      setup_token_required: false,
      mail: true,
    });
    const { status, body } = await browser.signUp('Ada@Example.com', { name: '  Ada Lovelace ' });
    expect(status).toBe(200);
    expect(body).toEqual({
      user: {
        id: expect.stringMatching(/^usr_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
        object: 'user',
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      },
    });
    expect((await browser.get('/get-session')).body.user.email).toBe('ada@example.com');
    expect((await browser.get('/status')).body.sign_up).toBe('invite');
    expect((await new Browser(server.base).signUp('eve@example.com')).body.code).toBe('invitation_required');
  });

  test('needs the setup token where others can reach the server', async () => {
    const server = await start(PUBLIC);
    const browser = publicBrowser(server);
    await server.identity.announceSetupToken();
    const token = tokenIn(server)!;
    expect(token).toMatch(/^[\w-]{24}$/);
    expect((await browser.get('/status')).body).toMatchObject({
      sign_up: 'first',
      setup_token_required: true,
    });

    const without = await browser.signUp('ada@example.com');
    expect([without.status, without.body.code]).toEqual([403, 'setup_token_required']);
    const wrong = await browser.signUp('ada@example.com', { setup_token: `${token}x` });
    expect([wrong.status, wrong.body.code]).toEqual([403, 'setup_token_invalid']);
    expect(await server.database.db.selectFrom('users').select('id').execute()).toEqual([]);

    const stored = await server.database.db
      .selectFrom('first_user_setup')
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(stored.token_hash).toEqual(hash('sha256', token, 'buffer'));

    expect(await browser.signUp('ada@example.com', { setup_token: token })).toHaveStatus(200);
    const after = await server.database.db
      .selectFrom('first_user_setup')
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(after.token_hash).toBeNull();
    expect((await browser.get('/status')).body).toMatchObject({
      sign_up: 'invite',
      setup_token_required: false,
    });
    const again = await publicBrowser(server).signUp('eve@example.com', { setup_token: token });
    expect(again.body.code).toBe('invitation_required');
    server.logged.length = 0;
    await server.identity.announceSetupToken();
    expect(tokenIn(server)).toBeUndefined();
  });

  test('needs it with SIGN_UP=open, too, and no token was ever made unless it was announced', async () => {
    const server = await start({ ...PUBLIC, SIGN_UP: 'open' });
    const { body } = await publicBrowser(server).signUp('ada@example.com', { setup_token: '' });
    expect(body.code).toBe('invalid_request');
    const guess = await publicBrowser(server).signUp('ada@example.com', { setup_token: 'guess' });
    expect(guess.body.code).toBe('setup_token_invalid');
  });

  test('processes that start together show one token; a later start makes a new one', async () => {
    const first = await start(PUBLIC);
    const second = await start(PUBLIC, { on: first });
    await Promise.all([first.identity.announceSetupToken(), second.identity.announceSetupToken()]);
    const tokens = [tokenIn(first), tokenIn(second)].filter((token) => token !== undefined);
    expect(tokens).toHaveLength(1);

    await first.database.db
      .updateTable('first_user_setup')
      .set({ token_made_at: new Date(Date.now() - 11_000) })
      .execute();
    const later = await start(PUBLIC, { on: first });
    await later.identity.announceSetupToken();
    const fresh = tokenIn(later)!;
    expect(fresh).not.toBe(tokens[0]);
    expect((await publicBrowser(later).signUp('a@example.com', { setup_token: tokens[0] })).body.code).toBe(
      'setup_token_invalid',
    );
    // Any process takes it.
    expect(await publicBrowser(second).signUp('a@example.com', { setup_token: fresh })).toHaveStatus(200);
  });

  test('of many that are first at the same instant, over two processes, exactly one wins', async () => {
    const one = await start();
    const two = await start({}, { on: one });
    const attempts = Array.from({ length: 12 }, (_, n) =>
      new Browser([one, two][n % 2]!.base).signUp(`user${n}@example.com`),
    );
    const answers = await Promise.all(attempts);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const losers = answers.filter(({ status }) => status !== 200);
    expect(new Set(losers.map(({ body }) => body.code))).toEqual(new Set(['invitation_required']));
    for (const table of ['users', 'accounts', 'sessions'] as const)
      expect(await one.database.db.selectFrom(table).select('id').execute()).toHaveLength(1);
  });
});

describe('later users', () => {
  test('SIGN_UP=open takes anybody, but each email once, whatever its case', async () => {
    const server = await start({ SIGN_UP: 'open' });
    expect((await new Browser(server.base).get('/status')).body.sign_up).toBe('open');
    expect(await new Browser(server.base).signUp('a@example.com')).toHaveStatus(200);
    expect(await new Browser(server.base).signUp('b@example.com')).toHaveStatus(200);
    const taken = await new Browser(server.base).signUp('A@EXAMPLE.com');
    expect([taken.status, taken.body.code]).toEqual([409, 'email_taken']);
    expect(taken.body.errors[0].pointer).toBe('/email');
    expect(taken.headers.getSetCookie()).toEqual([]);
  });

  test('one email signed up twice at the same instant becomes one user', async () => {
    const server = await start({ SIGN_UP: 'open' });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => new Browser(server.base).signUp('a@example.com')),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
  });

  test('an invitation lets its own address in, case folded, while it is pending', async () => {
    const server = await start();
    await new Browser(server.base).signUp('owner@example.com');
    const refused = async (email: string, invitation_token: string) =>
      (await new Browser(server.base).signUp(email, { invitation_token })).body.code;

    const good = await invite(server, 'Bob@Example.com');
    expect(await refused('eve@example.com', good.token)).toBe('invitation_invalid');
    expect(await refused('bob@example.com', `${good.token}x`)).toBe('invitation_invalid');
    const used = await invite(server, 'bob@example.com', { state: 'accepted' });
    expect(await refused('bob@example.com', used.token)).toBe('invitation_invalid');
    const revoked = await invite(server, 'bob@example.com', { state: 'revoked' });
    expect(await refused('bob@example.com', revoked.token)).toBe('invitation_invalid');
    const expired = await invite(server, 'bob@example.com', { expires: new Date(Date.now() - 1000) });
    expect(await refused('bob@example.com', expired.token)).toBe('invitation_invalid');
    const gone = await invite(server, 'bob@example.com');
    await server.database.db
      .updateTable('workspaces')
      .set({ deleted_at: new Date() })
      .where('id', '=', gone.workspace)
      .execute();
    expect(await refused('bob@example.com', gone.token)).toBe('invitation_invalid');

    const answer = await new Browser(server.base).signUp('bob@EXAMPLE.com', { invitation_token: good.token });
    expect(answer).toHaveStatus(200);
    const invitation = await server.database.db
      .selectFrom('invitations')
      .select('state')
      .where('email', '=', 'Bob@Example.com')
      .executeTakeFirstOrThrow();
    expect(invitation.state).toBe('pending'); // accepting it is a call of its own
  });
});

describe('what is refused', () => {
  let server: TestIdentity;
  beforeAll(async () => {
    server = await startIdentity({}, { passwords: 'real' });
  });
  afterAll(() => server.stop());

  test.each([
    ['no email', { email: 'nobody' }, '/email', 'invalid_email'],
    ['an email with a line in it', { email: 'a@example.com\nb@example.com' }, '/email', 'invalid_email'],
    ['an empty name', { name: '   ' }, '/name', 'invalid_value'],
    ['a name of two lines', { name: 'Ada\r\nBcc: x' }, '/name', 'invalid_value'],
    ['a long name', { name: 'x'.repeat(101) }, '/name', 'too_long'],
    ['a long password', { password: 'x'.repeat(129) }, '/password', 'too_long'],
    ['a field the library knows', { image: 'https://x.example/a.png' }, '/image', 'unknown_field'],
    ['a redirect', { callbackURL: 'https://evil.example' }, '/callbackURL', 'unknown_field'],
    ['a verified email', { emailVerified: true }, '/emailVerified', 'unknown_field'],
  ])('%s', async (_name, more, pointer, code) => {
    const { status, body } = await new Browser(server.base).signUp('a@example.com', more);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors).toEqual([expect.objectContaining({ pointer, code })]);
    expect(await server.database.db.selectFrom('users').select('id').execute()).toEqual([]);
  });

  test('a short password, counted in characters', async () => {
    const short = await new Browser(server.base).signUp('a@example.com', { password: '1234567' });
    expect([short.status, short.body.code]).toEqual([422, 'password_too_short']);
    expect(short.body.errors).toEqual([
      { pointer: '/password', code: 'password_too_short', detail: 'must have at least 8 characters' },
    ]);
    const emoji = await new Browser(server.base).signUp('a@example.com', { password: '😀😀😀😀' });
    expect(emoji.body.code).toBe('password_too_short');
    for (const password of ['        ', 'abcdefg   ', '\u3000abc\u00a0    ']) {
      const { body } = await new Browser(server.base).signUp('a@example.com', { password });
      expect(body.code).toBe('password_too_short');
    }
  });

  test.each([
    ['password1', 'is too easy to guess'],
    ['A@Example.com', 'must not be your name or email address'],
    [' ada  LOVELACE', 'must not be your name or email address'],
  ])('a weak password: %s', async (password, detail) => {
    const { status, body } = await new Browser(server.base).signUp('a@example.com', {
      name: 'Ada Lovelace',
      password,
    });
    expect([status, body.code, body.errors]).toEqual([
      422,
      'password_too_weak',
      [{ pointer: '/password', code: 'password_too_weak', detail }],
    ]);
    expect(await server.database.db.selectFrom('users').select('id').execute()).toEqual([]);
  });

  test('the password is stored as argon2id, and no answer or log line holds it', async () => {
    const answer = await new Browser(server.base).signUp('a@example.com');
    const { password } = await server.database.db
      .selectFrom('accounts')
      .select('password')
      .executeTakeFirstOrThrow();
    expect(password).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$/);
    expect(JSON.stringify(answer.body)).not.toContain(PASSWORD);
    expect(server.logged.join('')).not.toContain(PASSWORD);
  });
});
