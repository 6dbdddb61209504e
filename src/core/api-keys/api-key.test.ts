import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../vocabulary/ids.ts';
import { ALL_SCOPES, PRESET_NAMES, PRESETS, ROLES } from '../vocabulary/scopes.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { join } from '../../../test/support/workspaces.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app, {
    scopes: ['api_keys:read', 'api_keys:write', 'links:read', 'models:read'],
  });
});
afterAll(() => app.stop());

const SOON = { timeout: 120_000, interval: 20 };

const asOwner = (path: string, body?: unknown, method?: string) =>
  home.owner.call(path, { workspace: home.workspace, body, method });

async function makeKey(body: object): Promise<{ id: string; secret: string }> {
  const { status, body: key } = await asOwner('/api-keys', { name: 'k', ...body });
  expect(status).toBe(201);
  return key;
}

describe('create', () => {
  test('shows the secret once, with form and checksum, and stores no clear text', async () => {
    const { status, body, headers } = await asOwner('/api-keys', { name: ' Site ', preset: 'links' });
    expect(status).toBe(201);
    expect(body.secret).toMatch(/^fl_[0-9A-Za-z]{36}$/);
    expect(body).toMatchObject({
      object: 'api_key',
      name: 'Site',
      prefix: body.secret.slice(0, 7),
      last4: body.secret.slice(-4),
      state: 'active',
      preset: 'links',
      rate_limit: { limit: 600, burst: 120 },
      expires_at: null,
      last_used_at: null,
      created_by: home.owner.userId,
    });
    expect(body.scopes).toContain('links:write');
    expect(headers.get('etag')).toBe('"1"');
    const got = await asOwner(`/api-keys/${body.id}`);
    expect(got.body).not.toHaveProperty('secret');
    const { rows } = await app.database.pool.query(
      `select string_agg(t::text, ' ') as all from (
         select k::text from api_keys k union all select h::text from key_hashes h union all select o::text from outbox o
         union all select e::text from events e union all select a::text from audit_log a) t`,
    );
    expect(rows[0].all).toContain('links:write');
    expect(rows[0].all).not.toContain(body.secret.slice(7, -4));
    expect(app.logged.join()).not.toContain(body.secret.slice(7, -4));
  });

  test('tells all faults at once, and makes nothing', async () => {
    const before = await asOwner('/api-keys');
    const { status, body } = await asOwner('/api-keys', {
      nam: 'x',
      scopes: ['links:read', 'links:fly'],
      rate_limit: { limit: 0, burst: 1 },
    });
    expect(status).toBe(400);
    expect(body.code).toBe('invalid_request');
    expect(body.errors).toEqual(
      expect.arrayContaining([
        { pointer: '/nam', code: 'unknown_field', detail: 'did you mean name?' },
        { pointer: '/name', code: 'required', detail: 'is required' },
        expect.objectContaining({ pointer: '/scopes/1', code: 'invalid_value' }),
      ]),
    );
    expect((await asOwner('/api-keys')).body.data).toEqual(before.body.data);
  });

  test.each([
    [{ preset: 'full', scopes: ['links:read'] }, 400, '/scopes'],
    [{}, 400, '/scopes'],
    [{ preset: 'full', allowed_ips: ['10.0.0.0/33'] }, 400, '/allowed_ips/0'],
    [{ preset: 'full', allowed_ips: ['10.1'] }, 400, '/allowed_ips/0'],
    [{ preset: 'full', expires_at: '2020-01-01T00:00:00Z' }, 422, '/expires_at'],
    [{ scopes: ['models:invoke'], allowed_origins: ['https://a.example/x'] }, 400, '/allowed_origins/0'],
    [
      { scopes: ['links:read'], allowed_origins: ['https://a.example'], expires_at: '2099-01-01T00:00:00Z' },
      422,
      '/scopes',
    ],
    [{ scopes: ['models:invoke'], allowed_origins: ['https://a.example'] }, 422, '/expires_at'],
    [
      {
        scopes: ['models:invoke'],
        allowed_origins: ['https://a.example'],
        expires_at: '2099-01-01T00:00:00Z',
        rate_limit: null,
      },
      422,
      '/rate_limit',
    ],
  ])('refuses %j', async (body, status, pointer) => {
    const answer = await asOwner('/api-keys', { name: 'k', ...body });
    expect(answer.status).toBe(status);
    expect(answer.body.errors.map((fault: { pointer: string }) => fault.pointer)).toContain(pointer);
  });
});

