import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FAIRLEAD } from '../../../test/support/product.ts';
import { Browser, PASSWORD, startIdentity, type TestIdentity } from '../../../test/support/auth/identity.ts';
import { openDatabase, openPool } from '../../platform/db/database.ts';
import { startEmbedded } from '../../platform/embedded-postgres/embedded.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { runAdmin } from './run.ts';
import { testServerUrl } from '../../../test/support/db.ts';
import { said } from '../../../test/support/admin.ts';

const SECRET = 'a secret for tests, 32 characters long';
const quiet = { info() {}, warn() {}, error() {} };
let server: TestIdentity;

beforeAll(async () => {
  server = await startIdentity({ SIGN_UP: 'open' });
});
afterAll(() => server.stop());
beforeEach(async () => {
  for (const table of ['users', 'verifications', 'auth_attempts'])
    await sql`delete from ${sql.table(table)}`.execute(server.database.db);
  server.outbox.length = 0;
});

function admin(args: string[], env: Record<string, string> = {}, input = '') {
  const settings = Object.keys(env).length
    ? env
    : { DATABASE_URL: testServerUrl(server.database.name), FAIRLEAD_SECRET: SECRET };
  return said((terminal) => runAdmin(args, settings, terminal), input);
}

const epoch = async () => (await server.database.db.selectFrom('auth_epoch').selectAll().execute())[0]!.epoch;

async function ada(): Promise<Browser> {
  const browser = new Browser(server.base);
  expect(await browser.signUp('ada@example.com')).toHaveStatus(200);
  return browser;
}

describe('list-users', () => {
  test('shows everybody, and no secret', async () => {
    expect((await admin(['list-users'])).out).toBe('No users yet.');
    await ada();
    await new Browser(server.base).signUp('bob@example.com');
    const { code, out } = await admin(['list-users']);
    expect(code).toBe(0);
    const [head, ...rows] = out.split('\n');
    expect(head).toMatch(/^EMAIL +NAME +ID +WORKSPACES +SIGNED UP +SIGNED IN +STATE$/);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(
      /^ada@example\.com +Ada +usr_\w{26} +0 +\d{4}-\d\d-\d\d +\d{4}-\d\d-\d\d +active$/,
    );
    expect(out).not.toContain('argon2');
  });
});

describe('reset-password', () => {
  test('shows a new password once, ends all sessions and reset links, raises the epoch', async () => {
    const browser = await ada();
    await browser.post('/request-password-reset', { email: 'ada@example.com' });
    const before = await epoch();
    const { code, out } = await admin(['reset-password', 'ADA@example.com']);
    expect(code).toBe(0);
    const password = /shown only once\): ([a-z2-9]{5}(?:-[a-z2-9]{5}){3})$/.exec(out)![1]!;
    expect(await epoch()).toBeGreaterThan(before);
    expect((await browser.get('/get-session')).body.user).toBeNull();
    expect(await new Browser(server.base).signIn('ada@example.com')).toHaveStatus(401);
    expect(await new Browser(server.base).signIn('ada@example.com', password)).toHaveStatus(200);
    const token = /token=([\w-]+)/.exec(server.outbox[0]!.text)![1];
    expect((await browser.post('/reset-password', { token, new_password: 'something else' })).status).toBe(
      410,
    );
    expect((await admin(['reset-password', 'ada@example.com'])).out).not.toContain(password);
  });

  test('takes a password from standard input, and does not show it', async () => {
    await ada();
    const { code, out } = await admin(
      ['reset-password', 'ada@example.com', '--password-stdin'],
      {},
      'chosen by me\n',
    );
    expect([code, out]).toEqual([0, 'ada@example.com has a new password. All sessions have ended.']);
    expect(await new Browser(server.base).signIn('ada@example.com', 'chosen by me')).toHaveStatus(200);
    const short = await admin(['reset-password', 'ada@example.com', '--password-stdin'], {}, 'short\n');
    expect([short.code, short.error]).toEqual([1, 'The password must have 8 to 128 characters.']);
    const weak = await admin(['reset-password', 'ada@example.com', '--password-stdin'], {}, 'password1\n');
    expect([weak.code, weak.error]).toEqual([1, 'The password is too easy to guess.']);
    expect(await new Browser(server.base).signIn('ada@example.com', 'chosen by me')).toHaveStatus(200);
  });

  test('gives a password to a user who has none', async () => {
    await ada();
    await sql`delete from accounts`.execute(server.database.db);
    expect(await new Browser(server.base).signIn('ada@example.com')).toHaveStatus(401);
    const given = await admin(['reset-password', 'ada@example.com', '--password-stdin'], {}, PASSWORD);
    expect(given.code).toBe(0);
    expect(await new Browser(server.base).signIn('ada@example.com')).toHaveStatus(200);
  });
});

