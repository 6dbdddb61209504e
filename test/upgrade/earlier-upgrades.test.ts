/** What jobs of earlier versions had not finished is finished by the migration that removes them. */
import { afterEach, describe, expect, test } from 'vitest';
import { knownMigrations, migrate, migrateTo } from '../../src/platform/db/migrate.ts';
import { createJobs } from '../../src/platform/jobs/jobs.ts';
import { LONG_WORK } from '../../src/platform/jobs/queue-rules.ts';
import { createTestDatabase, type TestDatabase } from '../support/db.ts';

const [WORKSPACE, CONTACT, INSPECTOR, CHAT, INSTANCE] = [1, 2, 3, 4, 5].map(
  (n) => `00000000-0000-7000-8000-00000000000${n}`,
);
let database: TestDatabase;
afterEach(() => database.drop());

/** Creates a database as it was before a migration. */
async function createBefore(migration: string): Promise<void> {
  database = await createTestDatabase('template0');
  const known = await knownMigrations();
  await migrateTo(database.db, known.slice(0, known.indexOf(migration)));
}
const query = async (text: string, values?: unknown[]) => (await database.pool.query(text, values)).rows;

describe('0059_earlier_upgrades', () => {
  const DATA = `
    insert into contacts (workspace_id, id, name, profile_name, created_at, updated_at)
      values ('${WORKSPACE}', '${CONTACT}', 'Ada King', 'Countess', now(), now());
    insert into contact_words values ('${WORKSPACE}', 'byron', '${CONTACT}');
    insert into inspectors (workspace_id, id, name, token_sealed, created_by, created_at, updated_at)
      values ('${WORKSPACE}', '${INSPECTOR}', 'test', 'sealed', 'key_1', now(), now());
    insert into inspect_tokens (hash, workspace_id, inspector_id) values ('\\x00', '${WORKSPACE}', '${INSPECTOR}');
    insert into inspector_requests (workspace_id, inspector_id, number, id, source, method, path, head_sealed, body,
        size, kept_bytes, signature, answer_status, answer_delay_ms, created_at)
      values ('${WORKSPACE}', '${INSPECTOR}', 1, '${CHAT}', 'http', 'GET', '', 'sealed', '', 0, 6, 'absent', 200, 0, now());
  `;

  /** Migrates a database with data. @returns words of contacts, and the numbers of inspectors, their tokens and requests */
  async function upgrade(pending: string): Promise<unknown> {
    await createBefore('0059_earlier_upgrades');
    await query(DATA + pending);
    await migrate(database.db);
    const [found] = await query(`
      select (select array_agg(word order by word) from contact_words) as words,
        (select count(*)::int from inspectors) as inspectors, (select count(*)::int from inspect_tokens) as tokens,
        (select count(*)::int from inspector_requests) as requests
    `);
    return found;
  }

  test('stores the words of contacts, and deletes what inspectors recorded, but no inspector', async () => {
    const pending = `insert into inspector_cleanup (sessions_ended) values (1); insert into contact_word_backfill default values;`;
    const words = ['ada', 'countess', 'king'];
    expect(await upgrade(pending)).toEqual({ words, inspectors: 1, tokens: 1, requests: 0 });
  });

  test('changes nothing where the jobs were done', async () => {
    expect(await upgrade('')).toEqual({ words: ['byron'], inspectors: 1, tokens: 1, requests: 1 });
  });

  test('turns unfinished erasures into rows, and removes the jobs', async () => {
    await createBefore('0059_earlier_upgrades');
    const queues = { 'contacts.erase': LONG_WORK, 'contacts.words': LONG_WORK, 'media.collect': LONG_WORK };
    const log = { info() {}, warn() {}, error() {} };
    const { pool, db } = database;
    const jobs = createJobs({ queues: queues as never, pool, db, log, performs: false });
    try {
      const identities = [{ instance_id: INSTANCE, address: 'alice' }];
      const erasure = { workspaceId: WORKSPACE, contactIds: [CONTACT], chatIds: [CHAT], identities };
      const enqueue = (name: string, payload: object) =>
        jobs.queue.enqueue(db, name as never, payload as never);
      await enqueue('contacts.erase', erasure);
      await enqueue('contacts.erase', { workspaceId: WORKSPACE, contactIds: [], chatIds: [INSPECTOR] });
      await enqueue('contacts.erase', { ...erasure, chatIds: [] });
      await query(`update pgboss.job set state = 'completed' where data -> 'chatIds' = '[]'`);
      await enqueue('contacts.words', { last: true });
      await enqueue('media.collect', { workspaceId: WORKSPACE, sha256: '' });
      await migrate(db);
      expect(
        await query(`select workspace_id, contact_ids, chat_ids, identities, walked_through, looks, created_at <= now() as past
          from contact_erasures order by created_at`),
      ).toEqual([
        {
          workspace_id: WORKSPACE,
          contact_ids: [CONTACT],
          chat_ids: [CHAT],
          identities,
          walked_through: 0,
          looks: 0,
          past: true,
        },
        {
          workspace_id: WORKSPACE,
          contact_ids: [],
          chat_ids: [INSPECTOR],
          identities: [],
          walked_through: 0,
          looks: 0,
          past: true,
        },
      ]);
      expect(await query('select name from pgboss.job')).toEqual([{ name: 'media.collect' }]);
    } finally {
      await jobs.stop();
    }
  });
});

describe('0026_recorded_credentials', () => {
  test('ends all sessions, and raises the epoch, so that running nodes notice', async () => {
    await createBefore('0026_recorded_credentials');
    await query(`
      insert into users (id, name, email) values (gen_random_uuid(), 'Ada', 'ada@example.com');
      insert into sessions (id, user_id, token_hash, expires_at)
        select gen_random_uuid(), u.id, n::text, now() + (n - 1) * interval '1 day' from users u, generate_series(1, 4) n;
      update auth_epoch set epoch = 100;
    `);
    await migrate(database.db);
    expect(await query('select from sessions where expires_at > now()')).toEqual([]);
    expect(await query('select epoch from auth_epoch')).toEqual([{ epoch: 101 }]);
    expect(await query('select name from users')).toEqual([{ name: 'Ada' }]);
  });
});
