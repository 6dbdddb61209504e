import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DB } from '../../../platform/db/tables.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { type ContactFilter, listContacts } from './contact-list.store.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let workspaceId: string;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  workspaceId = toUuid('workspace', home.workspace)!;
});
afterAll(() => app.stop());

const query = async (text: string, values: unknown[] = []) =>
  (await app.database.pool.query(text, values)).rows;

test('erasing a contact erases its words, and those of a contact merged into it', async () => {
  const create = async (name: string): Promise<string> =>
    (await app.call('/contacts', { key: home.key, body: { name } })).body.id;
  const [kept, merged, other] = [await create('Quillon Vex'), await create('Wexley'), await create('Quincy')];
  const words = async () =>
    (
      await query(`select word from contact_words where word ~ '^(quillon|vex|wexley|quincy)$' order by word`)
    ).map(({ word }) => word);
  expect(await words()).toEqual(['quillon', 'quincy', 'vex', 'wexley']);
  await app.call(`/contacts/${kept}/merge`, { key: home.key, body: { contact_id: merged } });
  expect(await words()).toEqual(['quillon', 'quincy', 'vex']);
  expect(await app.call(`/contacts/${kept}`, { key: home.key, method: 'DELETE' })).toHaveStatus(204);
  expect(await words()).toEqual(['quincy']);
  expect(await app.call(`/contacts/${other}`, { key: home.key })).toHaveStatus(200);
});

test('a search reads no more of the index than a page needs', async () => {
  await query(
    `with added as (
       insert into contacts (workspace_id, id, name, created_at, updated_at)
       select $1, gen_random_uuid(), 'Person' || n || ' Family' || (n % 5000), now(), now()
       from generate_series(1, 50000) n returning id, name
     )
     insert into contact_words (workspace_id, word, contact_id)
     select $1, word, id from added, split_name(name) word`,
    [workspaceId],
  );
  await query('analyze contacts, contact_words');
  const statements: CompiledQuery[] = [];
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: app.database.pool }),
    log: (event) => void statements.push(event.query),
  });
  const list = (filter: ContactFilter) =>
    listContacts(db, workspaceId, { limit: 20, after: null }, filter).then(({ rows }) => rows.length);
  expect(await list({ words: ['per'] })).toBe(21);
  expect(await list({ words: ['family1234', 'per'] })).toBe(10);
  for (const { sql, parameters } of statements) {
    const plan = (await query(`explain (analyze, format text) ${sql}`, parameters as unknown[])).map(
      (row) => row['QUERY PLAN'],
    );
    expect(plan.join('\n')).toContain('contact_words_pkey');
    expect(plan.join('\n')).not.toContain('Seq Scan');
    const rows = plan.map((line) => Number(/actual.*rows=([\d.]+) /.exec(line)?.[1] ?? 0));
    expect(Math.max(...rows)).toBeLessThanOrEqual(5_000);
  }
});
