/** Links while something else changes at the same time: tags, domains, and transactions that wait for each other. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let other: pg.Client;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  other = new pg.Client(app.database.connection);
  await other.connect();
});
afterEach(() => other.query('rollback'));
afterAll(async () => {
  await other.end();
  await app.stop();
});

const call = (path: string, body?: unknown, method?: string) =>
  app.call(path, { key: home.key, body, method });
const createLink = async (body: object) => (await call('/links', body)).body;
const workspaceId = (): string => toUuid('workspace', home.workspace)!;
/** Whether the product waits for a lock. */
const waits = async (): Promise<void> => {
  const { rows } = await app.database.pool.query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  expect(rows).toHaveLength(1);
};

test('a link whose tag was renamed or deleted is found as what it is now, and not as what it was', async () => {
  const url = 'https://example.com/renamed';
  const ask = async (tags: string[]) => (await call('/links', { url, tags, find_if_exists: true })).body;
  const { body: tag } = await call('/tags', { name: 'spring' });
  const link = await createLink({ url, tags: ['spring'] });
  await call(`/tags/${tag.id}`, { name: 'summer' }, 'PATCH');
  // Immediately, regardless of the job's progress.
  const spring = await ask(['spring']);
  expect([spring.tags, spring.id === link.id]).toEqual([['spring'], false]);
  await vi.waitFor(async () => {
    const { body } = await call(`/links/${link.id}`);
    expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(link.updated_at));
  }, PATIENCE);
  expect(await ask(['summer'])).toMatchObject({ id: link.id, tags: ['summer'] });
  const before = (await call(`/links/${link.id}`)).body.updated_at;
  await call(`/tags/${tag.id}`, undefined, 'DELETE');
  await vi.waitFor(async () => {
    const { body } = await call(`/links/${link.id}`);
    expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(before));
  }, PATIENCE);
  expect(await ask([])).toMatchObject({ id: link.id, tags: [] });
});

test('of tags that get the same name at once one has it', async () => {
  for (let round = 0; round < 5; round++) {
    const tags = await Promise.all([1, 2, 3].map((n) => call('/tags', { name: `round ${round} ${n}` })));
    const renamed = await Promise.all(
      tags.map(({ body }) => call(`/tags/${body.id}`, { name: `same ${round}` }, 'PATCH')),
    );
    expect(renamed.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  }
});

test('a domain that is being looked at holds up no link on it; one that is being deleted does', async () => {
  await app.database.pool.query(
    `insert into domains (workspace_id, id, host, state, token, pending_since, created_at, updated_at)
     values ($1, gen_random_uuid(), 'busy.example.com', 'verified', 't', now(), now(), now())`,
    [workspaceId()],
  );
  const mine = `select from domains where workspace_id = $1 and host = 'busy.example.com'`;
  await other.query('begin');
  await other.query(`${mine} for no key update`, [workspaceId()]);
  const body = { url: 'https://example.com/', domain: 'busy.example.com' };
  expect(await call('/links', body)).toHaveStatus(201);
  await other.query('rollback');
  await other.query('begin');
  await other.query(`${mine} for update`, [workspaceId()]);
  const pending = call('/links', body);
  await vi.waitFor(waits, PATIENCE);
  await other.query(`delete from domains where workspace_id = $1 and host = 'busy.example.com'`, [
    workspaceId(),
  ]);
  await other.query('commit');
  expect(await pending).toMatchObject({ status: 422, body: { errors: [{ code: 'unknown_domain' }] } });
});

test.for([
  { what: 'one', ask: (body: object) => call('/links', body).then(({ status }) => status) },
  {
    what: 'many',
    ask: async (body: object) =>
      (await call('/links/bulk', { links: [body] })).body.results?.[0]?.status as number,
  },
])('a deadlock of transactions is nobody’s fault: $what', async ({ what, ask }) => {
  const slug = `dead-${what}`;
  await other.query('begin');
  await other.query(
    `insert into tags (workspace_id, id, name, color, created_at, updated_at)
     values ($1, gen_random_uuid(), $2, 'red', now(), now())`,
    [workspaceId(), slug],
  );
  const status = ask({ url: 'https://example.com/', slug, tags: [slug] });
  await vi.waitFor(waits, PATIENCE);
  // It holds the slug and waits for the tag; now the other way round. PostgreSQL aborts the one that waits longer.
  const blocked = other.query(
    `insert into link_routes (domain, slug, workspace_id, link_id, route) values ('', $1, $2, gen_random_uuid(), '{}')
     on conflict do nothing`,
    [slug, workspaceId()],
  );
  await blocked.catch(() => undefined);
  await other.query('rollback');
  expect(await status).toBe(201);
});
