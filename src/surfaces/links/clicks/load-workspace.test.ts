/** Clicks of a workspace that was deleted: none may come after its erasure. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  generateClicks,
  insertLinks,
  getLoader,
  memoryJournal,
} from '../../../../test/support/click-load.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { QUEUES } from '../../../app/surfaces.ts';
import { createJobs } from '../../../platform/jobs/jobs.ts';
import { eraseWorkspace } from '../../../core/workspaces/erasure.ts';
import { insertWorkspace } from '../../../../test/support/links/redirect.ts';
import { waitForLoaders } from './click-erasure.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const jobs = createJobs({
    pool: database.pool,
    db: database.db,
    log: console,
    queues: QUEUES,
    performs: false,
  });
  jobs.start();
  await jobs.stop();
});
afterAll(() => database.drop());

test('clicks that wait when their workspace is deleted are dropped, though its links are still there', async () => {
  const workspaceId = await insertWorkspace(database);
  const linkIds = await insertLinks(database.db, workspaceId, 2);
  const until = new Date();
  const load = async () => {
    const clicks = generateClicks({
      count: 20,
      workspaceId,
      linkIds,
      from: new Date(until.getTime() - 60_000),
      until,
    });
    await getLoader(database.db, [memoryJournal(clicks)]).drain();
  };
  const counts = async () =>
    (
      await database.pool.query(
        `select (select count(*)::int from clicks where workspace_id = $1) as clicks,
           (select sum(clicks + bot_clicks)::int from link_counters where workspace_id = $1) as counted`,
        [workspaceId],
      )
    ).rows[0];
  await load();
  expect(await counts()).toEqual({ clicks: 20, counted: 20 });
  await database.pool.query('update workspaces set deleted_at = now() where id = $1', [workspaceId]);
  await load();
  expect(await counts()).toEqual({ clicks: 20, counted: 20 });
});

test('the erasure of a workspace waits for a loader that saw it before it was deleted', async () => {
  const workspaceId = await insertWorkspace(database);
  const [journalId, linkId] = [newUuid(), newUuid()];
  await database.pool.query('insert into journals (journal_id) values ($1)', [journalId]);
  const loader = await database.pool.connect();
  try {
    await loader.query('begin');
    await loader.query('select from journals where journal_id = $1 for update', [journalId]);
    await database.pool.query('update workspaces set deleted_at = now() where id = $1', [workspaceId]);
    const erased = eraseWorkspace({ db: database.db, flush: waitForLoaders }, { workspaceId });
    await vi.waitFor(async () => {
      const { rows } = await database.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(rows).toHaveLength(1);
    });
    await loader.query('insert into link_counters (workspace_id, link_id, clicks) values ($1, $2, 1)', [
      workspaceId,
      linkId,
    ]);
    await loader.query('commit');
    await erased;
  } finally {
    loader.release();
  }
  const { rows } = await database.pool.query('select from link_counters where workspace_id = $1', [
    workspaceId,
  ]);
  expect(rows).toEqual([]);
});
