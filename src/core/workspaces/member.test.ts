import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ALL_SCOPES, ROLE_NAMES, type Role } from '../vocabulary/scopes.ts';
import { toUuid } from '../vocabulary/ids.ts';
import { type Person, startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { getEvents, type Home, join, makeKey, outcome } from '../../../test/support/workspaces.ts';

let app: TestApp;
let home: Home;
let admin: Person;
let developer: Person;
let viewer: Person;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  admin = await join(app, home, 'admin');
  developer = await join(app, home, 'developer');
  viewer = await join(app, home, 'viewer');
});
afterAll(() => app.stop());

const give = (who: Person, to: Person, role: string, headers: Record<string, string> = {}, at: Home = home) =>
  who.call(`/members/${to.userId}`, { workspace: at.workspace, method: 'PATCH', body: { role }, headers });
const remove = (who: Person, whom: Person, at: Home = home) =>
  who.call(`/members/${whom.userId}`, { workspace: at.workspace, method: 'DELETE' });
const roleIn = async (who: Person, at: Home = home): Promise<Role | undefined> =>
  (await at.owner.call(`/members/${who.userId}`, { workspace: at.workspace })).body.role;
describe('list and get', () => {
  test('show who joined last first, page by page', async () => {
    const first = await viewer.call('/members?limit=3', { workspace: home.workspace });
    expect(first).toHaveStatus(200);
    expect(first.body.data[0]).toEqual({
      id: viewer.userId,
      object: 'member',
      name: viewer.email.split('@')[0],
      email: viewer.email,
      role: 'viewer',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(first.body.data.map(({ role }: { role: string }) => role)).toEqual([
      'viewer',
      'developer',
      'admin',
    ]);
    const rest = await viewer.call(`/members?limit=3&cursor=${first.body.next_cursor}`, {
      workspace: home.workspace,
    });
    expect(rest.body.data.map(({ role }: { role: string }) => role)).toEqual(['owner']);
    expect(rest.body).toMatchObject({ has_more: false, next_cursor: null });
  });

  test('filter by role, address and time', async () => {
    const list = async (query: string) =>
      (await app.call(`/members?${query}`, { key: home.key })).body.data.map(({ id }: { id: string }) => id);
    expect(await list('role=admin')).toEqual([admin.userId]);
    expect(await list(`email=${developer.email.toUpperCase()}`)).toEqual([developer.userId]);
    expect(await list('email=nobody@example.com')).toEqual([]);
    const joined = (await app.call(`/members/${developer.userId}`, { key: home.key })).body.created_at;
    expect(await list(`created_after=${joined}`)).toEqual([viewer.userId]);
    expect(await list(`created_before=${joined}`)).toEqual([admin.userId, home.owner.userId]);
  });

  test('refuse what is no filter, no cursor, no member', async () => {
    const stranger = await startWorkspace(app);
    expect(await app.call('/members?role=boss', { key: home.key })).toHaveStatus(400);
    const cursor = Buffer.from('1:0198').toString('base64url');
    expect(outcome(await app.call(`/members?cursor=${cursor}`, { key: home.key }))).toEqual([
      400,
      'invalid_cursor',
    ]);
    for (const id of [stranger.owner.userId, 'usr_x', home.workspace])
      expect(outcome(await app.call(`/members/${id}`, { key: home.key }))).toEqual([404, 'not_found']);
    expect((await stranger.owner.call('/members', { workspace: home.workspace })).body.code).toBe(
      'workspace_required',
    );
  });

  test('need the scope; answer 304', async () => {
    const key = await makeKey(home, { scopes: ['links:read'] });
    expect(outcome(await app.call('/members', { key }))).toEqual([403, 'insufficient_scope']);
    const got = await app.call(`/members/${viewer.userId}`, { key: home.key });
    const headers = { 'if-none-match': got.headers.get('etag')! };
    expect(await app.call(`/members/${viewer.userId}`, { key: home.key, headers })).toHaveStatus(304);
  });

  test('show a member whose account is gone without a name', async () => {
    const gone = await join(app, home, 'viewer');
    await app.database.pool.query('delete from users where id = $1', [toUuid('user', gone.userId)]);
    const { body } = await app.call(`/members/${gone.userId}`, { key: home.key });
    expect(body).toMatchObject({ name: null, email: null, role: 'viewer' });
    expect(await remove(home.owner, gone)).toHaveStatus(204);
  });
});

describe('change of role', () => {
  test('counts at once, bumps the version, is told and recorded', async () => {
    const person = await join(app, home, 'viewer');
    const before = await app.call(`/members/${person.userId}`, { key: home.key });
    const etag = before.headers.get('etag')!;
    const { status, body, headers } = await give(admin, person, 'developer', { 'if-match': etag });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: person.userId, role: 'developer' });
    expect(headers.get('etag')).not.toBe(etag);
    expect(outcome(await give(admin, person, 'viewer', { 'if-match': etag }))).toEqual([
      412,
      'precondition_failed',
    ]);
    await vi.waitFor(async () =>
      expect((await person.call('/me', { workspace: home.workspace })).body.role).toBe('developer'),
    );
    const event = (await getEvents(app, toUuid('workspace', home.workspace)!)).at(-1);
    expect(event).toMatchObject({
      type: 'member.updated',
      data: { object: { id: person.userId, role: 'developer' }, previous_attributes: { role: 'viewer' } },
    });
    const log = await home.owner.call(`/audit-log?target_id=${person.userId}&action=members.update`, {
      workspace: home.workspace,
    });
    expect(log.body.data).toMatchObject([{ actor: { id: admin.userId }, details: { role: 'developer' } }]);
  });

  test('to the role that it is, is no edit', async () => {
    const before = await app.call(`/members/${developer.userId}`, { key: home.key });
    const same = await give(admin, developer, 'developer');
    expect([same.status, same.headers.get('etag')]).toEqual([200, before.headers.get('etag')]);
  });

  test('goes by rank: an admin makes no owner and touches none', async () => {
    expect(outcome(await give(admin, developer, 'owner'))).toEqual([403, 'escalation']);
    expect(outcome(await give(admin, admin, 'owner'))).toEqual([403, 'escalation']);
    expect(outcome(await give(admin, home.owner, 'viewer'))).toEqual([403, 'owner_required']);
    expect(outcome(await remove(admin, home.owner))).toEqual([403, 'owner_required']);
    for (const who of [developer, viewer])
      for (const role of ROLE_NAMES)
        expect(outcome(await give(who, who, role))).toEqual([403, 'insufficient_scope']);
    expect([await roleIn(home.owner), await roleIn(developer)]).toEqual(['owner', 'developer']);
  });

  test('by an owner makes an owner, and unmakes one', async () => {
    const second = await join(app, home, 'viewer');
    expect((await give(home.owner, second, 'owner')).body.role).toBe('owner');
    expect((await give(home.owner, second, 'viewer')).body.role).toBe('viewer');
    expect(await remove(home.owner, second)).toHaveStatus(204);
  });

  test.each([[{ role: 'boss' }], [{}], [{ role: 'viewer', name: 'x' }], [{ role: null }]])(
    'refuses %j',
    async (body) => {
      const answer = await admin.call(`/members/${viewer.userId}`, {
        workspace: home.workspace,
        method: 'PATCH',
        body,
      });
      expect(outcome(answer)).toEqual([400, 'invalid_request']);
    },
  );

  test('reaches nobody of another workspace', async () => {
    const other = await startWorkspace(app);
    expect(outcome(await give(home.owner, other.owner, 'viewer'))).toEqual([404, 'not_found']);
    expect(outcome(await remove(home.owner, other.owner))).toEqual([404, 'not_found']);
    expect(await roleIn(other.owner, other)).toBe('owner');
  });
});

