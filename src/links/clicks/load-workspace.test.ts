/** Clicks of a workspace that was deleted: none may come after its erasure. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateClicks, insertLinks, loaderOf, memoryJournal } from '../../../test/support/click-load.ts';
import { createTestDatabase, type TestDatabase } from '../../db/testing.ts';
import { insertWorkspace } from '../redirect/testing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
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
    await loaderOf(database.db, [memoryJournal(clicks)]).drain();
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
