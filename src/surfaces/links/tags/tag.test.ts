import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { unitsFor } from '../../../../test/support/events/outbox.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import { performInTurns } from '../../../../test/support/job-turns.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';
import { propagateTagChange } from '../spread/tag-spread.ts';

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
  test('is made with a color of its name, or one that is given', async () => {
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
    expect(changed.headers.get('etag')).toMatch(/^"2-/);
    const outdated = await call(path, { color: 'red' }, 'PATCH', { 'if-match': '"1"' });
    expect([outdated.status, outdated.body.code]).toEqual([412, 'precondition_failed']);
    const conflict = await call(path, { name: 'Somebody' }, 'PATCH');
    expect([conflict.status, conflict.body.code]).toEqual([409, 'conflict']);
    expect((await call(path)).body).toMatchObject({ name: 'FIRST name', color: 'lime' });
  });

  test('is deleted', async () => {
    const { body } = await call('/tags', { name: 'for a day' });
    expect(await call(`/tags/${body.id}`, undefined, 'DELETE')).toHaveStatus(204);
    expect(await call(`/tags/${body.id}`)).toHaveStatus(404);
    expect(await call(`/tags/${body.id}`, undefined, 'DELETE')).toHaveStatus(404);
    expect(await call('/tags', { name: 'for a day' })).toHaveStatus(201);
  });
});

describe('links that have a tag', () => {
  const PATIENCE = { timeout: 120_000, interval: 50 };
  const findEvents = async (link: string) =>
    (await getEvents(app, toUuid('workspace', home.workspace)!)).filter(
      ({ type, data }) => type === 'link.updated' && data.object.id === link,
    );

  test('show a new name at once; version and event follow, once', async () => {
    const made = await call('/links', { url: 'https://example.com/a', tags: ['Renamed', 'stays'] });
    const [tag] = (await call('/tags?search=renamed')).body.data;
    expect(tag).toMatchObject({ name: 'Renamed', link_count: 1, created_by: home.keyId });
    await call(`/tags/${tag.id}`, { name: 'anew' }, 'PATCH');
    const path = `/links/${made.body.id}`;
    expect((await call(path)).body.tags).toEqual(['anew', 'stays']);
    await vi.waitFor(async () => expect((await call(path)).headers.get('etag')).toMatch(/^"2-/), PATIENCE);
    expect(
      (await findEvents(made.body.id)).map(({ data }) => [data.object.tags, data.previous_attributes]),
    ).toEqual([[['anew', 'stays'], { tags: ['Renamed', 'stays'] }]]);
    // Run twice, as after a crash: events are not emitted again.
    const payload: JobPayloads['tags.spread'] = {
      workspaceId: toUuid('workspace', home.workspace)!,
      tagId: toUuid('tag', tag.id)!,
      before: 'Renamed',
      after: 'anew',
      at: (await call(`/tags/${tag.id}`)).body.updated_at,
    };
    await performInTurns(
      (left, turn) => propagateTagChange(unitsFor(app.database.db), app.config.baseUrl, left, turn),
      payload,
    );
    expect((await call(path)).headers.get('etag')).toMatch(/^"2-/);
  });

  test('lose it when it is deleted', async () => {
    const made = await call('/links', { url: 'https://example.com/a', tags: ['going', 'stays'] });
    const other = await call('/links', { url: 'https://example.com/b', tags: ['stays'] });
    const [tag] = (await call('/tags?search=going')).body.data;
    expect(await call(`/tags/${tag.id}`, undefined, 'DELETE')).toHaveStatus(204);
    const path = `/links/${made.body.id}`;
    expect((await call(path)).body.tags).toEqual(['stays']);
    await vi.waitFor(async () => expect((await call(path)).headers.get('etag')).toMatch(/^"2-/), PATIENCE);
    expect((await findEvents(made.body.id)).map(({ data }) => data.previous_attributes)).toEqual([
      { tags: ['going', 'stays'] },
    ]);
    expect((await call(`/links/${other.body.id}`)).headers.get('etag')).toMatch(/^"1-/);
    const left = await app.database.pool.query('select from link_tags where tag_id = $1', [
      toUuid('tag', tag.id),
    ]);
    expect(left.rowCount).toBe(0);
  });

  test('are made by many at once with the same new tags, in any order', async () => {
    const names = ['x1', 'x2', 'x3', 'x4'];
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, nth) =>
        call('/links', { url: 'https://example.com/a', tags: nth % 2 ? names : names.toReversed() }),
      ),
    );
    expect(made.map(({ status }) => status)).toEqual(Array(12).fill(201));
    for (const { body } of made) expect(body.tags).toEqual(names);
    const { data } = (await call('/tags?search=x')).body;
    expect(
      data.map((tag: { name: string; link_count: number }) => [tag.name, tag.link_count]).toSorted(),
    ).toEqual(names.map((name) => [name, 12]));
  });
});

describe('the list', () => {
  test('is newest first, and searched by what names contain', async () => {
    const otherWorkspace = await startWorkspace(app, { scopes: ['links:read', 'links:write'] });
    const list = (query: string) => app.call(`/tags?${query}`, { key: otherWorkspace.key });
    for (const name of ['100%', 'spring', 'offspring', 'Spring 26'])
      await app.call('/tags', { key: otherWorkspace.key, body: { name } });
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
      [toUuid('workspace', home.workspace), toUuid('tag', body.id)],
    );
    expect((await call(`/tags/${body.id}`)).body.link_count).toBe(10_000);
  });
});
