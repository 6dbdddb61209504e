import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { join, makeKey, outcome } from '../../../test/support/workspaces.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const log = (query = '') => home.owner.call(`/audit-log${query}`, { workspace: home.workspace });
describe('the audit log', () => {
  test('tells who did what to what, from where', async () => {
    const answer = await app.call('/api-keys', {
      key: await writer(),
      body: { name: 'n', scopes: ['links:read'] },
    });
    const { body } = await log(`?target_id=${answer.body.id}`);
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        object: 'audit_entry',
        action: 'api_keys.create',
        actor: { type: 'api_key', id: expect.stringMatching(/^key_/), name: 'k' },
        target: { type: 'api_key', id: answer.body.id, name: 'n' },
        ip: expect.stringMatching(/^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/),
        request_id: answer.headers.get('fairlead-request-id'),
        details: { name: 'n', scopes: ['links:read'] },
        changes: null,
        created_at: expect.any(String),
      },
    ]);
  });

  const writer = () => makeKey(home, { scopes: ['api_keys:write', 'links:read'] });

  test('filters by action, actor, target and time; newest first, page by page', async () => {
    const whole = (await log('?limit=100')).body.data;
    const ids = async (query: string) => (await log(query)).body.data.map(({ id }: { id: string }) => id);
    const all = whole.map(({ id }: { id: string }) => id);
    expect(all).toEqual(all.toSorted().toReversed());
    const made = whole.filter(({ action }: { action: string }) => action === 'api_keys.create');
    expect(await ids('?action=api_keys.create')).toEqual(made.map(({ id }: { id: string }) => id));
    const mine = whole.filter(({ actor }: { actor: { id: string } }) => actor.id === home.owner.userId);
    expect(await ids(`?actor_id=${home.owner.userId}`)).toEqual(mine.map(({ id }: { id: string }) => id));
    expect(mine.length).toBeLessThan(whole.length);
    const at = whole[1].created_at;
    expect(await ids(`?created_after=${at}`)).toEqual([all[0]]);
    expect(await ids(`?created_before=${at}`)).toEqual(all.slice(2));
    const page = (await log('?limit=1')).body;
    expect(page.has_more).toBe(true);
    expect(await ids(`?limit=1&cursor=${page.next_cursor}`)).toEqual([all[1]]);
  });

  test('shows what an update changed, and the name of what was deleted', async () => {
    const call = (path: string, options: object = {}) =>
      home.owner.call(path, { workspace: home.workspace, ...options });
    const tag = (await call('/tags', { body: { name: 'spring', color: 'red' } })).body;
    await call(`/tags/${tag.id}`, { method: 'PATCH', body: { name: 'summer', color: 'red' } });
    await call(`/tags/${tag.id}`, { method: 'DELETE' });
    const entries = (await log(`?target_id=${tag.id}`)).body.data;
    expect(
      entries.map((entry: { action: string; target: { name: string }; changes: unknown }) => [
        entry.action,
        entry.target.name,
        entry.changes,
      ]),
    ).toEqual([
      ['tags.delete', 'summer', null],
      ['tags.update', 'summer', { name: { before: 'spring', after: 'summer' } }],
      ['tags.create', 'spring', null],
    ]);
  });

  test('never shows a secret or a personal value that changed', async () => {
    const call = (path: string, options: object = {}) =>
      home.owner.call(path, { workspace: home.workspace, ...options });
    const url = 'https://example.com/hook/token-5f1';
    const webhook = (await call('/webhooks', { body: { url, events: ['link.created'] } })).body;
    const body = { url: `${url}-new`, headers: { 'x-token': 'token-5f1' }, events: ['link.updated'] };
    expect(await call(`/webhooks/${webhook.id}`, { method: 'PATCH', body })).toHaveStatus(200);
    const entries = (await log(`?target_id=${webhook.id}`)).body.data;
    expect(entries[0].changes).toEqual({ events: { before: ['link.created'], after: ['link.updated'] } });
    expect(JSON.stringify(entries)).not.toContain('token-5f1');
  });

  test('gets one entry by its ID, of its own workspace alone', async () => {
    const [entry] = (await log('?limit=1')).body.data;
    const one = await log(`/${entry.id}`);
    expect([one.status, one.body]).toEqual([200, entry]);
    const other = await startWorkspace(app, { scopes: ['audit:read'] });
    const key = await makeKey(home, { scopes: ['members:read'] });
    expect(outcome(await app.call(`/audit-log/${entry.id}`, { key: other.key }))).toEqual([404, 'not_found']);
    expect(outcome(await app.call(`/audit-log/${entry.id}`, { key }))).toEqual([403, 'insufficient_scope']);
    expect(outcome(await log('/aud_nonsense'))).toEqual([404, 'not_found']);
  });

  test('filters by the type of object', async () => {
    const types = async (query: string): Promise<string[]> =>
      (await log(query)).body.data.map(({ target }: { target: { type: string } }) => target.type);
    expect(new Set(await types('?target_type=api_key'))).toEqual(new Set(['api_key']));
    expect(await types('?target_type=workspace')).toEqual(['workspace']);
    const page = (await log('?target_type=api_key&limit=1')).body;
    const next = (await log(`?target_type=api_key&limit=1&cursor=${page.next_cursor}`)).body.data[0];
    expect(next.target.type).toBe('api_key');
    expect(next.id < page.data[0].id).toBe(true);
  });

  test('is exported as CSV with the same filters', async () => {
    const name = '=formula()';
    await home.owner.call('/api-keys', { workspace: home.workspace, body: { name, preset: 'links' } });
    const { body, headers } = await log('/export?action=api_keys.create');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"');
    const lines = body.trim().split('\r\n');
    const { data } = (await log('?action=api_keys.create&limit=100')).body;
    expect(lines).toHaveLength(data.length + 1);
    expect(lines[0]).toContain('id,created_at,action,actor_type,actor_id,actor_name,target_type,target_id');
    expect(lines[1]).toContain(data[0].id);
    expect(lines[1]).toContain(data[0].target.id);
    const without = await makeKey(home, { scopes: ['members:read'] });
    expect(await app.call('/audit-log/export', { key: without })).toHaveStatus(403);
  });

  test('has nothing of a change that was refused', async () => {
    const before = (await log()).body.data.length;
    await home.owner.call('/invitations', {
      workspace: home.workspace,
      body: { email: 'x', role: 'viewer' },
    });
    await home.owner.call('/invitations', {
      workspace: home.workspace,
      body: { email: home.owner.email, role: 'viewer' },
    });
    expect((await log()).body.data).toHaveLength(before);
  });

  test('is for who holds audit:read: neither developers nor viewers, nor another workspace', async () => {
    const key = await makeKey(home, { scopes: ['audit:read'] });
    expect(await app.call('/audit-log', { key })).toHaveStatus(200);
    const without = await makeKey(home, { scopes: ['members:read'] });
    expect(outcome(await app.call('/audit-log', { key: without }))).toEqual([403, 'insufficient_scope']);
    for (const role of ['developer', 'viewer'] as const) {
      const person = await join(app, home, role);
      expect(outcome(await person.call('/audit-log', { workspace: home.workspace }))).toEqual([
        403,
        'insufficient_scope',
      ]);
    }
    const other = await startWorkspace(app, { scopes: ['audit:read'] });
    const { body } = await app.call('/audit-log?limit=100', { key: other.key });
    expect(body.data.map(({ action }: { action: string }) => action)).toEqual([
      'api_keys.create',
      'workspaces.create',
    ]);
  });

  test('refuses what is no filter', async () => {
    expect((await log('?actor=usr_1')).body.errors).toMatchObject([
      { pointer: '?actor', code: 'unknown_field' },
    ]);
    expect(await log('?created_after=yesterday')).toHaveStatus(400);
    expect(outcome(await log('?cursor=nonsense'))).toEqual([400, 'invalid_cursor']);
  });

  test('its filters read an index, not the whole log', async () => {
    const client = await app.database.pool.connect();
    try {
      await client.query('set enable_seqscan = off');
      for (const [column, index] of [
        ['action', 'audit_log_action'],
        ['actor_id', 'audit_log_actor'],
        ['target_id', 'audit_log_target'],
      ]) {
        const { rows } = await client.query(
          `explain select * from audit_log where workspace_id = gen_random_uuid() and ${column} = 'x' order by id desc limit 26`,
        );
        expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(index);
      }
    } finally {
      client.release();
    }
  });
});
