/** Operations on analytics. */
import type { Guard } from '../../../core/auth/guard.ts';
import { sendCsv } from '../../../core/api/csv.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { analyticsCsv } from './analytics-csv.ts';
import { Analytics, AnalyticsQuery } from './analytics.schema.ts';
import { getAnalytics, type AnalyticsDeps } from './analytics.service.ts';

export interface AnalyticsOperationDeps extends AnalyticsDeps {
  guard: Guard;
}

const SCOPE_NOTE =
  'Covers a link, the links with a tag, a domain, or the whole workspace. Totals are kept as long as the link. Filters by `bot` or a dimension require single clicks, which are kept for 90 days by default (`CLICKS_KEPT_DAYS`). The exception is `bot` grouped by `time`, `bot` or `link`. Requests that need older clicks or too many of them are rejected.';

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
      summary: 'Get analytics',
      description: `Returns clicks over time or grouped by a property such as the country, for people and bots separately. ${SCOPE_NOTE}`,
      access: 'links:read',
      query: AnalyticsQuery,
      success: { status: 200, description: 'The analytics.', schema: Analytics },
      errors: ['not_found', 'range_too_long'],
    },
    async ({ actor, query, unit }) => ({ body: await getAnalytics(unit, deps, actor.workspaceId, query) }),
  ),
  operation(
    {
      id: 'analytics.export',
      method: 'GET',
      path: '/analytics/export',
      tag: 'Analytics',
      summary: 'Export analytics as CSV',
      description: `Returns the same data as \`GET /analytics\`, with one line per interval or value. ${SCOPE_NOTE}`,
      access: 'links:read',
      query: AnalyticsQuery,
      binary: true,
      success: { status: 200, description: 'The CSV file, in UTF-8.' },
      errors: ['not_found', 'range_too_long'],
    },
    async ({ actor, query, unit, request, reply }) => {
      const answer = await getAnalytics(unit, deps, actor.workspaceId, query);
      return sendCsv(
        { request, reply, actor, guard: deps.guard },
        `clicks-by-${answer.group_by}.csv`,
        onePage(analyticsCsv(answer)),
      );
    },
  ),
];
