import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { deleteOldKeys, deleteOldPublications, scheduleScan } from './publication-retention.ts';
import { type PublishingWorld, startPublishing } from '../../../../test/support/automation/publications.ts';

const DAY_MS = 86_400_000;
let world: PublishingWorld;
beforeAll(async () => {
  world = await startPublishing();
});
afterAll(() => world.app.stop());

const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);
const count = async (table: string, id: string, column = 'publication_id'): Promise<number> =>
  (await world.rows(`select 1 from ${table} where ${column} = $1`, [toUuid('publication', id)])).length;

test('what ended is kept for 30 days, with all that belongs to it; what waits stays', async () => {
  const { db } = world.app.database;
  const { body: over } = await world.post(await world.endpoint({ dedupe_key: 'x' }));
  await world.until(over.id, 'published');
  const later = await world.endpoint({ schedule: { delay_seconds: 86_400 } });
  const { body: waiting } = await world.post(later);
  await deleteOldPublications(db, inDays(29.9));
  expect(await count('publications', over.id, 'id')).toBe(1);
  // Locked rows are skipped until the next time, for example by the publisher that has just published them.
  await vi.waitFor(async () => {
    await deleteOldPublications(db, inDays(30.1));
    for (const table of ['publication_inputs', 'publication_results'])
      expect(await count(table, over.id)).toBe(0);
  });
  expect(await world.call(`/publications/${over.id}`)).toHaveStatus(404);
  expect((await world.read(waiting.id)).status).toBe('scheduled');

  await deleteOldKeys(db, inDays(0.9));
  expect(await count('publication_keys', over.id)).toBe(1);
  await deleteOldKeys(db, inDays(1.1));
  expect(await count('publication_keys', over.id)).toBe(0);
});

test('what is under way for a day is looked at again: its message may be gone', async () => {
  const idle = await world.instance(); // nothing is sent from it
  const { body } = await world.post(
    await world.endpoint({ destinations: [world.destination({ instance_id: idle })] }),
  );
  const { results } = await world.until(body.id, 'publishing');
  await world.rows('delete from messages where id = $1', [toUuid('message', results[0].message_id)]);
  await scheduleScan(world.app.database.db, inDays(0.5));
  expect((await world.read(body.id)).status).toBe('publishing');
  await scheduleScan(world.app.database.db, inDays(1.1));
  const failed = await world.until(body.id, 'failed');
  expect(failed.results[0].error.code).toBe('not_found');
});

test('however many wait, all that is under way is looked at', async () => {
  const later = await world.endpoint({ schedule: { delay_seconds: 86_400 } });
  for (let nth = 0; nth < 3; nth++) await world.post(later);
  const idle = await world.instance();
  const { body } = await world.post(
    await world.endpoint({ destinations: [world.destination({ instance_id: idle })] }),
  );
  const { results } = await world.until(body.id, 'publishing');
  await world.rows('delete from messages where id = $1', [toUuid('message', results[0].message_id)]);
  await scheduleScan(world.app.database.db, inDays(1.1), undefined, 1);
  expect((await world.until(body.id, 'failed')).results[0].error.code).toBe('not_found');
});
