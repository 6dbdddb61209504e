import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { toUuid } from '../vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { getEvents, join, makeKey, outcome } from '../../../test/support/workspaces.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let stranger: Awaited<ReturnType<typeof startWorkspace>>;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  stranger = await startWorkspace(app);
});
afterAll(() => app.stop());

const uuid = (id: string) => toUuid('workspace', id)!;
const asOwner = (path: string, options: object = {}) =>
  home.owner.call(path, { workspace: home.workspace, ...options });
const path = () => `/workspaces/${home.workspace}`;

describe('create', () => {
  test('makes its maker the owner, takes a slug from the name, and tells', async () => {
    const person = await app.signUp();
    const { status, body, headers } = await person.call('/workspaces', {
      body: { name: '  Café Zürich ', metadata: { team: 'growth' } },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^ws_/),
      object: 'workspace',
      media_retention_days: null,
      message_retention_days: null,
      click_addresses: false,
      time_zone: 'UTC',
      store_model_calls: false,
      name: 'Café Zürich',
      slug: 'cafe-zurich',
      role: 'owner',
      metadata: { team: 'growth' },
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: body.created_at,
    });
    expect(headers.get('etag')).toBe('"1"');
    const events = await getEvents(app, uuid(body.id));
    expect(events.map(({ type }) => type)).toEqual(['workspace.created', 'member.added']);
    expect(events[0]!.data.object).toEqual({ ...body, role: null });
    expect(events[1]!.data.object).toMatchObject({ id: person.userId, role: 'owner', email: person.email });
    const log = await person.call('/audit-log', { workspace: body.id });
    expect(log.body.data).toMatchObject([
      {
        action: 'workspaces.create',
        actor: { id: person.userId },
        target: { type: 'workspace', id: body.id },
      },
    ]);
  });

  test('is recorded in the new workspace, also when called from within another', async () => {
    const made = await asOwner('/workspaces', { body: { name: 'Second' } });
    expect(made).toHaveStatus(201);
    const own = await home.owner.call('/audit-log', { workspace: made.body.id });
    expect(own.body.data).toHaveLength(1);
    const other = await asOwner(`/audit-log?target_id=${made.body.id}`);
    expect(other.body.data).toEqual([]);
  });

  test('gives a number to a made slug that is taken, also to many at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => home.owner.call('/workspaces', { body: { name: 'Crowd' } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201));
    const slugs = answers.map(({ body }) => body.slug as string);
    expect(new Set(slugs).size).toBe(12);
    expect(slugs).toContain('crowd');
    expect(slugs.every((slug) => /^crowd(-[0-9a-z]+)?$/.test(slug))).toBe(true);
  });

  test('refuses a chosen slug that is taken, and offers one that is free', async () => {
    const first = await home.owner.call('/workspaces', { body: { name: 'A', slug: 'chosen' } });
    expect(first.body.slug).toBe('chosen');
    const again = await home.owner.call('/workspaces', { body: { name: 'B', slug: 'chosen' } });
    expect([again.status, again.body.code]).toEqual([409, 'slug_taken']);
    const offered = /"(chosen-[0-9a-z]+)" is free/.exec(again.body.detail)![1];
    const taken = await home.owner.call('/workspaces', { body: { name: 'B', slug: offered } });
    expect(taken).toHaveStatus(201);
  });

  test('of many who choose the same slug at once, one gets it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => home.owner.call('/workspaces', { body: { name: 'X', slug: 'race' } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  test.each([
    [{}, '/name'],
    [{ name: '   ' }, '/name'],
    [{ name: 'a\nb' }, '/name'],
    [{ name: 'x'.repeat(101) }, '/name'],
    [{ name: 'A', slug: 'Upper' }, '/slug'],
    [{ name: 'A', slug: '-a' }, '/slug'],
    [{ name: 'A', slug: 'a--b' }, '/slug'],
    [{ name: 'A', slug: 'x'.repeat(49) }, '/slug'],
    [{ name: 'A', metadata: { a: 1 } }, '/metadata/a'],
    [{ name: 'A', metadata: { 'a\nb': 1 } }, '/metadata/a\nb'],
    [{ name: 'A', metadata: { ['k'.repeat(41)]: 'v' } }, '/metadata'],
    [{ name: 'A', metadata: { k: 'v'.repeat(501) } }, '/metadata/k'],
    [
      { name: 'A', metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, 'v'])) },
      '/metadata',
    ],
    [{ name: 'A', sluk: 'a' }, '/sluk'],
  ])('refuses %j', async (body, pointer) => {
    const answer = await home.owner.call('/workspaces', { body });
    expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([400, pointer]);
  });

  test('stops at the limit of what one person may own', async () => {
    const limited = await startTestApp({ WORKSPACES_PER_USER: '3', ROLE: 'api' }, app);
    try {
      const [person, other] = [await app.signUp(), await app.signUp()];
      const create = ({ cookie } = person) =>
        limited.call('/workspaces', { headers: { cookie, origin: limited.base }, body: { name: 'Many' } });
      const answers = await Promise.all(Array.from({ length: 6 }, () => create()));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused.map(({ body }) => body.code)).toEqual(Array(3).fill('quota_exceeded'));
      const { body } = await person.call('/workspaces');
      expect(body.data).toHaveLength(3);
      const doomed = body.data[0];
      await person.call(`/workspaces/${doomed.id}?slug=${doomed.slug}`, {
        workspace: doomed.id,
        method: 'DELETE',
      });
      expect(outcome(await create())).toEqual([403, 'quota_exceeded']);
      await app.database.pool.query('delete from members where workspace_id = $1', [
        toUuid('workspace', doomed.id),
      ]);
      expect(await create()).toHaveStatus(201);
      expect(await create(other)).toHaveStatus(201);
    } finally {
      await limited.stop();
    }
  });

  test('is for people: a key cannot', async () => {
    const answer = await app.call('/workspaces', { key: home.key, body: { name: 'A' } });
    expect([answer.status, answer.body.code]).toEqual([403, 'session_required']);
  });

  test('twice with one Idempotency-Key makes one', async () => {
    const send = () =>
      home.owner.call('/workspaces', { body: { name: 'Once' }, headers: { 'idempotency-key': 'once' } });
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });
});