describe('no escalation', () => {
  test('by scope: on create, change and rotate', async () => {
    const { id } = await makeKey({ preset: 'full' });
    const call = (path: string, body: object, method?: string) =>
      app.call(path, { key: home.key, body, method });
    const answers = await Promise.all([
      call('/api-keys', { name: 'k', scopes: ['links:write'] }),
      call(`/api-keys/${id}`, { name: 'mine now' }, 'PATCH'),
      call(`/api-keys/${id}/rotate`, {}),
    ]);
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      Array.from({ length: 3 }, () => [403, 'escalation']),
    );
  });

  test('by expiry, address and rate', async () => {
    const limited = await makeKey({
      scopes: ['api_keys:write', 'links:read'],
      expires_at: '2090-01-01T00:00:00Z',
      allowed_ips: ['127.0.0.0/8', '::1'],
      rate_limit: { limit: 60, burst: 10 },
    });
    const inside = {
      name: 'k',
      scopes: ['links:read'],
      expires_at: '2089-01-01T00:00:00Z',
      allowed_ips: ['127.0.0.1'],
    };
    const make = (body: object) => app.call('/api-keys', { key: limited.secret, body });
    const ok = await make(inside);
    expect(ok).toHaveStatus(201);
    expect(ok.body.rate_limit).toEqual({ limit: 60, burst: 10 });
    for (const more of [
      { expires_at: null },
      { expires_at: '2091-01-01T00:00:00Z' },
      { allowed_ips: [] },
      { allowed_ips: ['127.0.0.0/7'] },
      { rate_limit: null },
      { rate_limit: { limit: 61, burst: 1 } },
      { rate_limit: { limit: 1, burst: 11 } },
    ]) {
      const answer = await make({ ...inside, ...more });
      expect([JSON.stringify(more), answer.status, answer.body.code]).toEqual([
        JSON.stringify(more),
        403,
        'escalation',
      ]);
    }
  });

  test('by a role: a developer gives no more than a developer has', async () => {
    const developer = await app.signUp();
    const { rows } = await app.database.pool.query('select id from users where email = $1', [
      developer.email,
    ]);
    await app.database.pool.query(
      `insert into members (workspace_id, user_id, role) select workspace_id, $1, 'developer' from api_keys limit 1`,
      [rows[0].id],
    );
    const make = (scopes: string[]) =>
      developer.call('/api-keys', { workspace: home.workspace, body: { name: 'k', scopes } });
    expect((await make(['members:write', 'links:read'])).body.code).toBe('escalation');
    expect(await make(['links:read'])).toHaveStatus(201);
  });
});

describe('revoking', () => {
  const revoke = (id: string, key: string) => app.call(`/api-keys/${id}/revoke`, { key, method: 'POST' });

  test('a key that has scopes that the caller lacks is refused', async () => {
    const developer = await join(app, home, 'developer');
    const full = await makeKey({ preset: 'full' });
    const answers = [
      await revoke(full.id, home.key),
      await developer.call(`/api-keys/${full.id}/revoke`, { workspace: home.workspace, method: 'POST' }),
    ];
    for (const { status, body } of answers) expect([status, body.code]).toEqual([403, 'escalation']);
    expect(answers[1]!.body.detail).toContain('members:write');
    expect((await asOwner(`/api-keys/${full.id}`)).body.state).toBe('active');
    expect((await asOwner(`/api-keys/${full.id}/revoke`, {})).body.state).toBe('revoked');
  });

  test('asks for no other limits of the caller, and a key can revoke itself', async () => {
    const limited = await makeKey({
      scopes: ['api_keys:write', 'links:read'],
      expires_at: '2090-01-01T00:00:00Z',
      rate_limit: { limit: 60, burst: 10 },
    });
    const other = await makeKey({ scopes: ['links:read'], rate_limit: null });
    expect(await revoke(other.id, limited.secret)).toHaveStatus(200);
    const { status, body } = await revoke(limited.id, limited.secret);
    expect([status, body.id]).toEqual([200, limited.id]);
    expect((await asOwner(`/api-keys/${limited.id}`)).body.state).toBe('revoked');
  });
});

