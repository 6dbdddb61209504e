/** Sums of the daily totals of model calls. Single calls are never read. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { BUCKET_COLUMNS } from '../contract/latency-buckets.ts';
import { TOKEN_DETAILS, type TokenDetails } from '../contract/token-details.ts';
import type { UsageGroup } from './model-usage.schema.ts';

export interface UsageFilter {
  /** Public ID of an API key or a person. */
  actor?: string;
  model?: string;
  /** Public ID. */
  provider?: string;
  route?: string;
}

export interface UsageSums extends TokenDetails {
  /** `YYYY-MM-DD`, the actor, model, provider or route. */
  value: string;
  calls: number;
  failures: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  /** Billionths of a USD. */
  cost: number;
  unpriced_calls: number;
  /** Calls by the bucket of their time to the first byte. */
  first_byte: number[];
}

const COLUMNS: Record<UsageGroup, RawBuilder<unknown>> = {
  day: sql`to_char(day, 'YYYY-MM-DD')`,
  key: sql`actor`,
  model: sql`model`,
  provider: sql`provider`,
  route: sql`route`,
};
const GROUP_COLUMNS: Record<UsageGroup, RawBuilder<unknown>> = {
  ...COLUMNS,
  day: sql`day`,
};

const SUM_COLUMNS = [
  'calls',
  'failures',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'cost',
  'unpriced_calls',
  ...TOKEN_DETAILS,
] as const;

const sums = sql.join([
  ...SUM_COLUMNS.map((name) => sql`coalesce(sum(${sql.ref(name)}), 0)::float8 as ${sql.ref(name)}`),
  sql`array[${sql.join(
    BUCKET_COLUMNS.map((name) => sql`coalesce(sum(${sql.ref(name)}), 0)::float8`),
  )}] as first_byte`,
]);

/**
 * Sums the range by a property, the most calls first.
 * @param from first UTC day, `YYYY-MM-DD`
 * @param to last UTC day
 */
export async function sumModelUsage(
  db: Db,
  workspaceId: string,
  { from, to }: { from: string; to: string },
  groupBy: UsageGroup,
  { actor, model, provider, route }: UsageFilter,
): Promise<UsageSums[]> {
  const { rows } = await sql<UsageSums>`
    select ${COLUMNS[groupBy]} as value, ${sums}
    from model_call_stats
    where workspace_id = ${workspaceId} and day >= ${from}::date and day <= ${to}::date
      ${actor === undefined ? sql`` : sql`and actor = ${actor}`}
      ${model === undefined ? sql`` : sql`and model = ${model}`}
      ${provider === undefined ? sql`` : sql`and provider = ${provider}`}
      ${route === undefined ? sql`` : sql`and route = ${route}`}
    group by ${GROUP_COLUMNS[groupBy]} order by 2 desc, 1
  `.execute(db);
  return rows;
}
