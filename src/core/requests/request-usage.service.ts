/** Counts of API requests over time, or by a property. */
import { invalid } from '../../platform/http/problem.ts';
import { readStatsRange } from '../api/stats-range.ts';
import type { ReadUnit } from '../unit/unit-of-work.ts';
import type { RequestUsageInput, RequestUsageObject } from './request-usage.schema.ts';
import { type RequestSums, sumRequests } from './request-usage.store.ts';

const DEFAULT_LIMIT = 100;

type Sums = Pick<RequestSums, 'requests' | 'errors' | 'duration_ms'>;
const NONE: Sums = { requests: 0, errors: 0, duration_ms: 0 };

const present = ({ requests, errors, duration_ms: durationMs }: Sums): RequestUsageObject['totals'] => ({
  requests,
  errors,
  average_duration_ms: requests ? Math.round((durationMs / requests) * 10) / 10 : null,
});

const addUp = (rows: readonly Sums[]): Sums => ({
  requests: rows.reduce((sum, row) => sum + row.requests, 0),
  errors: rows.reduce((sum, row) => sum + row.errors, 0),
  duration_ms: rows.reduce((sum, row) => sum + row.duration_ms, 0),
});

/** @throws Problem invalid_request */
export async function getRequestUsage(
  unit: ReadUnit,
  workspaceId: string,
  query: RequestUsageInput,
): Promise<RequestUsageObject> {
  const { group_by: groupBy = 'time', api_key_id: keyId, user_id: userId, operation } = query;
  const actorType = query.actor_type;
  if (keyId !== undefined && userId !== undefined)
    throw invalid([
      { pointer: '?user_id', code: 'conflict', detail: 'can not be combined with `api_key_id`' },
    ]);
  const range = readStatsRange(query, unit.clock());
  const filter = { actor: keyId ?? userId, actorType, operation };
  const rows = await sumRequests(unit.db, workspaceId, range, groupBy, filter);
  const byStart = new Map(rows.map((row) => [row.start?.getTime(), row]));
  const data =
    groupBy === 'time'
      ? range.starts.map((start) => ({
          start: start.toISOString(),
          value: null,
          ...present(byStart.get(start.getTime()) ?? NONE),
        }))
      : rows
          .slice(0, query.limit ?? DEFAULT_LIMIT)
          .map((row) => ({ start: null, value: row.value, ...present(row) }));
  return {
    object: 'request_usage',
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    interval: range.interval,
    group_by: groupBy,
    totals: present(addUp(rows)),
    data,
  };
}