describe('list', () => {
  test('shows a person their own, newest first, page by page', async () => {
    const person = await app.signUp();
    const ids: string[] = [];
    for (const name of ['One', 'Two', 'Three'])
      ids.unshift((await person.call('/workspaces', { body: { name } })).body.id);
    const first = await person.call('/workspaces?limit=2');
    expect(first.body).toMatchObject({ object: 'list', has_more: true });
    expect(first.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    expect(first.body.data[0].role).toBe('owner');
    const rest = await person.call(`/workspaces?limit=2&cursor=${first.body.next_cursor}`);
    expect(rest.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    expect(rest.body).toMatchObject({ has_more: false, next_cursor: null });
    const middle = first.body.data[1].created_at;
    const after = await person.call(`/workspaces?created_after=${middle}`);
    expect(after.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 1));
    const before = await person.call(`/workspaces?created_before=${middle}`);
    expect(before.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
  });

  test('shows the role that the reader has', async () => {
    const viewer = await join(app, home, 'viewer');
    const { body } = await viewer.call('/workspaces');
    expect(body.data).toMatchObject([{ id: home.workspace, role: 'viewer' }]);
  });

  test('shows a key its own, without a role', async () => {
    const { body } = await app.call('/workspaces', { key: home.key });
    expect(body.data).toMatchObject([{ id: home.workspace, role: null }]);
    const none = await app.call('/workspaces?created_before=2020-01-01T00:00:00Z', { key: home.key });
    expect(none.body.data).toEqual([]);
  });

  test('refuses a key without the scope that reading one takes', async () => {
    const key = await makeKey(home, { scopes: ['links:read'] });
    for (const refused of [await app.call('/workspaces', { key }), await app.call(path(), { key })]) {
      expect(outcome(refused)).toEqual([403, 'insufficient_scope']);
      expect(refused.body.detail).toContain('workspaces:read');
    }
    expect((await stranger.owner.call('/workspaces')).body.data).toHaveLength(1);
  });

  test('refuses a cursor of another making', async () => {
    const answer = await home.owner.call('/workspaces?cursor=eyJ4IjoxfQ');
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_cursor']);
  });

  test('needs somebody', async () => {
    expect(await app.call('/workspaces')).toHaveStatus(401);
  });
});

describe('get', () => {
  test('answers with an ETag, and 304 to it', async () => {
    const got = await asOwner(path());
    expect(got.body).toMatchObject({ id: home.workspace, role: 'owner' });
    const headers = { 'if-none-match': got.headers.get('etag')! };
    expect(await asOwner(path(), { headers })).toHaveStatus(304);
    expect((await app.call(path(), { key: home.key })).body).toMatchObject({
      id: home.workspace,
      role: null,
    });
  });

  test("does not show another's", async () => {
    for (const answer of [
      await asOwner(`/workspaces/${stranger.workspace}`),
      await app.call(`/workspaces/${stranger.workspace}`, { key: home.key }),
      await asOwner('/workspaces/ws_nonsense'),
    ])
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  });

  test('needs the scope', async () => {
    const key = await makeKey(home, { scopes: ['links:read'] });
    const answer = await app.call(path(), { key });
    expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope']);
    expect(answer.body.detail).toContain('workspaces:read');
  });
});

describe('update', () => {
  const patch = (body: object, headers: Record<string, string> = {}) =>
    asOwner(path(), { method: 'PATCH', body, headers });

  test('changes what is given, bumps the version, tells what was before', async () => {
    const before = await asOwner(path());
    const etag = before.headers.get('etag')!;
    const { status, body, headers } = await patch(
      { name: 'Renamed', metadata: { a: 'b', 'x\ny': 'z' } },
      { 'if-match': etag },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Renamed',
      slug: before.body.slug,
      role: 'owner',
      metadata: { a: 'b', 'x\ny': 'z' },
    });
    expect(headers.get('etag')).not.toBe(etag);
    const stale = await patch({ name: 'Again' }, { 'if-match': etag });
    expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed']);
    const event = (await getEvents(app, uuid(home.workspace))).findLast(
      ({ type }) => type === 'workspace.updated',
    );
    expect(event!.data.object).toMatchObject({ name: 'Renamed', role: null });
    expect(event!.data.previous_attributes).toEqual({ name: before.body.name, metadata: {} });
    await vi.waitFor(async () =>
      expect((await app.call('/me', { key: home.key })).body.workspace.name).toBe('Renamed'),
    );
  });

  test('that changes nothing is no edit', async () => {
    const before = await asOwner(path());
    const count = (await getEvents(app, uuid(home.workspace))).length;
    const same = await patch({ name: before.body.name, slug: before.body.slug });
    expect(same).toHaveStatus(200);
    expect(same.headers.get('etag')).toBe(before.headers.get('etag'));
    expect(await getEvents(app, uuid(home.workspace))).toHaveLength(count);
  });

  test('refuses a slug that is taken', async () => {
    const { body } = await asOwner(`/workspaces`, { body: { name: 'T', slug: 'taken-slug' } });
    expect(body.slug).toBe('taken-slug');
    const answer = await patch({ slug: 'taken-slug' });
    expect([answer.status, answer.body.code]).toEqual([409, 'slug_taken']);
    expect(answer.body.errors[0].detail).toBe('try taken-slug-2');
  });

  test('of two who take one slug at once, one gets it', async () => {
    const [a, b] = await Promise.all([startWorkspace(app), startWorkspace(app)]);
    const answers = await Promise.all(
      [a, b].map(({ owner, workspace }) =>
        owner.call(`/workspaces/${workspace}`, { workspace, method: 'PATCH', body: { slug: 'both-want' } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test("reaches nobody else's, and needs the scope", async () => {
    const foreign = await asOwner(`/workspaces/${stranger.workspace}`, {
      method: 'PATCH',
      body: { name: 'X' },
    });
    expect(foreign).toHaveStatus(404);
    const developer = await join(app, home, 'developer');
    const mine = await developer.call(path(), {
      workspace: home.workspace,
      method: 'PATCH',
      body: { name: 'X' },
    });
    expect([mine.status, mine.body.code]).toEqual([403, 'insufficient_scope']);
    const bad = await patch({ slug: 'No' });
    expect(bad).toHaveStatus(400);
  });
});
