/** Writing events in tests as services do: in a transaction of their own. */
import type { JobQueue } from '../../../src/platform/jobs/job-queue.ts';
import type { Database } from '../../../src/platform/db/database.ts';
import { createUnits, type Units } from '../../../src/core/unit/unit-of-work.ts';
import { PATIENCE } from '../patience.ts';
import { newUuid } from '../../../src/platform/http/ids.ts';
import { publicId } from '../../../src/core/vocabulary/ids.ts';
import type { EventType } from '../../../src/core/vocabulary/event-catalog.ts';
import { createEventWriter } from '../../../src/core/unit/event-writer.ts';

export const unitsFor = (
  db: Database,
  onCommitted: () => void = () => {},
  jobs: JobQueue = {
    enqueue() {
      throw new Error('no jobs here');
    },
  },
): Units =>
  createUnits({
    db,
    events: createEventWriter(onCommitted),
    jobs,
  });

/** Commits one event. @returns the mark by which it is found again: its object's ID. */
export async function writeEvent(
  units: Units,
  workspaceId: string,
  { type = 'ping', more = {} }: { type?: EventType; more?: object } = {},
): Promise<string> {
  const mark = publicId('event', newUuid());
  await units.write((unit) =>
    unit.events.write(unit, {
      workspaceId,
      type,
      resourceId: mark,
      object: { id: mark, object: 'ping', ...more },
    }),
  );
  return mark;
}

/** Waits until `done` holds. @throws after `ms` */
export async function until(done: () => boolean | Promise<boolean>, ms = PATIENCE.timeout): Promise<void> {
  const end = performance.now() + ms;
  while (!(await done())) {
    if (performance.now() > end) throw new Error(`still not so after ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
