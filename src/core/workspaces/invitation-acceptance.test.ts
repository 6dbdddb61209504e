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

const newAddress = (): string => `holder${++people}@example.com`;
const invite = (who: Person, email: string, role: string, at: Home = home) =>
  who.call('/invitations', { workspace: at.workspace, body: { email, role } });
const accept = (who: Person, token: string) => who.call('/invitations/accept', { body: { token } });
const lookUp = (token: string) => app.call('/invitations/lookup', { body: { token } });

async function invited(email: string, role = 'developer', who = home.owner, at: Home = home) {
  const { status, body } = await invite(who, email, role, at);
  expect(status).toBe(201);
  return { id: body.id as string, token: getToken(body.url) };
}

const setRole = (person: Person, role: string) =>
  home.owner.call(`/members/${person.userId}`, {
    workspace: home.workspace,
    method: 'PATCH',
    body: { role },
  });

/** Moves an invitation so far back that it has just run out. */
const runOut = (id: string) =>
  app.database.pool.query(`update invitations set expires_at = now() - interval '1 ms' where id = $1`, [
    toUuid('invitation', id),
  ]);

describe('look-up', () => {
  test('tells the holder what it is for, without a key', async () => {
    const email = newAddress();
    const { token } = await invited(email, 'viewer', admin);
    const { status, body } = await lookUp(token);
    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'invitation_preview',
      workspace_name: expect.stringContaining('Workspace of'),
      email,
      role: 'viewer',
      invited_by_name: admin.email.split('@')[0],
      expires_at: expect.any(String),
    });
    // Not even whether the address has an account.
    await app.signUp(email);
    expect((await lookUp(token)).body).toEqual(body);
  });

  test('names no key as inviter', async () => {
    const key = await makeKey(home, { preset: 'full' });
    const made = await app.call('/invitations', { key, body: { email: newAddress(), role: 'viewer' } });
    expect(made.body.invited_by).toMatch(/^key_/);
    expect((await lookUp(getToken(made.body.url))).body.invited_by_name).toBeNull();
  });

  test('of an unknown, expired or odd token is refused', async () => {
    const { id, token } = await invited(newAddress());
    await runOut(id);
    expect(outcome(await lookUp(token))).toEqual([410, 'invitation_invalid']);
    expect(outcome(await lookUp('x'.repeat(43)))).toEqual([410, 'invitation_invalid']);
    expect(outcome(await lookUp(''))).toEqual([400, 'invalid_request']);
    expect(outcome(await lookUp('x'.repeat(201)))).toEqual([400, 'invalid_request']);
  });

  test('cannot be guessed: failures of an address are limited, for accepting too, and hold up nobody with a token', async () => {
    const other = await startTestApp({}, app);
    try {
      const post = (token: string) => other.call('/invitations/lookup', { body: { token } });
      const { token } = await invited(newAddress());
      const codes: string[] = [];
      for (let index = 0; index < 90; index++) codes.push((await post(`guess${index}`)).body.code);
      expect(codes[0]).toBe('invitation_invalid');
      expect(codes.at(-1)).toBe('rate_limited');
      const limited = await post('one more guess');
      expect(outcome(limited)).toEqual([429, 'rate_limited']);
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
      const acceptance = await other.call('/invitations/accept', {
        body: { token: 'one more guess' },
        headers: { cookie: home.owner.cookie, origin: other.base },
      });
      expect(outcome(acceptance)).toEqual([429, 'rate_limited']);
      expect(await post(token)).toHaveStatus(200);
    } finally {
      await other.stop();
    }
  });
});

