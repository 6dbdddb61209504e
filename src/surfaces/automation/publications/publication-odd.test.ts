import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { type PublishingWorld, startPublishing } from '../../../../test/support/automation/publications.ts';

let world: PublishingWorld;
beforeAll(async () => {
  world = await startPublishing();
});
afterEach(() => void vi.useRealTimers());
afterAll(() => world.app.stop());

test('a refusal that quotes half a character is stored', async () => {
  const made = await world.endpoint({
    destinations: [world.destination({ type: 'location', template: '😀' })],
  });
  // The JSON parser quotes the half of the character at which it stopped.
  const { status, body } = await world.post(made);
  expect([status, body.errors]).toEqual([
    422,
    [expect.objectContaining({ pointer: '/destinations/0/template', code: 'template_failed' })],
  ]);
  const { data } = (await world.call(`/publications?endpoint_id=${made.id}`)).body;
  expect(data).toEqual([expect.objectContaining({ status: 'rejected' })]);
});

test('what is due by the clock of the database is tried, though that of the server is behind', async () => {
  const late = await world.connect('Late');
  const made = await world.endpoint({
    schedule: { delay_seconds: 3_600 },
    destinations: [world.destination({ instance_id: late })],
  });
  const { id } = (await world.post(made)).body;
  await world.call(`/instances/${late}/disconnect`, {});
  await world.makeDue(id);
  await world.until(id, 'failed', { results: [{ attempts: 1 }] });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 120_000 });
  await world.makeDue(id);
  const { results } = await world.until(id, 'failed', { results: [{ attempts: 2 }] });
  expect(results).toHaveLength(1);
});

test('a destination that is tried again just when somebody publishes what failed again is sent to once', async () => {
  const made = await world.endpoint({
    destinations: [world.destination({ to: 'fail@x' }), world.destination({ to: 'fail@y' })],
  });
  const { id } = (await world.post(made)).body;
  await world.until(id, 'failed');
  const uuid = toUuid('publication', id);
  const engine = await world.app.database.pool.connect();
  await engine.query('begin');
  await engine.query('select 1 from publications where id = $1 for update', [uuid]);
  const replay = world.call(`/publications/${id}/replay`, { only: 'failed', template: 'original' });
  await vi.waitFor(
    async () =>
      expect(
        await world.rows(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%from publications%for update%'",
        ),
      ).toHaveLength(1),
    PATIENCE,
  );
  await engine.query(
    "update publication_results set status = 'queued', attempts = 2 where publication_id = $1 and position = 0",
    [uuid],
  );
  await engine.query("update publications set status = 'publishing', finished_at = null where id = $1", [
    uuid,
  ]);
  await engine.query('commit');
  engine.release();
  expect(await replay).toHaveStatus(409);
});
