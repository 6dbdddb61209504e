import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { EVENT_TYPES } from '../vocabulary/event-catalog.ts';
import { getBucket, type NewEvent } from './event-writer.ts';
import { unitsFor } from '../../../test/support/events/outbox.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const workspaces = [newUuid(), newUuid()];
const object = fc.oneof(
  { weight: 8, arbitrary: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }) },
  // Values that the size limit cuts, and that PostgreSQL would reject.
  { weight: 1, arbitrary: fc.constant({ id: 'x', large: 'y'.repeat(300_000) }) },
  { weight: 1, arbitrary: fc.constant({ 'a\0': '\ud800 and "quotes", {braces}, \\ and NULL' }) },
);
const event = fc.record({
  workspaceId: fc.constantFrom(...workspaces),
  type: fc.constantFrom(...EVENT_TYPES),
  resourceId: fc.option(fc.string().map((text) => text.replaceAll('\0', ''))),
  object,
  previous: fc.option(object, { nil: undefined }),
  also: fc.option(object, { nil: undefined }),
});

/** Returns the rows of the outbox in order, and empties it. */
async function taken(): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    `with gone as (delete from outbox returning *)
     select bucket, workspace_id, event_id, type, resource_id, data, truncated, created_at from gone order by n`,
  );
  return rows;
}

test('writing many at once is the same as writing each', { timeout: 240_000 }, async () => {
  const hints: string[] = [];
  const units = unitsFor(database.db, () => hints.push('committed'));
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 8 }), async (given) => {
      const events: NewEvent[] = given.map((one) => ({ ...one, id: newUuid() }));
      await units.write(async (unit) => {
        for (const one of events) await unit.events.write(unit, one);
      });
      const each = await taken();
      hints.length = 0;
      await units.write((unit) => unit.events.writeAll(unit, events));
      expect(await taken()).toEqual(each);
      expect(each).toHaveLength(events.length);
      expect(hints).toHaveLength(events.length ? 1 : 0);
    }),
    { numRuns: 60 },
  );
});

test('events that are large together are all written, in their order', async () => {
  const units = unitsFor(database.db);
  const [workspaceId] = workspaces as [string];
  const events = Array.from({ length: 50 }, (_, nth) => ({
    workspaceId,
    type: 'ping' as const,
    resourceId: String(nth),
    object: { text: 'x'.repeat(250_000) },
  }));
  await units.write((unit) => unit.events.writeAll(unit, events));
  const rows = (await taken()) as { resource_id: string; bucket: number }[];
  expect(rows.map((row) => row.resource_id)).toEqual(events.map((one) => one.resourceId));
  expect(new Set(rows.map(({ bucket }) => bucket))).toEqual(new Set([getBucket(workspaceId)]));
});
