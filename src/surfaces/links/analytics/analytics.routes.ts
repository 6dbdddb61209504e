/** Operations on analytics. */
import type { Guard } from '../../../core/auth/guard.ts';
import { sendCsv } from '../../../core/api/csv.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { analyticsCsv } from './analytics-csv.ts';
import { Analytics, AnalyticsQuery } from './analytics.schema.ts';
import { analyse, type AnalyticsDeps } from './analytics.service.ts';

export interface AnalyticsOperationDeps extends AnalyticsDeps {
  guard: Guard;
}

const WHAT =
  'Of a link, of the links with a tag, of a domain, or of the whole workspace. Sums are kept as long as the link is. `bot` and dimensions as filters need single clicks, which are kept for 90 days (`CLICKS_KEPT_DAYS`), unless `bot` goes with `time`, `bot` or `link`: what lies before, or has too many of them, is refused.';

async function* onePage(text: string): AsyncGenerator<string> {
  yield text;
}

export const analyticsOperations = (deps: AnalyticsOperationDeps): Operation[] => [
  operation(
    {
      id: 'analytics.get',
      method: 'GET',
      path: '/analytics',
      tag: 'Analytics',
      summary: 'Sum up clicks',
      description: `Clicks over time, by country and by what else is known of them, people and bots apart. ${WHAT}`,
      access: 'links:read',
      query: AnalyticsQuery,
      success: { status: 200, description: 'The sums.', schema: Analytics },
      errors: ['not_found', 'range_too_long'],
    },
    async ({ actor, query, unit }) => ({ body: await analyse(unit, deps, actor.workspaceId, query) }),
  ),
  operation(
    {
      id: 'analytics.export',
      method: 'GET',
      path: '/analytics/export',
      tag: 'Analytics',
      summary: 'Sum up clicks as CSV',
      description: `What \`GET /analytics\` answers, as a line for each interval or value. ${WHAT}`,
      access: 'links:read',
      query: AnalyticsQuery,
      binary: true,
      success: { status: 200, description: 'The file, CSV in UTF-8.' },
      errors: ['not_found', 'range_too_long'],
    },
    async ({ actor, query, unit, request, reply }) => {
      const answer = await analyse(unit, deps, actor.workspaceId, query);
      return sendCsv(
        { request, reply, actor, guard: deps.guard },
        `clicks-by-${answer.group_by}.csv`,
        onePage(analyticsCsv(answer)),
      );
    },
  ),
];
