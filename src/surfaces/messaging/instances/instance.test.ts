import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSecretBox } from '../../../platform/crypto/secret-box.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import {
  startTestApp,
  startWorkspace,
  TEST_SECRET,
  type TestApp,
} from '../../../../test/support/test-app.ts';
import { notBusy } from '../../../../test/support/not-busy.ts';
import { getEvents, makeKey } from '../../../../test/support/workspaces.ts';
import { openCredentials } from './instance-secrets.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let stranger: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  stranger = await startWorkspace(app);
});
afterAll(() => app.stop());

const PASSWORD = 'hunter2-and-some-more';
/** A public address; nothing here connects to it. */
const HOST = '8.8.8.8';
let made = 0;

const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });
const mailSettings = (host = HOST) => ({
  address: `support-${++made}@example.com`,
  imap: { host, port: 993, security: 'tls' },
  smtp: { host: HOST, port: 465, security: 'tls' },
});
const mail = (changes: object = {}) => ({
  name: 'Mail',
  channel: 'email',
  settings: mailSettings(),
  credentials: { user: 'support', password: PASSWORD },
  ...changes,
});
const sandbox = (changes: object = {}) => ({ name: `Box ${++made}`, channel: 'sandbox', ...changes });
async function create(body: object) {
  const answer = await call('/instances', body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}
const eventsAbout = async (id: string) =>
  (await getEvents(app, toUuid('workspace', home.workspace)!)).filter(
    ({ data }) => (data as { object: { id?: string } }).object.id === id,
  );

describe('create', () => {
  test('creates an instance that is not connected yet, with an event', async () => {
    const body = { ...sandbox({ name: ' Front desk ' }), metadata: { team: 'support' } };
    const { status, body: instance, headers } = await call('/instances', body);
    expect([status, headers.get('etag')]).toEqual([201, '"1"']);
    expect(instance).toMatchObject({
      object: 'instance',
      name: 'Front desk',
      channel: 'sandbox',
      address: 'front-desk',
      desired_state: 'disconnected',
      state: 'created',
      state_reason: null,
      restriction: null,
      settings: {},
      queue: { length: 0, oldest_at: null },
      queue_ttl_seconds: 86_400,
      resend_unknown: false,
      connected_at: null,
      last_error: null,
      metadata: { team: 'support' },
      created_by: home.keyId,
    });
    expect(instance.capabilities.types.text.max_text).toBeGreaterThan(0);
    expect((await call(`/instances/${instance.id}`)).body).toEqual(instance);
    const events = await eventsAbout(instance.id);
    expect(events).toMatchObject([{ type: 'instance.created', data: { object: instance } }]);
  });

  test('reports all errors of settings and credentials at once, with their pointers', async () => {
    const { status, body } = await call('/instances', {
      name: 'Mail',
      channel: 'email',
      settings: { ...mailSettings(), imap: { host: 7, port: 0, security: 'tls' }, colour: 'red' },
      credentials: { user: 'support', pasword: PASSWORD },
    });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    const faults = body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]);
    expect(faults).toEqual(
      expect.arrayContaining([
        ['/settings/imap/host', 'invalid_type'],
        ['/settings/imap/port', 'out_of_range'],
        ['/settings/colour', 'unknown_field'],
        ['/credentials/password', 'required'],
        ['/credentials/pasword', 'unknown_field'],
      ]),
    );
    expect(faults).toHaveLength(5);
    expect(JSON.stringify(body)).not.toContain(PASSWORD);
    const none = await call('/instances', { name: 'Mail', channel: 'email' });
    expect(none.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
      expect.arrayContaining(['/settings/imap', '/credentials/password']),
    );
  });

  test('knows its channels', async () => {
    const { status, body } = await call('/instances', { name: 'x', channel: 'sandbx' });
    expect([status, body.errors]).toEqual([
      400,
      [{ pointer: '/channel', code: 'unknown_channel', detail: 'did you mean sandbox?' }],
    ]);
  });

  test('connects to no host of its own network', async () => {
    for (const host of ['127.0.0.1', '10.0.0.7', '169.254.169.254', '::1', 'localhost']) {
      const { status, body } = await call('/instances', mail({ settings: mailSettings(host) }));
      expect([host, status, body.code]).toEqual([host, 422, 'address_not_allowed']);
      expect(body.errors[0].pointer).toBe('/settings/imap/host');
      expect(body.detail).toContain('EGRESS_ALLOW');
    }
  });

  test('rejects a name that is not a valid address if it is used as the address', async () => {
    const { status, body } = await call('/instances', sandbox({ name: '!!!' }));
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'unprocessable', '/name']);
  });

  test('one account is one instance of a workspace', async () => {
    const first = await create(sandbox());
    const again = await call('/instances', sandbox({ name: first.name.toUpperCase() }));
    expect([again.status, again.body.code]).toEqual([409, 'conflict']);
    expect(again.body.detail).toContain(`already has the account "${first.address}"`);
    expect(again.body.detail).toContain('GET /instances?channel=sandbox');
    const body = sandbox({ name: first.name });
    expect(await app.call('/instances', { key: stranger.key, body })).toHaveStatus(201);
    const other = await create(sandbox());
    const moved = await call(`/instances/${other.id}`, { name: first.name }, 'PATCH');
    expect([moved.status, moved.body.code]).toEqual([409, 'conflict']);
    expect(moved.body.detail).toBe(again.body.detail);
    expect((await call(`/instances/${other.id}`)).body.name).toBe(other.name);
  });

  test('enforces the quota, also for concurrent requests', async () => {
    const bounded = await startTestApp({ WORKSPACE_LIMITS: 'instances=2' }, app);
    try {
      const own = await startWorkspace(app);
      const answers = await Promise.all(
        Array.from({ length: 5 }, () =>
          notBusy(() => bounded.call('/instances', { key: own.key, body: sandbox() })),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403]);
      const usage = (await bounded.call('/usage', { key: own.key })).body;
      expect(JSON.stringify(usage)).toContain('"instances"');
    } finally {
      await bounded.stop();
    }
  });
});

