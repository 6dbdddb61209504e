/** An installation of the first version, with what its people made there, is upgraded by the start of this one. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { appliedMigrations, knownMigrations, migrate } from '../../src/platform/db/migrate.ts';
import { createTestDatabase, type TestDatabase, getUrl } from '../support/db.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { getCookie } from '../support/account.ts';
import { loadFirstSchema } from '../support/first-schema.ts';
import { FAIRLEAD, type Product, startProduct } from '../support/product.ts';
import { toRows } from '../support/rows-of.ts';

/** Two starts of whole servers, and a restore. */
const PATIENT = { timeout: 240_000 };
const WAIT = { timeout: 120_000, interval: 50 };
let database: TestDatabase;
let product: Product | undefined;

afterEach(async () => {
  await product?.stop();
  product = undefined;
  await database?.drop();
});

/** Calls the running server. @returns status and body */
async function call(path: string, { key, cookie, workspace, body, headers, method }: Call = {}) {
  const answer = await fetch(`${product!.base}${path}`, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: {
      origin: product!.base,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(cookie ? { cookie } : {}),
      ...(workspace ? { 'fairlead-workspace': workspace } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
  const json: any = text ? JSON.parse(text) : null;
  return { status: answer.status, headers: answer.headers, body: json };
}

interface Call {
  key?: string;
  cookie?: string;
  workspace?: string;
  body?: object;
  headers?: Record<string, string>;
  method?: string;
}

/** Everything is kept but sessions, which an inspector of an earlier release may have recorded. */
async function expectKept(
  { connection }: TestDatabase,
  before: Awaited<ReturnType<typeof toRows>>,
): Promise<void> {
  const after = await toRows(connection, before);
  expect(after.get('sessions')).toMatchObject({ rows: 0 });
  for (const name of ['sessions', 'auth_epoch']) after.set(name, before.get(name)!);
  expect(after).toEqual(before);
}

describe('the oldest schema, with data', () => {
  test('holds all that it held once it is migrated', PATIENT, async () => {
    database = await createTestDatabase('template0');
    await loadFirstSchema(database.connection);
    const before = await toRows(database.connection);
    expect(before.get('events')!.rows).toBe(51);
    expect([...before.values()].filter(({ rows }) => rows > 0).length).toBeGreaterThan(15);
    const known = await knownMigrations();
    expect(await migrate(database.db)).toEqual(known.slice(known.indexOf('0007_webhooks')));
    await expectKept(database, before);
  });

  test('is upgraded by a start, after a backup, and everything goes on', PATIENT, async () => {
    await using folder = await temporaryFolder();
    database = await createTestDatabase('template0');
    const known = await loadFirstSchema(database.connection);
    const before = await toRows(database.connection);
    const start = () =>
      startProduct({
        dataDir: folder.path,
        env: {
          DATABASE_URL: getUrl(database.connection),
          FAIRLEAD_SECRET: known.secret,
          SIGN_UP: 'open',
          EGRESS_ALLOW: '127.0.0.1',
        },
      });
    product = await start();
    expect(await appliedMigrations(database.db)).toEqual(await knownMigrations());
    expect(await readdir(`${folder.path}/backups`)).toEqual([
      expect.stringMatching(/^before-0007_webhooks-\d{8}T\d{9}Z\.fairlead$/),
    ]);

    // Keys
    const { full, writer, reader, revoked, rotated, rotated_old: overlapping, other } = known.keys;
    for (const key of [full, reader, writer, rotated, overlapping])
      expect(await call('/api/v1/events?limit=1', { key })).toHaveStatus(200);
    expect(await call('/api/v1/events', { key: revoked })).toHaveStatus(401);
    const strangers = await call('/api/v1/events', { key: other });
    expect(strangers.body.data.map(({ sequence }: { sequence: number }) => sequence)).toEqual([3, 2, 1]);

    // People: sessions end with the upgrade, passwords stay.
    const signedOut = await call(`/api/v1/workspaces/${known.acme.id}`, {
      cookie: known.cookie,
      workspace: known.acme.id,
    });
    expect(signedOut).toHaveStatus(401);
    expect(signedOut.headers.getSetCookie()).toEqual([
      'fairlead.session_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    ]);
    const signIn = async (email: string) => {
      const answer = await call('/api/auth/sign-in/email', { body: { email, password: known.password } });
      expect(answer).toHaveStatus(200);
      return { cookie: getCookie(answer.headers), workspace: known.acme.id };
    };
    const [ada, bob] = [await signIn('ada@example.com'), await signIn('bob@example.com')];
    const workspace = await call(`/api/v1/workspaces/${known.acme.id}`, ada);
    expect(workspace.body).toMatchObject(known.acme);
    const members = await call('/api/v1/members', bob);
    const roles = members.body.data.map((member: { email: string; role: string }) => [
      member.email,
      member.role,
    ]);
    expect(Object.fromEntries(roles)).toEqual({
      'ada@example.com': 'owner',
      'bob@example.com': 'developer',
      'carol@example.com': 'admin',
    });
    const wrong = await call('/api/auth/sign-in/email', {
      body: { email: 'bob@example.com', password: 'another password' },
    });
    expect(wrong).toHaveStatus(401);

    // What a call is compared by is another since; one that is repeated is refused rather than made twice.
    const again = await call('/api/v1/api-keys', {
      key: writer,
      body: known.idempotency.body,
      headers: { 'idempotency-key': known.idempotency.key },
    });
    expect([again.status, again.body.code]).toEqual([422, 'idempotency_mismatch']);
    expect(await call(`/api/v1/api-keys/${known.idempotency.id}`, { key: writer })).toHaveStatus(200);

    // The invitation that nobody had accepted.
    const { email, token } = known.invitation;
    const dave = await call('/api/auth/sign-up/email', {
      body: { name: 'Dave', email, password: known.password },
    });
    const accepted = await call('/api/v1/invitations/accept', {
      cookie: getCookie(dave.headers),
      body: { token },
    });
    expect(accepted.body).toMatchObject({ id: known.acme.id, role: 'admin' });

    // What came later works in a workspace of before: a receiver, an account, a message, a link.
    const made = await call('/api/v1/inspectors', { ...ada, body: {} });
    const webhook = { url: made.body.url, events: ['message.delivered', 'link.created'] };
    const { status, body: receiver } = await call('/api/v1/webhooks', { ...ada, body: webhook });
    expect(status).toBe(201);
    for (const name of ['anna', 'bert']) {
      const { body } = await call('/api/v1/instances', { ...ada, body: { name, channel: 'sandbox' } });
      await call(`/api/v1/instances/${body.id}/connect`, { ...ada, method: 'POST' });
      await vi.waitFor(async () => {
        const { body: now } = await call(`/api/v1/instances/${body.id}`, ada);
        expect(now.state).toBe('connected');
      }, WAIT);
      if (name === 'anna') continue;
      const message = { instance_id: body.id, to: 'anna', type: 'text', text: { body: 'still here' } };
      const sent = await call('/api/v1/messages', { ...ada, body: message });
      expect([sent.status, sent.body]).toEqual([202, expect.objectContaining({ object: 'message' })]);
    }
    const link = await call('/api/v1/links', { ...ada, body: { url: 'https://example.com/', slug: 'kept' } });
    expect(link).toHaveStatus(201);
    await vi.waitFor(async () => {
      const { body } = await call(`/api/v1/webhooks/${receiver.id}/deliveries?status=succeeded`, ada);
      const types = body.data.map((delivery: { event_type: string }) => delivery.event_type);
      expect(new Set(types)).toEqual(new Set(webhook.events));
    }, WAIT);

    // Events go on where they stood, without a hole.
    const events = await call('/api/v1/events?after_sequence=0&limit=100', ada);
    const sequences = events.body.data.map(({ sequence }: { sequence: number }) => sequence);
    expect(sequences.length).toBeGreaterThan(known.last_sequence + 5);
    expect(sequences).toEqual(sequences.map((_: number, at: number) => at + 1));
    const audit = await call('/api/v1/audit-log?limit=100', ada);
    const actions = audit.body.data.map(({ action }: { action: string }) => action);
    expect(actions.at(-1)).toBe('workspaces.create');
    expect(actions[0]).toBe('links.create');

    // The backup is the database as it was before.
    const earlier = await createTestDatabase('template0');
    try {
      const [file = ''] = await readdir(`${folder.path}/backups`);
      const settings = { DATABASE_URL: getUrl(earlier.connection), FAIRLEAD_SECRET: known.secret };
      await promisify(execFile)(FAIRLEAD, ['restore', `${folder.path}/backups/${file}`], {
        env: { PATH: process.env['PATH'], DATA_DIR: `${folder.path}/restored`, ...settings },
      });
      await expectKept(earlier, before);
    } finally {
      await earlier.drop();
    }

    // The next start finds nothing to do.
    await product.stop();
    product = await start();
    expect(product.output()).not.toContain('backing up');
    expect(await readdir(`${folder.path}/backups`)).toHaveLength(1);
  });
});
