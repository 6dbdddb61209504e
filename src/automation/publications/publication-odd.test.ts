import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type PublishingWorld, startPublishing } from './testing.ts';

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
  // What reads JSON quotes the half of the character that it stopped at.
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
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 600_000 });
  await world.makeDue(id);
  const { results } = await world.until(id, 'failed', { results: [{ attempts: 2 }] });
  expect(results).toHaveLength(1);
});