describe('accept', () => {
  test('makes a member with that role, once', async () => {
    const person = await app.signUp();
    const { id, token } = await invited(person.email.toUpperCase(), 'developer');
    const { status, body } = await accept(person, token);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: home.workspace, object: 'workspace', role: 'developer' });
    const me = await person.call('/me', { workspace: home.workspace });
    expect(me.body.role).toBe('developer');
    const got = await app.call(`/invitations/${id}`, { key: home.key });
    expect(got.body).toMatchObject({ state: 'accepted', accepted_by: person.userId });
    const events = (await getEvents(app, toUuid('workspace', home.workspace)!)).slice(-2);
    expect(events.map(({ type }) => type)).toEqual(['invitation.accepted', 'member.added']);
    const log = await home.owner.call(`/audit-log?actor_id=${person.userId}`, { workspace: home.workspace });
    expect(log.body.data).toMatchObject([
      { action: 'invitations.accept', target: { type: 'invitation', id }, details: { role: 'developer' } },
    ]);
    expect(outcome(await accept(person, token))).toEqual([410, 'invitation_invalid']);
  });

  test('from within another workspace is recorded where it belongs', async () => {
    const guest = await startWorkspace(app);
    const { token } = await invited(guest.owner.email, 'viewer');
    const answer = await guest.owner.call('/invitations/accept', {
      workspace: guest.workspace,
      body: { token },
    });
    expect(answer).toHaveStatus(200);
    const own = await guest.owner.call('/audit-log?action=invitations.accept', {
      workspace: guest.workspace,
    });
    expect(own.body.data).toEqual([]);
  });

  test.each(Array.from({ length: 3 }, (_, index) => index))('by two at once counts once (%i)', async () => {
    const person = await app.signUp();
    const { token } = await invited(person.email);
    const answers = await Promise.all([accept(person, token), accept(person, token), accept(person, token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
    const { rows } = await app.database.pool.query(
      'select count(*)::int as count from members where user_id = $1',
      [toUuid('user', person.userId)],
    );
    expect(rows[0].count).toBe(1);
  });

  test('is for the invited address alone', async () => {
    const { token } = await invited(newAddress());
    const thief = await app.signUp();
    const answer = await accept(thief, token);
    expect(outcome(answer)).toEqual([410, 'invitation_invalid']);
    expect((await thief.call('/workspaces')).body.data).toEqual([]);
    expect(await lookUp(token)).toHaveStatus(200);
  });

  test('needs a person who is signed in', async () => {
    const { token } = await invited(newAddress());
    expect(await app.call('/invitations/accept', { body: { token } })).toHaveStatus(401);
    const byKey = await app.call('/invitations/accept', { key: home.key, body: { token } });
    expect(outcome(byKey)).toEqual([403, 'session_required']);
  });

  test('too late is refused', async () => {
    const person = await app.signUp();
    const { id, token } = await invited(person.email);
    await runOut(id);
    expect(outcome(await accept(person, token))).toEqual([410, 'invitation_invalid']);
  });

  test('by who became a member otherwise is refused', async () => {
    const person = await app.signUp();
    const { token } = await invited(person.email, 'admin');
    await app.database.pool.query(
      `insert into members (workspace_id, user_id, role) values ($1, $2, 'viewer')`,
      [toUuid('workspace', home.workspace), toUuid('user', person.userId)],
    );
    expect(outcome(await accept(person, token))).toEqual([409, 'already_member']);
    expect((await person.call('/me', { workspace: home.workspace })).body.role).toBe('viewer');
  });

  test('ends with the power of who invited: demoted, removed, disabled', async () => {
    const endings: ((inviter: Person) => Promise<unknown>)[] = [
      (inviter) => setRole(inviter, 'developer'),
      (inviter) =>
        home.owner.call(`/members/${inviter.userId}`, { workspace: home.workspace, method: 'DELETE' }),
      (inviter) =>
        app.database.pool.query('update users set disabled_at = now() where id = $1', [
          toUuid('user', inviter.userId),
        ]),
    ];
    for (const end of endings) {
      const inviter = await join(app, home, 'admin');
      const person = await app.signUp();
      const { token } = await invited(person.email, 'viewer', inviter);
      expect(await lookUp(token)).toHaveStatus(200);
      await end(inviter);
      expect(outcome(await lookUp(token))).toEqual([410, 'invitation_invalid']);
      expect(outcome(await accept(person, token))).toEqual([410, 'invitation_invalid']);
    }
  });

  test('of an owner by who is only an admin now is refused', async () => {
    const inviter = await join(app, home, 'owner');
    const [high, low] = [await app.signUp(), await app.signUp()];
    const owner = await invited(high.email, 'owner', inviter);
    const developer = await invited(low.email, 'developer', inviter);
    await setRole(inviter, 'admin');
    expect(outcome(await accept(high, owner.token))).toEqual([410, 'invitation_invalid']);
    expect(await accept(low, developer.token)).toHaveStatus(200);
  });

  test('ends with the key that invited: revoked, cut back, given an expiry', async () => {
    const change = (id: string, body: object) =>
      home.owner.call(`/api-keys/${id}`, { workspace: home.workspace, method: 'PATCH', body });
    const endings: ((id: string) => Promise<unknown>)[] = [
      (id) => home.owner.call(`/api-keys/${id}/revoke`, { workspace: home.workspace, method: 'POST' }),
      (id) => change(id, { scopes: ['members:write'] }),
      (id) => change(id, { preset: 'read_only' }),
      (id) => change(id, { expires_at: '2090-01-01T00:00:00Z' }),
    ];
    for (const end of endings) {
      const made = await home.owner.call('/api-keys', {
        workspace: home.workspace,
        body: { name: 'inviter', preset: 'full' },
      });
      const person = await app.signUp();
      const answer = await app.call('/invitations', {
        key: made.body.secret,
        body: { email: person.email, role: 'viewer' },
      });
      const token = getToken(answer.body.url);
      expect(await lookUp(token)).toHaveStatus(200);
      await end(made.body.id);
      expect(outcome(await accept(person, token))).toEqual([410, 'invitation_invalid']);
    }
  });

  test('ends with the workspace', async () => {
    const doomed = await startWorkspace(app);
    const person = await app.signUp();
    const { token } = await invited(person.email, 'viewer', doomed.owner, doomed);
    const { slug } = (await app.call(`/workspaces/${doomed.workspace}`, { key: doomed.key })).body;
    await doomed.owner.call(`/workspaces/${doomed.workspace}?slug=${slug}`, {
      workspace: doomed.workspace,
      method: 'DELETE',
    });
    expect(outcome(await lookUp(token))).toEqual([410, 'invitation_invalid']);
    expect(outcome(await accept(person, token))).toEqual([410, 'invitation_invalid']);
  });
});