test('disable-user and enable-user', async () => {
  const browser = await ada();
  const before = await epoch();
  expect((await admin(['disable-user', 'ada@example.com'])).code).toBe(0);
  expect(await epoch()).toBeGreaterThan(before);
  expect((await browser.get('/get-session')).body.user).toBeNull();
  expect((await new Browser(server.base).signIn('ada@example.com')).body.code).toBe('user_disabled');
  expect((await admin(['list-users'])).out).toMatch(/disabled$/);
  expect((await admin(['reset-password', 'ada@example.com'])).out).toContain("is disabled and can't sign in");
  await admin(['reset-password', 'ada@example.com', '--password-stdin'], {}, PASSWORD);
  expect((await admin(['enable-user', 'ada@example.com'])).code).toBe(0);
  expect(await new Browser(server.base).signIn('ada@example.com')).toHaveStatus(200);
});

describe('what goes wrong is one line', () => {
  test.each([
    [['reset-password'], 'Specify the email address of the user: fairlead admin <command> EMAIL'],
    [['reset-password', 'nobody@example.com'], 'There is no user with the email address nobody@example.com.'],
    [['reset-password', 'a@example.com', 'b'], 'Too much: b. See fairlead admin --help'],
    [['list-users', 'x'], 'Too much: x. See fairlead admin --help'],
    [
      ['make-owner', 'a@example.com'],
      'Specify the user and the workspace: fairlead admin make-owner EMAIL WORKSPACE',
    ],
    [
      ['make-owner', 'nobody@example.com', 'acme'],
      'There is no user with the email address nobody@example.com.',
    ],
    [
      ['list-users', '--password-stdin'],
      'list-users does not support --password-stdin. See fairlead admin --help',
    ],
    [['enable-user', '\u001b[2Jx'], 'There is no user with the email address \\u{1b}[2Jx.'],
    [['toString'], 'There is no command toString. See fairlead admin --help'],
    [['list-users', '--all'], "Unknown option '--all'. See fairlead admin --help"],
  ])('%s', async (args, message) => {
    const { code, out, error } = await admin(args);
    expect([code, out, error]).toEqual([1, '', message]);
  });

  test('settings, a server that is away, a database without a schema, a folder without a database', async () => {
    const FAIRLEAD_SECRET = SECRET;
    expect((await admin(['list-users'], { PORT: 'x' })).error).toContain('PORT is "x"');
    const away = await admin(['list-users'], { DATABASE_URL: 'postgres://x@127.0.0.1:1/x', FAIRLEAD_SECRET });
    expect([away.code, away.error]).toEqual([1, 'connect ECONNREFUSED 127.0.0.1:1']);
    const empty = await admin(['list-users'], { DATABASE_URL: testServerUrl('postgres'), FAIRLEAD_SECRET });
    expect(empty.error).toBe('There are no users, because the server was never started on this database.');
    const folder = join(tmpdir(), 'fairlead-there-is-nothing-here');
    const none = await admin(['list-users'], { DATA_DIR: folder });
    expect(none.error).toContain(`There is no database in ${folder}`);
  });

  test('--help tells the commands, as does no command', async () => {
    const help = await admin(['--help']);
    expect(help.code).toBe(0);
    for (const command of [
      'list-users',
      'list-workspaces',
      'list-keys EMAIL',
      'reset-password EMAIL',
      'disable-user EMAIL',
      'enable-user EMAIL',
      'make-owner EMAIL WORKSPACE',
    ])
      expect(help.out).toContain(command);
    expect(await admin([])).toMatchObject({ code: 1, out: help.out });
  });
});

test('the embedded database: while its server runs, and while it does not', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-admin-'));
  await chmod(dataDir, 0o755); // as root, PostgreSQL runs as `nobody`, who needs access
  try {
    const embedded = await startEmbedded({ dataDir, log: quiet });
    const pool = openPool({ ...embedded.connection, max: 2 }, () => {});
    const db = openDatabase(pool);
    await migrate(db);
    await db
      .insertInto('users')
      .values({ id: crypto.randomUUID(), name: 'Ada', email: 'ada@example.com' })
      .execute();

    const running = await admin(['list-users'], { DATA_DIR: dataDir });
    expect([running.code, running.error]).toEqual([0, '']);
    expect(running.out).toContain('ada@example.com');
    expect((await db.selectFrom('users').select('id').execute()).length).toBe(1); // it was left running
    await pool.end();
    await embedded.stop();

    const run = promisify(execFile);
    const stopped = await run(FAIRLEAD, ['admin', 'reset-password', 'ada@example.com'], {
      env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
    });
    expect(stopped.stdout).toContain('Password (shown only once): ');
    expect(stopped.stderr).toBe('');

    const again = await startEmbedded({ dataDir, log: quiet }); // nothing was left behind
    await again.stop();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
