/** Adds calls up to daily totals. */
import { publicId } from '../../../core/vocabulary/ids.ts';
import { type CallRow, toCallDay } from './call-record.ts';
import { BUCKET_COUNT, getLatencyBucket } from '../contract/latency-buckets.ts';
import { mapTokenDetails, type TokenDetails } from '../contract/token-details.ts';

export interface StatsRow extends TokenDetails {
  /** `YYYY-MM-DD`. */
  day: string;
  actor: string;
  model: string;
  /** Public ID; empty for none. */
  provider: string;
  /** Empty for none. */
  route: string;
  calls: number;
  failures: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  cost: number;
  unpriced_calls: number;
  first_byte: number[];
}

const isFailure = ({ outcome }: CallRow): boolean => outcome === 'failed' || outcome === 'interrupted';

const toKey = ({ day, actor, model, provider, route }: StatsRow): string =>
  JSON.stringify([day, actor, model, provider, route]);

function toStats(row: CallRow): StatsRow {
  const firstByte = Array.from({ length: BUCKET_COUNT }, () => 0);
  if (row.first_byte_ms !== null) firstByte[getLatencyBucket(row.first_byte_ms)] = 1;
  return {
    day: toCallDay(row.id),
    actor: row.actor,
    model: row.model,
    provider: row.provider_id === null ? '' : publicId('model_provider', row.provider_id),
    route: row.route ?? '',
    calls: 1,
    failures: isFailure(row) ? 1 : 0,
    input_tokens: row.input_tokens,
    cached_tokens: row.cached_tokens,
    output_tokens: row.output_tokens,
    ...mapTokenDetails((name) => row[name] ?? 0),
    cost: row.cost ?? 0,
    unpriced_calls: row.cost === null ? 1 : 0,
    first_byte: firstByte,
  };
}

const add = (a: StatsRow, b: StatsRow): StatsRow => ({
  ...a,
  calls: a.calls + b.calls,
  failures: a.failures + b.failures,
  input_tokens: a.input_tokens + b.input_tokens,
  cached_tokens: a.cached_tokens + b.cached_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  ...mapTokenDetails((name) => a[name] + b[name]),
  cost: a.cost + b.cost,
  unpriced_calls: a.unpriced_calls + b.unpriced_calls,
  first_byte: a.first_byte.map((count, bucket) => count + b.first_byte[bucket]!),
});

/** Returns the totals of calls by day, actor, model, provider and route. */
export function addUpCalls(rows: readonly CallRow[]): StatsRow[] {
  const totals = new Map<string, StatsRow>();
  for (const row of rows) {
    const stats = toStats(row);
    const key = toKey(stats);
    const known = totals.get(key);
    totals.set(key, known ? add(known, stats) : stats);
  }
  return [...totals.values()];
}
