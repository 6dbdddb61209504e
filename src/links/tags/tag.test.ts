import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { uuidOf } from '../../http/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../testing/test-app.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app, { scopes: ['links:read', 'links:write'] });
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });

describe('a tag', () => {
  test('is made with a colour of its name, or one that is given', async () => {
    const { status, body, headers } = await call('/tags', { name: '  Early   bird ' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ object: 'tag', name: 'Early bird', link_count: 0, metadata: {} });
    expect(body.id).toMatch(/^tag_/);
    expect(body.created_by).toBe(home.keyId);
    expect(headers.get('etag')).toBe('"1"');
    const other = await call('/tags', { name: 'late bird', color: 'red', metadata: { team: 'x' } });
    expect(other.body).toMatchObject({ color: 'red', metadata: { team: 'x' } });
    expect((await call(`/tags/${body.id}`)).body).toEqual(body);
  });

  test('has a name that no other has, whatever the case', async () => {
    await call('/tags', { name: 'Ümläut' });
    const again = await call('/tags', { name: 'üMLÄUT' });
    expect([again.status, again.body.code, again.body.errors[0].pointer]).toEqual([409, 'conflict', '/name']);
    const both = await Promise.all(Array.from({ length: 8 }, () => call('/tags', { name: 'at once' })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)]);
  });

  test.each(['', '   ', 'a,b', 'tab\there', 'x'.repeat(51), 'new\nline', '\ud800'])(
    'is not called %j',
    async (name) => {
      const { status, body } = await call('/tags', { name });
      expect([status, body.errors?.[0].pointer]).toEqual([400, '/name']);
    },
  );

  test('is changed, under If-Match too', async () => {
    const { body } = await call('/tags', { name: 'first name', color: 'blue' });
    await call('/tags', { name: 'somebody' });
    const path = `/tags/${body.id}`;
    const changed = await call(path, { name: 'FIRST name', color: 'lime' }, 'PATCH', { 'if-match': '"1"' });
    expect(changed.body).toMatchObject({ name: 'FIRST name', color: 'lime' });
    expect(changed.headers.get('etag')).toBe('"2"');
    const late = await call(path, { color: 'red' }, 'PATCH', { 'if-match': '"1"' });
    expect([late.status, late.body.code]).toEqual([412, 'precondition_failed']);
    const taken = await call(path, { name: 'Somebody' }, 'PATCH');
    expect([taken.status, taken.body.code]).toEqual([409, 'conflict']);
    expect((await call(path)).body).toMatchObject({ name: 'FIRST name', color: 'lime' });
  });

  test('is deleted', async () => {
    const { body } = await call('/tags', { name: 'for a day' });
    expect((await call(`/tags/${body.id}`, undefined, 'DELETE')).status).toBe(204);
    expect((await call(`/tags/${body.id}`)).status).toBe(404);
    expect((await call(`/tags/${body.id}`, undefined, 'DELETE')).status).toBe(404);
    expect((await call('/tags', { name: 'for a day' })).status).toBe(201);
  });
});

describe('the list', () => {
  test('is newest first, and searched by what names contain', async () => {
    const own = await startWorkspace(app, { scopes: ['links:read', 'links:write'] });
    const list = (query: string) => app.call(`/tags?${query}`, { key: own.key });
    for (const name of ['100%', 'spring', 'offspring', 'Spring 26'])
      await app.call('/tags', { key: own.key, body: { name } });
    const names = ({ body }: Awaited<ReturnType<typeof list>>) =>
      body.data.map(({ name }: { name: string }) => name);
    expect(names(await list(''))).toEqual(['Spring 26', 'offspring', 'spring', '100%']);
    const first = await list('search=SPRING&limit=2');
    expect([names(first), first.body.has_more]).toEqual([['Spring 26', 'offspring'], true]);
    const second = await list(`search=SPRING&limit=2&cursor=${first.body.next_cursor}`);
    expect([names(second), second.body.has_more]).toEqual([['spring'], false]);
    expect(names(await list('search=%25'))).toEqual(['100%']);
    expect(names(await list('search=_'))).toEqual([]);
  });

  test('counts links, up to a bound', async () => {
    const { body } = await call('/tags', { name: 'popular' });
    await app.database.pool.query(
      `insert into link_tags (workspace_id, tag_id, link_id)
       select $1, $2, gen_random_uuid() from generate_series(1, 10050)`,
      [uuidOf('workspace', home.workspace), uuidOf('tag', body.id)],
    );
    expect((await call(`/tags/${body.id}`)).body.link_count).toBe(10_000);
  });
});
