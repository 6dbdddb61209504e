import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../vocabulary/ids.ts';
import { type Person, startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { getEvents, type Home, join, makeKey, outcome, getToken } from '../../../test/support/workspaces.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let admin: Person;
let people = 0;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  admin = await join(app, home, 'admin');
});
afterAll(() => app.stop());

const newAddress = (): string => `guest${++people}@example.com`;
const invite = (who: Person, email: string, role: string, at: Home = home) =>
  who.call('/invitations', { workspace: at.workspace, body: { email, role } });
const accept = (who: Person, token: string) => who.call('/invitations/accept', { body: { token } });
const lookUp = (token: string) => app.call('/invitations/lookup', { body: { token } });

async function invited(email: string, role = 'developer', who = home.owner, at: Home = home) {
  const { status, body } = await invite(who, email, role, at);
  expect(status).toBe(201);
  return { id: body.id as string, token: getToken(body.url) };
}

/** Moves an invitation so far back that it has just run out. */
const runOut = (id: string) =>
  app.database.pool.query(`update invitations set expires_at = now() - interval '1 ms' where id = $1`, [
    toUuid('invitation', id),
  ]);

describe('create', () => {
  test('answers the link once; nothing else holds it', async () => {
    const email = newAddress();
    const { status, body } = await invite(admin, email.toUpperCase(), 'developer');
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^inv_/),
      object: 'invitation',
      email,
      role: 'developer',
      state: 'pending',
      invited_by: admin.userId,
      accepted_by: null,
      url: expect.stringMatching(/\/user\/api\/invite\/[A-Za-z0-9_-]{43}$/),
      expires_at: expect.any(String),
      created_at: expect.any(String),
      updated_at: body.created_at,
    });
    expect(body.url.startsWith(app.config.baseUrl)).toBe(true);
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(7 * 24 * 3600 * 1000);

    const got = await app.call(`/invitations/${body.id}`, { key: home.key });
    expect(got.body).toEqual({ ...body, url: null });
    const event = (await getEvents(app, toUuid('workspace', home.workspace)!)).at(-1);
    expect(event).toMatchObject({ type: 'invitation.created', data: { object: { ...body, url: null } } });
    const log = await home.owner.call(`/audit-log?target_id=${body.id}`, { workspace: home.workspace });
    expect(log.body.data).toMatchObject([
      { action: 'invitations.create', details: { email, role: 'developer' } },
    ]);
    expect(await everythingStored()).toContain(email);
    expect(await everythingStored()).not.toContain(getToken(body.url));
    expect(app.logged.join()).not.toContain(getToken(body.url));
  });

  /** All rows of all tables as text. */
  async function everythingStored(): Promise<string> {
    const { rows: tables } = await app.database.pool.query(
      `select c.oid::regclass::text as name from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    const texts = await Promise.all(
      tables.map(({ name }) =>
        app.database.pool.query(`select string_agg(t::text, ' ') as text from ${name} t`),
      ),
    );
    return texts.map(({ rows }) => rows[0].text ?? '').join(' ');
  }

  test('is replayed without the link', async () => {
    const send = () =>
      home.owner.call('/invitations', {
        workspace: home.workspace,
        body: { email: 'replay@example.com', role: 'viewer' },
        headers: { 'idempotency-key': 'replay' },
      });
    const [first, second] = [await send(), await send()];
    expect(first.body.url).toContain('/user/api/invite/');
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual({ ...first.body, url: null });
    const { rows } = await app.database.pool.query('select body::text from idempotency_keys');
    expect(rows.map(({ body }) => body).join()).not.toContain(getToken(first.body.url));
  });

  test('again for an address replaces the one before', async () => {
    const email = newAddress();
    const first = await invited(email, 'viewer');
    const second = await invited(email, 'developer', admin);
    expect((await app.call(`/invitations/${first.id}`, { key: home.key })).body.state).toBe('revoked');
    expect(outcome(await lookUp(first.token))).toEqual([410, 'invitation_invalid']);
    expect((await lookUp(second.token)).body.role).toBe('developer');
    const types = (await getEvents(app, toUuid('workspace', home.workspace)!)).slice(-3);
    expect(types.map(({ type, data }) => [type, data.object.id])).toEqual([
      ['invitation.created', first.id],
      ['invitation.revoked', first.id],
      ['invitation.created', second.id],
    ]);
  });

  test('by many at once for one address leaves one pending', async () => {
    const email = newAddress();
    const answers = await Promise.all(Array.from({ length: 6 }, () => invite(home.owner, email, 'viewer')));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
    const { body } = await app.call(`/invitations?state=pending&email=${email}`, { key: home.key });
    expect(body.data).toHaveLength(1);
  });

  test('goes by rank', async () => {
    expect(await invite(admin, newAddress(), 'admin')).toHaveStatus(201);
    expect(outcome(await invite(admin, newAddress(), 'owner'))).toEqual([403, 'escalation']);
    expect(await invite(home.owner, newAddress(), 'owner')).toHaveStatus(201);
    const developer = await join(app, home, 'developer');
    expect(outcome(await invite(developer, newAddress(), 'viewer'))).toEqual([403, 'insufficient_scope']);
  });

  test('by a key goes by its scopes and bounds', async () => {
    const { scopes } = (await app.call('/scopes', { key: home.key })).body.roles[0];
    const by = async (key: object, role: string) =>
      outcome(
        await app.call('/invitations', {
          key: await makeKey(home, key),
          body: { email: newAddress(), role },
        }),
      );
    const withoutKeys = scopes.filter((scope: string) => scope !== 'api_keys:write');
    expect(await by({ scopes: withoutKeys }, 'viewer')).toEqual([201, undefined]);
    expect(await by({ scopes: withoutKeys }, 'developer')).toEqual([403, 'escalation']);
    expect(await by({ preset: 'full' }, 'developer')).toEqual([403, 'escalation']);
    expect(await by({ scopes }, 'admin')).toEqual([201, undefined]);
    expect(await by({ scopes }, 'owner')).toEqual([403, 'escalation']);
    expect(await by({ scopes, expires_at: '2090-01-01T00:00:00Z' }, 'viewer')).toEqual([403, 'escalation']);
    expect(await by({ scopes: ['members:read'] }, 'viewer')).toEqual([403, 'insufficient_scope']);
  });

  test('refuses who is a member, and what is no address', async () => {
    expect(outcome(await invite(home.owner, admin.email.toUpperCase(), 'viewer'))).toEqual([
      409,
      'already_member',
    ]);
    for (const body of [
      { email: 'nobody', role: 'viewer' },
      { email: 'a@b.example', role: 'boss' },
      { email: `${'a'.repeat(250)}@b.example`, role: 'viewer' },
      { email: 'a@b.example\r\nBcc: c@d.example', role: 'viewer' },
      { role: 'viewer' },
    ])
      expect(outcome(await home.owner.call('/invitations', { workspace: home.workspace, body }))).toEqual([
        400,
        'invalid_request',
      ]);
  });
});

test('one address gets only so many in a day', async () => {
  const email = newAddress();
  for (let count = 0; count < 10; count++)
    expect(await invite(home.owner, email, 'viewer')).toHaveStatus(201);
  const refused = await invite(home.owner, email, 'viewer');
  expect(outcome(refused)).toEqual([429, 'rate_limited']);
  expect(refused.headers.get('retry-after')).toBe('3600');
  expect(await invite(home.owner, newAddress(), 'viewer')).toHaveStatus(201);
});

describe('list, get, revoke', () => {
  test('filter by state and address, newest first, page by page', async () => {
    const mine = await startWorkspace(app);
    const [a, b, c] = [newAddress(), newAddress(), newAddress()];
    const first = await invited(a, 'viewer', mine.owner, mine);
    const second = await invited(b, 'viewer', mine.owner, mine);
    const third = await invited(c, 'viewer', mine.owner, mine);
    await runOut(second.id);
    const list = async (query: string) => (await app.call(`/invitations?${query}`, { key: mine.key })).body;
    const ids = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual([third.id, second.id, first.id]);
    expect(await ids('state=pending')).toEqual([third.id, first.id]);
    expect(await ids('state=expired')).toEqual([second.id]);
    expect(await ids(`email=${a.toUpperCase()}`)).toEqual([first.id]);
    const page = await list('limit=2');
    expect(page.data.every(({ url }: { url: null }) => url === null)).toBe(true);
    expect(await ids(`limit=2&cursor=${page.next_cursor}`)).toEqual([first.id]);
    const revoked = await mine.owner.call(`/invitations/${first.id}/revoke`, {
      workspace: mine.workspace,
      method: 'POST',
    });
    expect(revoked.body).toMatchObject({ id: first.id, state: 'revoked', url: null });
    expect(await ids('state=revoked')).toEqual([first.id]);
    const created = page.data[1].created_at;
    expect(await ids(`created_after=${created}`)).toEqual([third.id]);
    expect(await ids(`created_before=${created}`)).toEqual([first.id]);
  });

  test('the ETag changes with the state', async () => {
    const { id } = await invited(newAddress());
    const get = (headers = {}) => app.call(`/invitations/${id}`, { key: home.key, headers });
    const etag = (await get()).headers.get('etag')!;
    expect(await get({ 'if-none-match': etag })).toHaveStatus(304);
    await runOut(id);
    const expired = await get({ 'if-none-match': etag });
    expect([expired.status, expired.body.state]).toEqual([200, 'expired']);
  });

  test('revoking ends the link; twice changes nothing; accepted is too late', async () => {
    const { id, token } = await invited(newAddress());
    const revoke = (which: string) =>
      admin.call(`/invitations/${which}/revoke`, { workspace: home.workspace, method: 'POST' });
    expect((await revoke(id)).body.state).toBe('revoked');
    const count = (await getEvents(app, toUuid('workspace', home.workspace)!)).length;
    expect(await revoke(id)).toHaveStatus(200);
    expect(await getEvents(app, toUuid('workspace', home.workspace)!)).toHaveLength(count);
    expect(outcome(await lookUp(token))).toEqual([410, 'invitation_invalid']);

    const person = await app.signUp();
    const used = await invited(person.email);
    expect(await accept(person, used.token)).toHaveStatus(200);
    expect(outcome(await revoke(used.id))).toEqual([409, 'conflict']);
  });

  test('reach nothing of another workspace, and need the scope', async () => {
    const { id } = await invited(newAddress());
    const other = await startWorkspace(app);
    const revoke = { method: 'POST' };
    for (const answer of [
      await app.call(`/invitations/${id}`, { key: other.key }),
      await app.call(`/invitations/${id}/revoke`, { key: other.key, ...revoke }),
      await app.call('/invitations/inv_no', { key: home.key }),
    ])
      expect(outcome(answer)).toEqual([404, 'not_found']);
    const reader = await makeKey(home, { scopes: ['members:read'] });
    expect(await app.call(`/invitations/${id}`, { key: reader })).toHaveStatus(200);
    expect(outcome(await app.call(`/invitations/${id}/revoke`, { key: reader, ...revoke }))).toEqual([
      403,
      'insufficient_scope',
    ]);
    const none = await makeKey(home, { scopes: ['links:read'] });
    expect(outcome(await app.call('/invitations', { key: none }))).toEqual([403, 'insufficient_scope']);
  });
});
