/** Summarizes the activity in a workspace for the overview. */
import type { ReadUnit } from '../unit/unit-of-work.ts';
import type { ActivityObject } from './activity.schema.ts';
import * as store from './activity.store.ts';
import type { StatsRange } from '../api/stats-range.ts';

type Counts = ActivityObject['totals'];

const none = (): Counts => ({
  messages: { inbound: 0, outbound: 0, failed: 0 },
  clicks: 0,
  deliveries: { succeeded: 0, failed: 0 },
  requests: { total: 0, errors: 0 },
});

export async function getActivity(
  unit: ReadUnit,
  workspaceId: string,
  range: StatsRange,
): Promise<ActivityObject> {
  const [messages, clicks, deliveries, requests] = await Promise.all([
    store.countMessages(unit.db, workspaceId, range),
    store.countClicks(unit.db, workspaceId, range),
    store.countDeliveries(unit.db, workspaceId, range),
    store.countRequests(unit.db, workspaceId, range),
  ]);
  const totals = none();
  const intervals = new Map(range.starts.map((start) => [start.getTime(), none()]));
  /** Adds a row to its interval and to the totals. */
  const add = <Row extends { start: Date }>(rows: Row[], addTo: (counts: Counts, row: Row) => void): void => {
    for (const row of rows)
      for (const counts of [totals, intervals.get(row.start.getTime())!]) addTo(counts, row);
  };
  add(messages, (counts, { inbound, outbound, failed }) => {
    counts.messages.inbound += inbound;
    counts.messages.outbound += outbound;
    counts.messages.failed += failed;
  });
  add(clicks, (counts, row) => {
    counts.clicks += row.clicks;
  });
  add(deliveries, (counts, { succeeded, failed }) => {
    counts.deliveries.succeeded += succeeded;
    counts.deliveries.failed += failed;
  });
  add(requests, (counts, { requests: total, errors }) => {
    counts.requests.total += total;
    counts.requests.errors += errors;
  });
  return {
    object: 'activity',
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    interval: range.interval,
    totals,
    data: [...intervals].map(([start, counts]) => ({ start: new Date(start).toISOString(), ...counts })),
  };
}
