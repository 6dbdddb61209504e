/** Operations on single clicks of a link. */
import type { Guard } from '../../../core/auth/guard.ts';
import { sendCsv } from '../../../core/api/csv.ts';
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { createdFilters, toListSchema, ListQuery, Strict } from '../../../platform/http/schema.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { CLICK_FILTERS } from './analytics.schema.ts';
import { Click, ClickParams } from '../clicks/click.schema.ts';
import * as service from './click.service.ts';

export interface ClickDeps {
  guard: Guard;
  /** Days for which single clicks are stored. */
  clicksKeptDays: number;
}

const FILTERS = { ...CLICK_FILTERS, ...createdFilters };
const KEPT =
  'Single clicks are kept for 90 days by default (`CLICKS_KEPT_DAYS`). Their totals are kept as long as the link.';

export const clickOperations = ({ guard, clicksKeptDays }: ClickDeps): Operation[] => {
  return [
    operation(
      {
        id: 'clicks.list',
        method: 'GET',
        path: '/links/{id}/clicks',
        tag: 'Analytics',
        summary: 'List clicks of a link',
        description: `Lists single clicks, including those by bots. ${KEPT}`,
        access: 'links:read',
        params: IdParams('link'),
        query: ListQuery(FILTERS),
        success: { status: 200, description: 'A page of clicks, newest first.', schema: toListSchema(Click) },
      },
      async ({ actor, params, query, unit }) => {
        const id = requireUuid('link', params.id);
        const filter = service.toClickFilter(query, unit.clock(), clicksKeptDays);
        return { body: await service.listClicksOfLink(unit, actor.workspaceId, id, getPage(query), filter) };
      },
    ),
    operation(
      {
        id: 'clicks.get',
        method: 'GET',
        path: '/links/{id}/clicks/{click_id}',
        tag: 'Analytics',
        summary: 'Get a click of a link',
        description: `Returns one click by its ID. ${KEPT}`,
        access: 'links:read',
        params: ClickParams,
        success: { status: 200, description: 'The click.', schema: Click },
        errors: ['not_found'],
      },
      async ({ actor, params, unit }) => ({
        body: await service.getClick(unit, actor.workspaceId, {
          linkId: requireUuid('link', params.id),
          id: requireUuid('click', params.click_id),
          filter: service.toClickFilter({}, unit.clock(), clicksKeptDays),
        }),
      }),
    ),
    operation(
      {
        id: 'clicks.export',
        method: 'GET',
        path: '/links/{id}/clicks/export',
        tag: 'Analytics',
        summary: 'Export clicks of a link as CSV',
        description: `Exports all matching clicks, one per line, newest first. Cells that a spreadsheet would interpret as a formula (beginning with \`=\`, \`+\`, \`-\` or \`@\`) are prefixed with an apostrophe. ${KEPT}`,
        access: 'links:read',
        params: IdParams('link'),
        query: Strict(FILTERS),
        binary: true,
        success: { status: 200, description: 'The CSV file, in UTF-8.' },
      },
      async ({ actor, params, query, unit, request, reply }) => {
        const id = requireUuid('link', params.id);
        const link = await service.requireLinkOfClicks(unit, actor.workspaceId, id);
        const filter = service.toClickFilter(query, unit.clock(), clicksKeptDays);
        const pages = service.clickPages(unit, actor.workspaceId, id, link, filter);
        return sendCsv({ request, reply, actor, guard }, 'clicks.csv', pages);
      },
    ),
  ];
};