describe('an API key', () => {
  const call = (key: string, method: string, who: Person, body?: object) =>
    app.call(`/members/${who.userId}`, { key, method, body });

  test('gives only roles whose scopes it holds, and never owner', async () => {
    const person = await join(app, home, 'developer');
    const few = await makeKey(home, { scopes: ['members:read', 'members:write'] });
    expect(outcome(await call(few, 'PATCH', person, { role: 'viewer' }))).toEqual([403, 'escalation']);
    const max = await makeKey(home, { scopes: ALL_SCOPES.filter((scope) => scope !== 'api_keys:write') });
    expect(await call(max, 'PATCH', person, { role: 'viewer' })).toHaveStatus(200);
    for (const role of ['developer', 'admin', 'owner'])
      expect(outcome(await call(max, 'PATCH', person, { role }))).toEqual([403, 'escalation']);
    const all = await makeKey(home, { scopes: ALL_SCOPES });
    expect(await call(all, 'PATCH', person, { role: 'admin' })).toHaveStatus(200);
    expect(outcome(await call(all, 'PATCH', person, { role: 'owner' }))).toEqual([403, 'escalation']);
  });

  test('with bounds gives no role that has none', async () => {
    const { body } = await app.call('/scopes', { key: home.key });
    const scopes = body.roles[0].scopes;
    const expiring = await makeKey(home, { scopes, expires_at: '2090-01-01T00:00:00Z' });
    const local = await makeKey(home, { scopes, allowed_ips: ['127.0.0.0/8', '::1'] });
    const limited = await makeKey(home, { scopes, rate_limit: 6000 });
    const person = await join(app, home, 'admin');
    for (const key of [expiring, local])
      expect(outcome(await call(key, 'PATCH', person, { role: 'viewer' }))).toEqual([403, 'escalation']);
    expect(outcome(await call(limited, 'PATCH', person, { role: 'developer' }))).toEqual([403, 'escalation']);
    expect(await call(limited, 'PATCH', person, { role: 'viewer' })).toHaveStatus(200);
    expect(await call(expiring, 'DELETE', person)).toHaveStatus(204);
  });

  test('removes members, but no owner, and leaves nothing itself', async () => {
    const key = await makeKey(home, { scopes: ['members:write'] });
    const person = await join(app, home, 'admin');
    expect(outcome(await call(key, 'DELETE', home.owner))).toEqual([403, 'owner_required']);
    expect(await call(key, 'DELETE', person)).toHaveStatus(204);
    const reader = await makeKey(home, { scopes: ['members:read'] });
    expect(outcome(await call(reader, 'DELETE', viewer))).toEqual([403, 'insufficient_scope']);
  });
});

describe('removal', () => {
  test('ends what the person could do, and is told', async () => {
    const person = await join(app, home, 'developer');
    expect(await person.call('/members', { workspace: home.workspace })).toHaveStatus(200);
    expect(await remove(admin, person)).toHaveStatus(204);
    await vi.waitFor(async () =>
      expect(outcome(await person.call('/members', { workspace: home.workspace }))).toEqual([
        403,
        'workspace_required',
      ]),
    );
    const event = (await getEvents(app, toUuid('workspace', home.workspace)!)).at(-1);
    expect(event).toMatchObject({ type: 'member.removed', data: { object: { id: person.userId } } });
    expect(outcome(await remove(admin, person))).toEqual([404, 'not_found']);
  });

  test('of oneself is free to every role; of others it is not', async () => {
    for (const role of ['admin', 'developer', 'viewer'] as const) {
      const person = await join(app, home, role);
      if (role !== 'admin')
        expect(outcome(await remove(person, viewer))).toEqual([403, 'insufficient_scope']);
      expect(await remove(person, person)).toHaveStatus(204);
    }
  });
});
