import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { toUuid } from '../vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { eraseDeletedWorkspaces, ERASE_AFTER_SECONDS, eraseWorkspace } from './erasure.ts';
import { tenantTables } from './erasure.system-store.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const query = async (text: string, values: unknown[] = []) =>
  (await app.database.pool.query(text, values)).rows;

/** Tables without data of a single workspace. When you add a table, decide where it belongs. */
const SHARED = [
  'accounts',
  'auth_attempts',
  'auth_epoch',
  'click_salts',
  'database_clock',
  'first_user_setup',
  'journals',
  'known_addresses',
  'kysely_migration',
  'connection_nodes',
  'index_builds',
  'delivery_workers',
  'kysely_migration_lock',
  'rule_workers',
  'secret_checks',
  'sessions',
  'users',
  'verifications',
];
/** Tables whose rows background workers remove, or that are removed with the deletion itself. */
const TAKEN = [
  'outbox',
  'receiver_wakes',
  'hostnames',
  'publication_news',
  'publication_queue',
  'rule_queue',
  'rule_subscriptions',
  'model_open_calls',
];
/** Tables that are erased although they have no workspace_id. */
const ERASED_BY_NAME = ['rate_buckets', 'workspaces'];

let numbers = 0;

interface Column {
  name: string;
  type: string;
}

/** A value for a column that no rule of its table refuses. */
function valueFor({ name, type }: Column, given: Record<string, unknown>, allowed: Record<string, string>) {
  if (name in given) return given[name];
  if (name in allowed) return allowed[name];
  if (type.endsWith('[]')) return '{}';
  if (type.startsWith('timestamp') || type === 'date') return new Date();
  const values: Record<string, unknown> = {
    uuid: randomUUID(),
    text: `text ${randomUUID()}`,
    jsonb: '{}',
    bytea: randomBytes(32),
    boolean: true,
    inet: '127.0.0.1',
  };
  return type in values ? values[type] : ++numbers;
}

