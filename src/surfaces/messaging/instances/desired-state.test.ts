/** Tests connecting and its consequences, with the sandbox. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

let made = 0;
const call = (path: string, body?: unknown, method?: string) =>
  app.call(path, { key: home.key, body, method });
const desiredState = (id: string, name: string) => call(`/instances/${id}/${name}`, undefined, 'POST');
const get = async (id: string) => (await call(`/instances/${id}`)).body;

async function create(changes: object = {}): Promise<string> {
  const answer = await call('/instances', { name: `Box ${++made}`, channel: 'sandbox', ...changes });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.id;
}
const untilState = (id: string, state: string) =>
  vi.waitFor(async () => {
    const instance = await get(id);
    expect(instance.state).toBe(state);
    return instance;
  });
async function connected(changes: object = {}): Promise<string> {
  const id = await create(changes);
  await desiredState(id, 'connect');
  await untilState(id, 'connected');
  return id;
}
/** Returns the states reported by events, in order. */
async function getStates(id: string): Promise<string[]> {
  const events = await getEvents(app, toUuid('workspace', home.workspace)!);
  return events
    .filter(({ type, data }) => type === 'instance.state_changed' && data.object.id === id)
    .map(({ data }) => data.object.state);
}

describe('connect', () => {
  test('responds immediately, then connects, with an event for each step', async () => {
    const id = await create();
    const { status, body } = await desiredState(id, 'connect');
    expect([status, body.desired_state, body.state, body.state_reason]).toEqual([
      202,
      'connected',
      'connecting',
      'user',
    ]);
    const instance = await untilState(id, 'connected');
    expect(instance).toMatchObject({ desired_state: 'connected', last_error: null, restriction: null });
    expect(Date.parse(instance.connected_at)).toBeGreaterThan(Date.parse(instance.created_at));
    expect(await getStates(id)).toEqual(['connecting', 'connected']);
    const event = (await getEvents(app, toUuid('workspace', home.workspace)!)).find(
      ({ data }) => data.object.id === id && data.object.state === 'connected',
    );
    expect(event!.data.previous_attributes).toMatchObject({ state: 'connecting' });

    const again = await desiredState(id, 'connect');
    expect([again.status, again.body.state]).toEqual([202, 'connected']);
    expect(await getStates(id)).toEqual(['connecting', 'connected']);
  });

  test('fails if the channel refuses it, and succeeds once the credentials are correct', async () => {
    const id = await create({ credentials: { password: 'wrong' } });
    await desiredState(id, 'connect');
    const failed = await untilState(id, 'failed');
    expect(failed).toMatchObject({
      desired_state: 'connected',
      last_error: { code: 'authentication_failed' },
    });
    const { body } = await call(`/instances/${id}`, { credentials: { password: 'right' } }, 'PATCH');
    expect([body.state, body.state_reason]).toEqual(['connecting', 'changed']);
    await untilState(id, 'connected');
  });
});

describe('disconnect', () => {
  test('takes effect with the response, and permanently', async () => {
    const id = await connected();
    const { status, body } = await desiredState(id, 'disconnect');
    expect([status, body.desired_state, body.state, body.state_reason]).toEqual([
      202,
      'disconnected',
      'disconnected',
      'user',
    ]);
    const uuid = toUuid('instance', id);
    await vi.waitFor(async () => {
      const { rows } = await app.database.pool.query(
        'select node_id from connections where instance_id = $1',
        [uuid],
      );
      expect(rows).toEqual([{ node_id: null }]);
    });
    expect((await get(id)).state).toBe('disconnected');
    expect((await desiredState(id, 'disconnect')).body).toEqual(body);
    await desiredState(id, 'connect');
    await untilState(id, 'connected');
    expect(await getStates(id)).toEqual([
      'connecting',
      'connected',
      'disconnected',
      'connecting',
      'connected',
    ]);
  });

  test('does not change an instance that was never connected', async () => {
    const id = await create();
    const before = await get(id);
    expect((await desiredState(id, 'disconnect')).body).toEqual(before);
    expect(await getStates(id)).toEqual([]);
  });

  test('ends a failed connection', async () => {
    const id = await create({ credentials: { password: 'wrong' } });
    await desiredState(id, 'connect');
    await untilState(id, 'failed');
    const { body } = await desiredState(id, 'disconnect');
    expect([body.desired_state, body.state, body.state_reason]).toEqual([
      'disconnected',
      'disconnected',
      'user',
    ]);
  });
});

test('a restart reopens the connection', async () => {
  const id = await connected();
  const { connected_at: first } = await get(id);
  const { status, body } = await desiredState(id, 'restart');
  expect([status, body.state, body.state_reason]).toEqual([202, 'connecting', 'restarted']);
  const after = await untilState(id, 'connected');
  expect(Date.parse(after.connected_at)).toBeGreaterThan(Date.parse(first));
  const fresh = await create();
  expect((await desiredState(fresh, 'restart')).body.desired_state).toBe('connected');
  await untilState(fresh, 'connected');
});

