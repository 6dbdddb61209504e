import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PublishingWorld, startPublishing } from '../../../../test/support/automation/publications.ts';

let world: PublishingWorld;
beforeAll(async () => {
  world = await startPublishing();
});
afterAll(() => world.app.stop());

/** Has to be ended by force, which soon costs a workspace a pause. */
const STUBBORN = `{{ 1${' | date: "%s", "Europe/Berlin"'.repeat(2000)} }}`;

test('what comes while the templates of a workspace have used up their time is asked for again, not rejected', async () => {
  const stubborn = await world.endpoint({ destinations: [world.destination({ template: STUBBORN })] });
  const other = await world.endpoint();
  let answer = await world.post(stubborn);
  for (let tries = 1; answer.status === 422 && tries < 20; tries++) answer = await world.post(stubborn);
  expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited']);
  const honest = await world.post(other);
  expect([honest.status, honest.body.code]).toEqual([429, 'rate_limited']);
  const { data } = (await world.call(`/publications?endpoint_id=${other.id}`)).body;
  expect(data).toEqual([]);
});
