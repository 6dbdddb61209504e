/** What jobs of earlier versions had not finished is finished by the migration that removes them. */
import { afterEach, expect, test } from 'vitest';
import { knownMigrations, migrate, migrateTo } from '../../src/platform/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/db.ts';

const MIGRATION = '0059_earlier_upgrades';
const WORKSPACE = '00000000-0000-7000-8000-000000000001';
const DATA = `
  insert into contacts (workspace_id, id, name, profile_name, created_at, updated_at)
    values ('${WORKSPACE}', '00000000-0000-7000-8000-000000000002', 'Ada King', 'Countess', now(), now());
  insert into inspectors (workspace_id, id, name, token_sealed, created_by, created_at, updated_at)
    values ('${WORKSPACE}', '00000000-0000-7000-8000-000000000003', 'test', 'sealed', 'key_1', now(), now());
  insert into inspect_tokens (hash, workspace_id, inspector_id)
    values ('\\x00', '${WORKSPACE}', '00000000-0000-7000-8000-000000000003');
`;
let database: TestDatabase;
afterEach(() => database.drop());

/** Returns the words of contacts, and the numbers of inspectors and of their tokens. */
async function upgraded(pending: string): Promise<unknown> {
  database = await createTestDatabase('template0');
  const known = await knownMigrations();
  await migrateTo(database.db, known.slice(0, known.indexOf(MIGRATION)));
  await database.pool.query(DATA + pending);
  await migrate(database.db);
  const { rows } = await database.pool.query(`
    select (select array_agg(word order by word) from contact_words) as words,
      (select count(*)::int from inspectors) as inspectors, (select count(*)::int from inspect_tokens) as tokens
  `);
  return rows[0];
}

test('where they had not run, contacts get their words, and what inspectors recorded is deleted', async () => {
  const pending = `insert into inspector_cleanup (sessions_ended) values (1); insert into contact_word_backfill default values;`;
  expect(await upgraded(pending)).toEqual({ words: ['ada', 'countess', 'king'], inspectors: 0, tokens: 0 });
});

test('where they were done, nothing changes', async () => {
  expect(await upgraded('')).toEqual({ words: null, inspectors: 1, tokens: 1 });
});