describe('keys that a key created', () => {
  /** Calls until the limit refuses, and returns how many calls passed. */
  async function callsUntilRefused(key: string): Promise<number> {
    for (let passed = 0; passed < 40; passed++)
      if ((await app.call('/me', { key })).status === 429) return passed;
    return Infinity;
  }
  const scopes = ['api_keys:write', 'links:read'];
  const create = async (key: string, more: object = {}): Promise<{ id: string; secret: string }> => {
    const { status, body } = await app.call('/api-keys', { key, body: { name: 'child', scopes, ...more } });
    expect([status, body.code]).toEqual([201, undefined]);
    return body;
  };

  test('count against the limit of that key, and so do keys that they create', async () => {
    const parent = await makeKey({ scopes, rate_limit: { limit: 1, burst: 12 } });
    const first = await create(parent.secret);
    const second = await create(first.secret);
    const siblings = [await create(parent.secret), await create(parent.secret)];
    let passed = 0;
    for (const { secret } of [second, first, ...siblings, parent]) passed += await callsUntilRefused(secret);
    // Four of the twelve created keys; a minute may have passed.
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThan(11);
    const refused = await app.call('/me', { key: siblings[0]!.secret });
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('have limits of their own where that key has none', async () => {
    const parent = await makeKey({ scopes, rate_limit: null });
    const limit = { rate_limit: { limit: 1, burst: 20 } };
    let passed = 0;
    for (let child = 0; child < 2; child++)
      passed += await callsUntilRefused((await create(parent.secret, limit)).secret);
    expect(passed).toBeGreaterThan(21);
    expect(passed).toBeLessThan(44);
    expect(await app.call('/me', { key: parent.secret })).toHaveStatus(200);
  });

  test('follow a change of its limit', async () => {
    const parent = await makeKey({ scopes, rate_limit: null });
    const child = await create(parent.secret, { rate_limit: null });
    expect(await callsUntilRefused(child.secret)).toBe(Infinity);
    const change = { rate_limit: { limit: 1, burst: 5 } };
    expect(await asOwner(`/api-keys/${parent.id}`, change, 'PATCH')).toHaveStatus(200);
    await expect.poll(async () => (await app.call('/me', { key: child.secret })).status, SOON).toBe(429);
  });

  test('can create keys only so many times over', async () => {
    let { secret } = await makeKey({ scopes, rate_limit: null });
    for (let count = 0; count < 8; count++) ({ secret } = await create(secret, { rate_limit: null }));
    const { status, body } = await app.call('/api-keys', { key: secret, body: { name: 'k', scopes } });
    expect([status, body.code]).toEqual([422, 'unprocessable']);
  });
});

describe('presets', () => {
  test.each(['owner', 'admin', 'developer'] as const)(
    'give the role %s what it has of them',
    async (role) => {
      const person = role === 'owner' ? home.owner : await join(app, home, role);
      for (const preset of PRESET_NAMES) {
        const { status, body } = await person.call('/api-keys', {
          workspace: home.workspace,
          body: { name: 'k', preset },
        });
        expect([preset, status, body.preset]).toEqual([preset, 201, preset]);
        const [named, held]: (readonly string[])[] = [PRESETS[preset], ROLES[role]];
        expect(body.scopes).toEqual(
          ALL_SCOPES.filter((scope) => named!.includes(scope) && held!.includes(scope)),
        );
      }
    },
  );

  test('full is everything that the creator may do, except managing keys', async () => {
    const byOwner = await asOwner('/api-keys', { name: 'k', preset: 'full' });
    expect(byOwner.body.scopes).toEqual(ALL_SCOPES.filter((scope) => scope !== 'api_keys:write'));
    const byKey = await app.call('/api-keys', { key: home.key, body: { name: 'k', preset: 'full' } });
    expect(byKey.body.scopes).toEqual(['api_keys:read', 'models:read', 'links:read']);
  });

  test('a key with full that leaks creates no other, changes none and rotates none', async () => {
    const leaked = await makeKey({ preset: 'full' });
    const other = await makeKey({ scopes: ['links:read'] });
    const call = (path: string, body: object, method?: string) =>
      app.call(path, { key: leaked.secret, body, method });
    for (const answer of [
      await call('/api-keys', { name: 'k', scopes: ['links:read'] }),
      await call(`/api-keys/${other.id}`, { expires_at: null }, 'PATCH'),
      await call(`/api-keys/${leaked.id}/rotate`, {}),
    ])
      expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope']);
  });

  test('a key that an earlier release made with full keeps its scopes, also if it is renamed', async () => {
    const { id, secret } = await makeKey({ scopes: ALL_SCOPES });
    await app.database.pool.query("update api_keys set preset = 'full' where id = $1", [
      toUuid('api_key', id),
    ]);
    const renamed = await asOwner(`/api-keys/${id}`, { name: 'old' }, 'PATCH');
    expect([renamed.body.preset, renamed.body.scopes]).toEqual(['full', ALL_SCOPES]);
    const made = await app.call('/api-keys', { key: secret, body: { name: 'k', scopes: ['links:read'] } });
    expect(made).toHaveStatus(201);
  });

  test('a change expands to what the caller has', async () => {
    const { id } = await makeKey({ scopes: ['models:read'] });
    const { status, body } = await app.call(`/api-keys/${id}`, {
      key: home.key,
      method: 'PATCH',
      body: { preset: 'links' },
    });
    expect([status, body.scopes, body.preset]).toEqual([200, ['links:read'], 'links']);
  });

  test('one of which the caller has nothing is refused', async () => {
    const { status, body } = await app.call('/api-keys', {
      key: home.key,
      body: { name: 'k', preset: 'messaging' },
    });
    expect([status, body.code]).toEqual([403, 'escalation']);
    expect(body.detail).toContain('messaging');
  });
});

describe('use', () => {
  test('a key works only from its networks', async () => {
    const { secret } = await makeKey({ preset: 'links', allowed_ips: ['203.0.113.0/24'] });
    const { status, body } = await app.call('/me', { key: secret });
    expect([status, body.code]).toEqual([403, 'ip_not_allowed']);
  });

  test('a browser key works only with its origin, and CORS says so', async () => {
    const origin = 'https://shop.example';
    const { secret } = await makeKey({
      scopes: ['models:read', 'models:invoke'],
      allowed_origins: [origin],
      expires_at: '2099-01-01T00:00:00Z',
    });
    const ok = await app.call('/models', { key: secret, headers: { origin } });
    expect(ok).toHaveStatus(200);
    expect(ok.headers.get('access-control-allow-origin')).toBe(origin);
    expect(ok.headers.get('access-control-allow-credentials')).toBeNull();
    expect(ok.headers.get('access-control-expose-headers')).toContain('Fairlead-Request-Id');
    for (const headers of [{ origin: 'https://evil.example' }, {}] as Record<string, string>[]) {
      const refused = await app.call('/models', { key: secret, headers });
      expect([refused.status, refused.body.code]).toEqual([403, 'origin_not_allowed']);
      expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    }
    const preflight = await app.call('/chat/completions', {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(preflight).toHaveStatus(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
    const bad = await app.call('/models', { key: 'fl_wrong', headers: { origin } });
    expect([bad.status, bad.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
  });

  test('expiry and revocation end it; last_used is told', async () => {
    const expiring = await makeKey({
      preset: 'links',
      expires_at: new Date(Date.now() + 1500).toISOString(),
    });
    expect(await app.call('/me', { key: expiring.secret })).toHaveStatus(200);
    await new Promise((resolve) => setTimeout(resolve, 1600));
    expect((await app.call('/me', { key: expiring.secret })).body.code).toBe('key_expired');
    expect((await asOwner(`/api-keys/${expiring.id}`)).body.state).toBe('expired');

    const { id, secret } = await makeKey({ preset: 'links' });
    expect(await app.call('/me', { key: secret })).toHaveStatus(200);
    await expect.poll(async () => (await asOwner(`/api-keys/${id}`)).body.last_used_operation).toBe('me.get');
    expect((await asOwner(`/api-keys/${id}/revoke`, {})).body.state).toBe('revoked');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const after = await app.call('/me', { key: secret });
    expect([after.status, after.body.code, after.headers.get('www-authenticate')]).toEqual([
      401,
      'key_revoked',
      'Bearer',
    ]);
    expect((await asOwner(`/api-keys/${id}/rotate`, {})).body.code).toBe('conflict');
    expect((await asOwner(`/api-keys/${id}`, { name: 'x' }, 'PATCH')).body.code).toBe('conflict');
  });

  test('a rotation keeps the old secret for its overlap, and no longer', async () => {
    const { id, secret } = await makeKey({ preset: 'links' });
    const first = await asOwner(`/api-keys/${id}/rotate`, { overlap_seconds: 60 });
    expect(first).toHaveStatus(201);
    for (const key of [secret, first.body.secret]) expect(await app.call('/me', { key })).toHaveStatus(200);
    const second = await asOwner(`/api-keys/${id}/rotate`, { overlap_seconds: 0 });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await app.call('/me', { key: secret })).body.code).toBe('key_revoked');
    expect((await app.call('/me', { key: first.body.secret })).body.code).toBe('key_revoked');
    expect(await app.call('/me', { key: second.body.secret })).toHaveStatus(200);
  });
});

describe('change and read', () => {
  test('If-Match guards a change; ETag saves a read', async () => {
    const { id } = await makeKey({ preset: 'links' });
    const change = (etag: string) =>
      home.owner.call(`/api-keys/${id}`, {
        workspace: home.workspace,
        method: 'PATCH',
        body: { name: 'renamed' },
        headers: { 'if-match': etag },
      });
    expect((await change('"7"')).body.code).toBe('precondition_failed');
    const changed = await change('"1"');
    expect([changed.status, changed.body.name, changed.headers.get('etag')]).toEqual([
      200,
      'renamed',
      expect.stringMatching(/^"2-/),
    ]);
    const again = await home.owner.call(`/api-keys/${id}`, {
      workspace: home.workspace,
      headers: { 'if-none-match': changed.headers.get('etag')! },
    });
    expect([again.status, again.body]).toEqual([304, '']);
    // A proxy that compresses changes an entity tag to a weak one, and a weak tag matches nothing (RFC 9110).
    const weak = await change('W/"2"');
    expect([weak.status, weak.body.code]).toEqual([412, 'precondition_failed']);
    expect(weak.body.detail).toContain('without W/');
    expect((await change('"2-br"')).headers.get('etag')).toMatch(/^"3-/);
    expect((await change('"2"')).body.code).toBe('precondition_failed');
  });

  test('lists by page and state', async () => {
    for (let count = 0; count < 3; count++) await makeKey({ preset: 'links' });
    const first = await asOwner('/api-keys?limit=2&state=active');
    expect([first.body.data.length, first.body.has_more]).toEqual([2, true]);
    const second = await asOwner(`/api-keys?limit=2&state=active&cursor=${first.body.next_cursor}`);
    expect(second.body.data[0].id < first.body.data[1].id).toBe(true);
    expect((await asOwner('/api-keys?cursor=nonsense')).body.code).toBe('invalid_cursor');
    expect((await asOwner('/api-keys?limit=0&colour=red')).body.errors).toHaveLength(2);
    const revoked = await asOwner('/api-keys?state=revoked');
    expect(revoked.body.data.every(({ state }: { state: string }) => state === 'revoked')).toBe(true);
  });
});

describe('idempotency', () => {
  test('the same key gives the first answer, without its secret', async () => {
    const headers = { 'idempotency-key': 'once' };
    const send = (name: string) =>
      home.owner.call('/api-keys', { workspace: home.workspace, body: { name, preset: 'links' }, headers });
    const first = await send('one');
    const replay = await send('one');
    expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(replay.body).toEqual({ ...first.body, secret: null });
    expect((await send('two')).body.code).toBe('idempotency_mismatch');
    const { rows } = await app.database.pool.query('select body::text from idempotency_keys');
    expect(rows.map(({ body }) => body).join()).not.toContain(first.body.secret);
  });

  test('twenty at once make one', async () => {
    const headers = { 'idempotency-key': 'at once' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        home.owner.call('/api-keys', {
          workspace: home.workspace,
          body: { name: 'burst', preset: 'links' },
          headers,
        }),
      ),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    for (const { status, body, headers: told } of answers)
      if (status !== 201)
        expect([status, body.code, told.get('retry-after')]).toEqual([409, 'idempotency_in_progress', '1']);
  });
});
