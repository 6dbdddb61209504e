/** Converts analytics to CSV, with one line per interval or value. */
import { csvHead, csvLines } from '../../../core/api/csv.ts';
import type { AnalyticsObject } from './analytics.schema.ts';

const SUMS = ['clicks', 'unique_clicks', 'bot_clicks'] as const;
const BEFORE = SUMS.map((name) => `previous_${name}`);

/** Renders the CSV. Values of the previous period have their own columns. Cells of unknown values are empty. */
export function analyticsCsv({ group_by: group, previous, data }: AnalyticsObject): string {
  const named =
    group === 'time' ? ['start'] : group === 'link' ? ['link_id', 'short_url', 'url', 'title'] : [group];
  const lines = data.map((item) => [
    ...(group === 'time'
      ? [item.start]
      : group === 'link'
        ? [item.value, item.link!.short_url, item.link!.url, item.link!.title]
        : [item.value]),
    ...SUMS.map((name) => item[name]),
    ...(previous ? SUMS.map((name) => item.previous?.[name] ?? null) : []),
  ]);
  return csvHead([...named, ...SUMS, ...(previous ? BEFORE : [])]) + csvLines(lines);
}
