/** The usage of models over time, or by a property, from daily totals. */
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { invalid } from '../../../platform/http/problem.ts';
import { outOfRange, readTimeRange } from '../../../core/api/time-range.ts';
import { DAY } from '../../../platform/time/zone.ts';
import { toUsd } from '../budgets/budget-amount.ts';
import { estimateQuantile } from '../contract/latency-buckets.ts';
import { mapTokenDetails } from '../contract/token-details.ts';
import { USAGE_KEPT_DAYS } from '../ledger/call-retention.ts';
import type { ModelUsageInput, ModelUsageObject } from './model-usage.schema.ts';
import { sumModelUsage, type UsageSums } from './model-usage.store.ts';

const DEFAULT_DAYS = 30;
const DEFAULT_LIMIT = 100;

const present = (sums: Omit<UsageSums, 'value'>): ModelUsageObject['totals'] => ({
  calls: sums.calls,
  failures: sums.failures,
  input_tokens: sums.input_tokens,
  cached_tokens: sums.cached_tokens,
  output_tokens: sums.output_tokens,
  ...mapTokenDetails((name) => sums[name]),
  cost_usd: toUsd(sums.cost),
  unpriced_calls: sums.unpriced_calls,
  first_byte_p50_ms: estimateQuantile(sums.first_byte, 0.5),
  first_byte_p95_ms: estimateQuantile(sums.first_byte, 0.95),
});

const NONE: Omit<UsageSums, 'value'> = {
  calls: 0,
  failures: 0,
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  ...mapTokenDetails(() => 0),
  cost: 0,
  unpriced_calls: 0,
  first_byte: [],
};

/** In this process: the database would add up every row a second time. */
const addUp = (rows: readonly UsageSums[]): Omit<UsageSums, 'value'> =>
  rows.reduce<Omit<UsageSums, 'value'>>(
    (sum, row) => ({
      calls: sum.calls + row.calls,
      failures: sum.failures + row.failures,
      input_tokens: sum.input_tokens + row.input_tokens,
      cached_tokens: sum.cached_tokens + row.cached_tokens,
      output_tokens: sum.output_tokens + row.output_tokens,
      ...mapTokenDetails((name) => sum[name] + row[name]),
      cost: sum.cost + row.cost,
      unpriced_calls: sum.unpriced_calls + row.unpriced_calls,
      first_byte: row.first_byte.map((count, bucket) => count + (sum.first_byte[bucket] ?? 0)),
    }),
    NONE,
  );

const toDay = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

/** Returns the starts of the UTC days of a range. @throws Problem invalid_request */
function readDays(query: Pick<ModelUsageInput, 'from' | 'to'>, now: Date): number[] {
  const { from, to } = readTimeRange(query, now, DEFAULT_DAYS);
  const first = Math.floor(from / DAY) * DAY;
  const count = Math.ceil((to - first) / DAY);
  if (count > USAGE_KEPT_DAYS + 1)
    throw invalid([outOfRange('?from', `the range must be at most ${USAGE_KEPT_DAYS} days long`)]);
  return Array.from({ length: count }, (_, n) => first + n * DAY);
}

/** @throws Problem invalid_request */
export async function getModelUsage(
  unit: ReadUnit,
  workspaceId: string,
  query: ModelUsageInput,
): Promise<ModelUsageObject> {
  const { group_by: groupBy = 'day', api_key_id: keyId, user_id: userId } = query;
  if (keyId !== undefined && userId !== undefined)
    throw invalid([
      { pointer: '?user_id', code: 'conflict', detail: 'cannot be combined with `api_key_id`' },
    ]);
  const days = readDays(query, unit.clock());
  const [first, last] = [days[0]!, days.at(-1)!];
  const groups = await sumModelUsage(unit.db, workspaceId, { from: toDay(first), to: toDay(last) }, groupBy, {
    actor: keyId ?? userId,
    model: query.model,
    provider: query.provider_id,
    route: query.route,
  });
  const byValue = new Map(groups.map((group) => [group.value, group]));
  const data =
    groupBy === 'day'
      ? days.map((day) => ({
          start: new Date(day).toISOString(),
          value: null,
          ...present(byValue.get(toDay(day)) ?? NONE),
        }))
      : groups
          .slice(0, query.limit ?? DEFAULT_LIMIT)
          // Calls without a route or provider are stored under an empty one.
          .map((group) => ({ start: null, value: group.value || null, ...present(group) }));
  return {
    object: 'model_usage',
    from: new Date(first).toISOString(),
    to: new Date(last + DAY).toISOString(),
    group_by: groupBy,
    totals: present(addUp(groups)),
    data,
  };
}
