/** Converts the usage of models to CSV, with one line per day or value. */
import { csvHead, csvLines } from '../../../core/api/csv.ts';
import { TOKEN_DETAILS } from '../contract/token-details.ts';
import type { ModelUsageObject } from './model-usage.schema.ts';

const SUMS = [
  'calls',
  'failures',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'cost_usd',
  'unpriced_calls',
  'first_byte_p50_ms',
  'first_byte_p95_ms',
  ...TOKEN_DETAILS,
] as const;

/** Renders the CSV. A value that is null is an empty cell. */
export function modelUsageCsv({ group_by: group, data }: ModelUsageObject): string {
  const lines = data.map((item) => [
    group === 'day' ? item.start : item.value,
    ...SUMS.map((name) => item[name]),
  ]);
  return csvHead([group, ...SUMS]) + csvLines(lines);
}