/** The first value that `check (column in (…))` of a table allows, by column. */
async function allowedValues(table: string): Promise<Record<string, string>> {
  const rows = await query(
    `select pg_get_constraintdef(oid) as rule from pg_constraint where contype = 'c' and conrelid = $1::regclass`,
    [table],
  );
  return Object.fromEntries(
    rows.flatMap(({ rule }) => {
      const found = /\(\(?(\w+) = ANY \(+(?:ARRAY\[)?'([^']+)'/.exec(rule);
      return found ? [[found[1], found[2]]] : [];
    }),
  );
}

/**
 * Fills a table with a row of the workspace, whatever its columns; adds none if the table allows only one and it
 * exists.
 */
async function fill(table: string, given: Record<string, unknown>): Promise<void> {
  const columns = (await query(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
       and (attnotnull or attname = any ($2)) and (not atthasdef or attname = any ($2))`,
    [table, Object.keys(given)],
  )) as Column[];
  const allowed = await allowedValues(table);
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const places = columns.map((_, index) => `$${index + 1}`).join(', ');
  await query(
    `insert into ${table} (${names}) values (${places}) on conflict do nothing`,
    columns.map((column) => valueFor(column, given, allowed)),
  );
}

/** Base tables, partitions apart. */
const baseTables = async (): Promise<string[]> =>
  (
    await query(
      `select c.relname as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition
       and c.relnamespace = 'public'::regnamespace order by 1`,
    )
  ).map(({ name }) => name);

const hasWorkspace = async (table: string): Promise<boolean> =>
  (
    await query(
      `select 1 from pg_attribute where attrelid = $1::regclass and attname = 'workspace_id' and not attisdropped`,
      [table],
    )
  ).length > 0;

/** How many rows of each table hold one of the texts anywhere. */
async function mentions(...texts: string[]): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const table of await baseTables()) {
    const [row] = await query(`select count(*)::int as count from ${table} t where t::text like any ($1)`, [
      texts.map((text) => `%${text}%`),
    ]);
    if (row.count) found[table] = row.count;
  }
  return found;
}

/** The same, with events counted once wherever they stand. */
async function steadyMentions(...texts: string[]): Promise<Record<string, number>> {
  const { outbox = 0, events = 0, ...rest } = await mentions(...texts);
  return { ...rest, events: outbox + events };
}

async function removeWorkspace(home: Awaited<ReturnType<typeof startWorkspace>>): Promise<string> {
  const { slug } = (await home.owner.call('/me', { workspace: home.workspace })).body.workspace;
  const answer = await home.owner.call(`/workspaces/${home.workspace}?slug=${slug}`, {
    workspace: home.workspace,
    method: 'DELETE',
  });
  expect(answer).toHaveStatus(204);
  return toUuid('workspace', home.workspace)!;
}

describe('erasure', () => {
  test('knows every table: each names its workspace, or is known not to be of one', async () => {
    const unknown: string[] = [];
    for (const table of await baseTables())
      if (!(await hasWorkspace(table)) && !SHARED.includes(table) && !ERASED_BY_NAME.includes(table))
        unknown.push(table);
    expect(unknown).toEqual([]);
  });

  test('is stopped by no foreign key between tables of workspaces', async () => {
    const rows = await query(
      `select conrelid::regclass::text as name from pg_constraint where contype = 'f' and confdeltype not in ('c', 'n')
       and confrelid in (select attrelid from pg_attribute where attname = 'workspace_id')`,
    );
    expect(rows).toEqual([]);
  });

  test('leaves no row of the workspace in any table, and every row of others', async () => {
    const doomed = await startWorkspace(app, { preset: 'full', rate_limit: 600 });
    const kept = await startWorkspace(app, { preset: 'full', rate_limit: 600 });
    const tables: string[] = [];
    for (const table of await baseTables()) if (await hasWorkspace(table)) tables.push(table);
    expect(tables.length).toBeGreaterThan(12);
    for (const { workspace } of [doomed, kept])
      for (const table of tables)
        if (!TAKEN.includes(table)) await fill(table, { workspace_id: toUuid('workspace', workspace) });
    for (const { key, keyId } of [doomed, kept]) {
      expect(await app.call('/me', { key })).toHaveStatus(200);
      await vi.waitFor(
        async () =>
          // Requests are recorded some time after they were answered.
          expect(await mentions(toUuid('api_key', keyId)!, keyId)).toMatchObject({
            key_usage: 1,
            rate_buckets: 1,
            api_requests: 1,
            request_stats: 1,
          }),
        PATIENCE,
      );
    }

    const [endpoint] = await query(
      `insert into rate_buckets (key_id, tokens) select id, 1 from publishing_endpoints where workspace_id = $1
       returning key_id`,
      [toUuid('workspace', doomed.workspace)],
    );
    const id = await removeWorkspace(doomed);
    const keyId = toUuid('api_key', doomed.keyId)!;
    const before = await mentions(id, keyId, doomed.workspace);
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining([
        ...tables.filter((table) => !TAKEN.includes(table)),
        'workspaces',
        'rate_buckets',
      ]),
    );
    const texts = [toUuid('workspace', kept.workspace)!, toUuid('api_key', kept.keyId)!, kept.workspace];
    const others = await steadyMentions(...texts);

    await eraseWorkspace({ db: app.database.db }, { workspaceId: id });
    expect(await mentions(id, keyId, endpoint.key_id, doomed.workspace, doomed.keyId)).toEqual({});
    expect(await steadyMentions(...texts)).toEqual(others);
    expect(await app.call('/me', { key: kept.key })).toHaveStatus(200);
  });

  test('goes through many rows in batches, partitions included', async () => {
    const doomed = await startWorkspace(app);
    const id = toUuid('workspace', doomed.workspace)!;
    await query(
      `insert into events (id, workspace_id, sequence, type, data, created_at)
       select gen_random_uuid(), $1, n, 'ping', '{}', now() from generate_series(1, 12000) n`,
      [id],
    );
    await removeWorkspace(doomed);
    await eraseWorkspace({ db: app.database.db }, { workspaceId: id });
    expect(await mentions(id)).toEqual({});
    const names = await tenantTables(app.database.db);
    expect(names).toContain('events_default');
    expect(names).not.toContain('events');
  });

  test('refuses a workspace that is not deleted; one that is gone is done', async () => {
    const home = await startWorkspace(app);
    const id = toUuid('workspace', home.workspace)!;
    await expect(eraseWorkspace({ db: app.database.db }, { workspaceId: id })).rejects.toThrow(/not deleted/);
    expect(await app.call('/me', { key: home.key })).toHaveStatus(200);
    await eraseWorkspace({ db: app.database.db }, { workspaceId: randomUUID() });
  });

  test('the sweep takes what was deleted long enough ago', async () => {
    const doomed = await startWorkspace(app);
    const id = await removeWorkspace(doomed);
    const { db } = app.database;
    expect(await eraseDeletedWorkspaces({ db }, new Date())).toBe(0);
    expect(await mentions(id)).not.toEqual({});
    const later = new Date(Date.now() + (ERASE_AFTER_SECONDS + 1) * 1000);
    expect(await eraseDeletedWorkspaces({ db }, later)).toBe(1);
    expect(await mentions(id)).toEqual({});
    expect(await eraseDeletedWorkspaces({ db }, later)).toBe(0);
  });

  test('one whose files can not be removed keeps no other waiting, and is tried again', async () => {
    const [stuck, other] = [await startWorkspace(app), await startWorkspace(app)];
    const stuckId = await removeWorkspace(stuck);
    const otherId = await removeWorkspace(other);
    const later = new Date(Date.now() + (ERASE_AFTER_SECONDS + 1) * 1000);
    const sweep = (isBroken: boolean) =>
      eraseDeletedWorkspaces(
        {
          db: app.database.db,
          eraseFiles: async (id) => {
            if (isBroken && id === stuckId) throw new Error('the store of files does not answer');
          },
        },
        later,
      );
    await expect(sweep(true)).rejects.toThrow('1 failed, the others are done; the first: the store of files');
    expect(await mentions(otherId)).toEqual({});
    expect(Object.keys(await mentions(stuckId))).toContain('workspaces');
    expect(await sweep(false)).toBe(1);
    expect(await mentions(stuckId)).toEqual({});
  });
});
