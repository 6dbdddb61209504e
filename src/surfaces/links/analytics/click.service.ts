/** Lists and exports single clicks of a link. */
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { csvHead, csvLines } from '../../../core/api/csv.ts';
import { type List, toList, type Page } from '../../../platform/http/pagination.ts';
import { notFound } from '../../../platform/http/problem.ts';
import { getDimensionFilter, getRetentionStart } from './analytics.service.ts';
import { presentClick } from '../clicks/click-present.ts';
import type { ClickObject } from '../clicks/click.schema.ts';
import {
  type ClickFilter,
  findClick,
  findLinkOfClicks,
  type LinkOfClicks,
  listClicks,
} from './click.store.ts';
import type { Dimension } from '../clicks/scopes.ts';

interface ClickQuery extends Partial<Record<Dimension, string>> {
  bot?: boolean;
  created_after?: string;
  created_before?: string;
}

/** Builds the filter of a query. @param clicksKeptDays days for which single clicks are stored */
export const toClickFilter = (query: ClickQuery, now: Date, clicksKeptDays: number): ClickFilter => ({
  dimensions: getDimensionFilter(query),
  bot: query.bot ?? null,
  createdAfter: query.created_after,
  createdBefore: query.created_before,
  retainedFrom: new Date(getRetentionStart(now, clicksKeptDays)),
  now,
});

const EXPORT_PAGE = 500;

/** Gets the message and contact of a link. @throws Problem not_found */
export async function requireLinkOfClicks(
  unit: ReadUnit,
  workspaceId: string,
  linkId: string,
): Promise<LinkOfClicks> {
  const link = await findLinkOfClicks(unit.db, workspaceId, linkId);
  if (!link) throw notFound('link');
  return link;
}

/** Lists a page of clicks. @throws Problem not_found */
export async function listClicksOfLink(
  unit: ReadUnit,
  workspaceId: string,
  linkId: string,
  page: Page,
  filter: ClickFilter,
): Promise<List<ClickObject>> {
  const link = await requireLinkOfClicks(unit, workspaceId, linkId);
  const { rows, windowEnd } = await listClicks(unit.db, workspaceId, linkId, page, filter);
  return toList(
    rows,
    page,
    ({ id }) => id,
    (row) => presentClick(row, link),
    windowEnd,
  );
}

interface ClickRef {
  linkId: string;
  id: string;
  filter: Pick<ClickFilter, 'retainedFrom'>;
}

/** @throws Problem not_found, also if the click is older than the retention of single clicks */
export async function getClick(
  unit: ReadUnit,
  workspaceId: string,
  { linkId, id, filter }: ClickRef,
): Promise<ClickObject> {
  const link = await requireLinkOfClicks(unit, workspaceId, linkId);
  const row = await findClick(unit.db, workspaceId, linkId, id, filter);
  if (!row) throw notFound('click');
  return presentClick(row, link);
}

const COLUMNS: Record<string, (click: ClickObject) => string | boolean | null> = {
  id: ({ id }) => id,
  created_at: (click) => click.created_at,
  link_id: (click) => click.link_id,
  bot: ({ bot }) => bot,
  country: ({ country }) => country,
  city: ({ city }) => city,
  device: ({ device }) => device,
  os: ({ os }) => os,
  browser: ({ browser }) => browser,
  referrer: ({ referrer }) => referrer,
  language: ({ language }) => language,
  utm_source: ({ utm }) => utm.source,
  utm_medium: ({ utm }) => utm.medium,
  utm_campaign: ({ utm }) => utm.campaign,
  utm_term: ({ utm }) => utm.term,
  utm_content: ({ utm }) => utm.content,
  visitor: ({ visitor }) => visitor,
  address: ({ address }) => address,
  message_id: (click) => click.message_id,
  contact_id: (click) => click.contact_id,
  destination_url: (click) => click.destination_url,
};

/** Yields all matching clicks as CSV, newest first. */
export async function* clickPages(
  unit: ReadUnit,
  workspaceId: string,
  linkId: string,
  link: LinkOfClicks,
  filter: ClickFilter,
): AsyncGenerator<string> {
  yield csvHead(Object.keys(COLUMNS));
  const cells = Object.values(COLUMNS);
  for (let after: string | null = null; ;) {
    const page: Page = { limit: EXPORT_PAGE, after };
    const { rows, windowEnd } = await listClicks(unit.db, workspaceId, linkId, page, filter);
    const shown = rows.slice(0, EXPORT_PAGE).map((row) => presentClick(row, link));
    if (shown.length) yield csvLines(shown.map((click) => cells.map((cell) => cell(click))));
    after = rows.length > EXPORT_PAGE ? rows[EXPORT_PAGE - 1]!.id : windowEnd;
    if (after === null) return;
  }
}