describe('pairing', () => {
  const pairing = (id: string, query = '', headers: Record<string, string> = {}) =>
    app.call(`/instances/${id}/pairing${query}`, { key: home.key, headers });

  test('is available as JSON, text, PNG and SVG while it is pending', async () => {
    const id = await create({ settings: { pairing: 'qr', pairing_seconds: 0 } });
    const early = await pairing(id);
    expect([early.status, early.body.code]).toEqual([409, 'conflict']);
    await desiredState(id, 'connect');
    const instance = await untilState(id, 'action_required');
    const { status, body, headers } = await pairing(id);
    expect([status, headers.get('cache-control'), headers.get('etag')]).toEqual([200, 'no-store', null]);
    expect(body).toMatchObject({ object: 'pairing', instance_id: id, kind: 'qr' });
    expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now());
    expect(
      JSON.stringify([instance, app.logged, await getEvents(app, toUuid('workspace', home.workspace)!)]),
    ).not.toContain(body.data);
    for (const [format, type] of [
      ['text', 'text/plain; charset=utf-8'],
      ['png', 'image/png'],
      ['svg', 'image/svg+xml'],
    ] as const) {
      const asked = await pairing(id, `?format=${format}`);
      expect([asked.status, asked.headers.get('content-type')]).toEqual([200, type]);
      expect(asked.headers.get('cache-control')).toBe('no-store');
      const accepted = await pairing(id, '', { accept: type.split(';')[0]! });
      expect(accepted.headers.get('content-type')).toBe(type);
      expect(accepted.body).toBe(asked.body);
    }
    expect(await pairing(id, '?format=gif')).toHaveStatus(400);
    expect(await pairing(id, '', { accept: 'image/gif' })).toHaveStatus(406);
    await desiredState(id, 'disconnect');
    expect(await pairing(id)).toHaveStatus(409);
  });

  test('a code has no picture; entering it connects the account, and logging out requires it again', async () => {
    const id = await create({ settings: { pairing: 'code', pairing_seconds: 2 } });
    await desiredState(id, 'connect');
    await vi.waitFor(async () => expect((await pairing(id)).body.kind).toBe('code'));
    expect((await pairing(id, '?format=png')).body.code).toBe('conflict');
    await untilState(id, 'connected');
    await desiredState(id, 'restart');
    await untilState(id, 'connected');
    expect(await getStates(id)).toEqual([
      'connecting',
      'action_required',
      'connecting',
      'connected',
      'connecting',
      'connected',
    ]);
    const { body } = await desiredState(id, 'logout');
    expect([body.state, body.state_reason]).toEqual(['disconnected', 'logged_out']);
    await desiredState(id, 'connect');
    await untilState(id, 'action_required');
  });
});

describe('channels', () => {
  test('list the settings and capabilities of each', async () => {
    const { body } = await call('/channels');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([
      'sandbox',
      'email',
      'telegram',
      'whatsapp',
      'xmpp',
      'http',
      'twilio',
      'sms_gateway',
    ]);
    const email = (await call('/channels/email')).body;
    expect(email).toEqual(body.data[1]);
    expect(email.credentials_schema.properties.password.format).toBe('password');
    expect(email.settings_schema.required).toEqual(expect.arrayContaining(['address', 'imap', 'smtp']));
    expect(email.host_settings).toContain('/imap/host');
    expect(email.capabilities.types.text.max_text).toBeGreaterThan(0);
    expect(await call('/channels/fax')).toHaveStatus(404);
  });

  test('a check reports whether an account could be connected, and stores nothing', async () => {
    const check = (channel: string, body: object) => call(`/channels/${channel}/check`, body);
    const good = await check('sandbox', { name: 'Front desk', credentials: { password: 'right' } });
    expect([good.status, good.body]).toEqual([
      200,
      {
        object: 'channel_check',
        channel: 'sandbox',
        ok: true,
        needs_pairing: false,
        address: 'front-desk',
        profile_name: 'Front desk',
        error: null,
      },
    ]);
    const wrong = await check('sandbox', { credentials: { password: 'wrong' } });
    expect(wrong.body).toMatchObject({ ok: false, error: { code: 'authentication_failed' } });
    const pairs = await check('sandbox', { settings: { pairing: 'qr' } });
    expect(pairs.body).toMatchObject({ ok: true, needs_pairing: true, error: null });

    const server = (host: string) => ({ host, port: 1, security: 'none' });
    const mail = (host: string) => ({
      settings: { address: 'a@example.com', imap: server(host), smtp: server(host) },
      credentials: { user: 'a', password: 'very secret' },
    });
    const refused = await check('email', mail('127.0.0.1'));
    expect(refused.body).toMatchObject({ ok: false, address: null });
    expect(refused.body.error.code).toMatch(/^[a-z_]+$/);
    const inner = await check('email', mail('10.0.0.1'));
    expect([inner.status, inner.body.code]).toEqual([422, 'address_not_allowed']);
    const shape = await check('email', { settings: {} });
    expect(shape.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toContain(
      '/credentials/password',
    );
    expect(await check('fax', {})).toHaveStatus(404);
    const told = JSON.stringify([refused.body, inner.body, app.logged]);
    expect(told).not.toContain('very secret');
    const { rows } = await app.database.pool.query("select from instances where channel = 'email'");
    expect(rows).toEqual([]);
  });
});