describe('credentials', () => {
  test('appear in no response, event, list, log, replay or row', async () => {
    const headers = { 'idempotency-key': 'with a secret' };
    const body = mail();
    const first = await call('/instances', body, 'POST', headers);
    const replay = await call('/instances', body, 'POST', headers);
    expect([first.status, replay.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    const { id } = first.body;
    const changed = await call(
      `/instances/${id}`,
      { credentials: { user: 'x', password: PASSWORD } },
      'PATCH',
    );
    expect(changed).toHaveStatus(200);
    const told = [
      first.body,
      replay.body,
      changed.body,
      (await call(`/instances/${id}`)).body,
      (await call('/instances')).body,
      (await home.owner.call('/audit-log', { workspace: home.workspace })).body,
      await getEvents(app, toUuid('workspace', home.workspace)!),
      app.logged,
    ];
    expect(JSON.stringify(told)).not.toContain(PASSWORD);
    expect(JSON.stringify(told)).not.toContain('credentials_sealed');

    const { rows } = await app.database.pool.query('select * from instances where id = $1', [
      toUuid('instance', id),
    ]);
    expect(JSON.stringify(rows)).not.toContain(PASSWORD);
    const box = createSecretBox(TEST_SECRET);
    expect(openCredentials(box, rows[0])).toEqual({ user: 'x', password: PASSWORD });
    expect(() => openCredentials(box, { ...rows[0], id: toUuid('workspace', home.workspace) })).toThrow(
      /authenticate/,
    );
  });

  test('are required again if they would be sent to another host', async () => {
    const { id, settings } = await create(mail());
    const moved = { ...settings, imap: { ...settings.imap, host: '1.1.1.1' } };
    const refused = await call(`/instances/${id}`, { settings: moved }, 'PATCH');
    expect([refused.status, refused.body.code]).toEqual([422, 'unprocessable']);
    expect(refused.body.errors).toMatchObject([{ pointer: '/credentials', code: 'required' }]);
    expect((await call(`/instances/${id}`)).body.settings).toEqual(settings);

    const kept = await call(`/instances/${id}`, { settings: { ...settings, display_name: 'Us' } }, 'PATCH');
    expect([kept.status, kept.body.settings.display_name]).toEqual([200, 'Us']);
    const credentials = { user: 'support', password: 'another' };
    const given = await call(`/instances/${id}`, { settings: moved, credentials }, 'PATCH');
    expect([given.status, given.body.settings.imap.host]).toEqual([200, '1.1.1.1']);
    const inner = { ...moved, smtp: { ...moved.smtp, host: '127.0.0.1' } };
    const egress = await call(`/instances/${id}`, { settings: inner, credentials }, 'PATCH');
    expect([egress.body.code, egress.body.errors[0].pointer]).toEqual([
      'address_not_allowed',
      '/settings/smtp/host',
    ]);
  });
});

describe('change', () => {
  test('keeps omitted fields, checks If-Match, and emits the changes', async () => {
    const before = await create(sandbox({ metadata: { a: '1' } }));
    const path = `/instances/${before.id}`;
    const stale = await call(path, { queue_ttl_seconds: 60 }, 'PATCH', { 'if-match': '"9"' });
    expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed']);
    const change = { queue_ttl_seconds: 60, resend_unknown: true };
    const { status, body, headers } = await call(path, change, 'PATCH', { 'if-match': '"1"' });
    expect([status, headers.get('etag')]).toEqual([200, expect.stringMatching(/^"2-/)]);
    expect(body).toEqual({ ...before, ...change, updated_at: body.updated_at });
    const empty = await call(path, {}, 'PATCH');
    expect([empty.headers.get('etag'), empty.body]).toEqual([headers.get('etag'), body]);
    expect((await eventsAbout(before.id)).at(-1)).toMatchObject({
      type: 'instance.updated',
      data: { object: body, previous_attributes: { queue_ttl_seconds: 86_400, resend_unknown: false } },
    });
    const wrong = await call(path, { channel: 'email', queue_ttl_seconds: 1 }, 'PATCH');
    expect(wrong.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
      '/channel',
      '/queue_ttl_seconds',
    ]);
  });

  test('the sandbox is called by its name', async () => {
    const { id } = await create(sandbox());
    const { body } = await call(`/instances/${id}`, { name: 'Señor Ünïque' }, 'PATCH');
    expect(body.name).toBe('Señor Ünïque');
    expect(body.address).not.toContain('box');
  });
});

describe('list', () => {
  test('by page, channel and state, and only its own', async () => {
    const own = await startWorkspace(app);
    const names = ['a', 'b', 'c'];
    for (const name of names) await app.call('/instances', { key: own.key, body: sandbox({ name }) });
    const list = async (query: string) => (await app.call(`/instances?${query}`, { key: own.key })).body;
    const first = await list('limit=2');
    expect(first.data.map(({ name }: { name: string }) => name)).toEqual(['c', 'b']);
    const second = await list(`limit=2&cursor=${first.next_cursor}`);
    expect([second.data[0].name, second.has_more]).toEqual(['a', false]);
    expect((await list('channel=email')).data).toEqual([]);
    expect((await list('channel=sandbox&state=created')).data).toHaveLength(3);
    expect((await list('state=connected')).data).toEqual([]);
    expect((await list('channel=sandbox&state=failed,created')).data).toHaveLength(3);
    expect((await list('state=failed,odd')).errors[0].pointer).toBe('?state');
    expect((await list('state=odd')).errors[0].pointer).toBe('?state');
  });
});

describe('permissions', () => {
  test('scopes and workspaces are kept apart', async () => {
    const { id } = await create(sandbox());
    const reader = await makeKey(home, { scopes: ['instances:read'] });
    const other = await makeKey(home, { scopes: ['messages:write', 'messages:read'] });
    const calls: [string, string, unknown, string][] = [
      ['POST', '/instances', sandbox(), 'instances:write'],
      ['PATCH', `/instances/${id}`, { name: 'x' }, 'instances:write'],
      ['DELETE', `/instances/${id}`, undefined, 'instances:write'],
      ['GET', `/instances/${id}/pairing`, undefined, 'instances:write'],
      ['POST', '/channels/sandbox/check', {}, 'instances:write'],
      ...['connect', 'disconnect', 'restart', 'logout'].map(
        (desiredState): [string, string, unknown, string] => [
          'POST',
          `/instances/${id}/${desiredState}`,
          undefined,
          'instances:write',
        ],
      ),
    ];
    for (const [method, path, body, scope] of calls) {
      const refused = await app.call(path, { method, body, key: reader });
      expect([path, refused.status, refused.body.code]).toEqual([path, 403, 'insufficient_scope']);
      expect(refused.body.detail).toContain(scope);
      expect(await app.call(path, { method, body })).toHaveStatus(401);
      if (path.includes(id))
        expect([path, (await app.call(path, { method, body, key: stranger.key })).status]).toEqual([
          path,
          404,
        ]);
    }
    for (const path of ['/instances', `/instances/${id}`, '/channels', '/channels/email']) {
      expect(await app.call(path, { key: reader })).toHaveStatus(200);
      expect(await app.call(path, { key: other })).toHaveStatus(403);
    }
    expect(await app.call(`/instances/${id}`, { key: stranger.key })).toHaveStatus(404);
    expect(await call(`/instances/${home.workspace}`)).toHaveStatus(404);
  });
});
