/** Adds up the messages of an instance in a range. */
import type { StatsRange } from '../../../core/api/stats-range.ts';
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { notFound } from '../../../platform/http/problem.ts';
import { type InstanceActivityObject, MAX_FAILURE_CODES } from './instance-activity.schema.ts';
import * as store from './instance-activity.store.ts';
import { getInstance } from './instance.store.ts';

/** @throws Problem not_found */
export async function getInstanceActivity(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
  range: StatsRange,
): Promise<InstanceActivityObject> {
  const [instance, counts, failures] = await Promise.all([
    getInstance(unit.db, workspaceId, id),
    store.countMessages(unit.db, workspaceId, id, range),
    store.countFailures(unit.db, workspaceId, id, range, MAX_FAILURE_CODES),
  ]);
  if (!instance) throw notFound('instance');
  const found = new Map(counts.map(({ start, ...counted }) => [start.getTime(), counted]));
  const totals = { inbound: 0, outbound: 0, failed: 0 };
  for (const { inbound, outbound, failed } of counts) {
    totals.inbound += inbound;
    totals.outbound += outbound;
    totals.failed += failed;
  }
  return {
    object: 'instance_activity',
    instance_id: publicId('instance', id),
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    interval: range.interval,
    totals,
    failures,
    data: range.starts.map((start) => ({
      start: start.toISOString(),
      ...(found.get(start.getTime()) ?? { inbound: 0, outbound: 0, failed: 0 }),
    })),
  };
}
