/**
 * Rows of single clicks, of one link, newest first. They lie in partitions by day, and looking into each would cost a page
 * as much as there are days; so the link's sums by day tell how far back a page has to look.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { FIRST_UUID, firstUuidAt, idRange, LAST_UUID, timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { DAY_MS } from '../../../platform/db/partitions.ts';
import type { Page } from '../../../platform/http/pagination.ts';
import type { DimensionFilter } from '../analytics/dimensions.ts';
import { rawValue } from '../analytics/raw-clicks.store.ts';
import type { ClickRow } from './click-present.ts';
import type { Dimension } from './scopes.ts';

/** Clicks that a page with filters looks through. */
const WINDOW = 5_000;

export interface ClickFilter {
  dimensions: DimensionFilter;
  bot: boolean | null;
  createdAfter?: string;
  createdBefore?: string;
  /** Single clicks are kept from then on. */
  keptFrom: Date;
  now: Date;
}

export interface LinkOfClicks {
  message_id: string | null;
  contact_id: string | null;
}

export async function findLinkOfClicks(
  db: Db,
  workspaceId: string,
  linkId: string,
): Promise<LinkOfClicks | undefined> {
  return db
    .selectFrom('links')
    .select(['message_id', 'contact_id'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', linkId)
    .executeTakeFirst();
}

/** Clocks of those who take clicks may be ahead of this one. */
const tomorrow = (now: Date): Date => new Date(now.getTime() + DAY_MS);
const dayOf = (time: Date): Date => new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS);

interface Window {
  /** Where the earliest day that is looked at begins. */
  begin: Date;
  /** Whether there may be clicks before it. */
  isCut: boolean;
}

/**
 * The days that are looked at: that in which `before` lies (of which nobody knows how much is left), and the latest ones
 * before it that hold `count` clicks, or all there are.
 */
async function windowOf(
  db: Db,
  workspaceId: string,
  linkId: string,
  { from, before, count }: { from: Date; before: Date; count: number },
): Promise<Window> {
  const { rows } = await sql<{ begin: Date | null; all: number }>`
    select min(bucket) filter (where up_to - clicks < ${count}) as begin, coalesce(sum(clicks), 0)::float8 as "all"
    from (
      select bucket, clicks + bots as clicks, sum(clicks + bots) over (order by bucket desc) as up_to
      from click_rollups
      where workspace_id = ${workspaceId} and scope_id = ${linkId} and resolution = 'day'
        and bucket >= ${dayOf(from)} and bucket < ${dayOf(before)}
    ) as days
  `.execute(db);
  const { begin, all } = rows[0]!;
  return { begin: begin ?? dayOf(before), isCut: all >= count };
}

const conditionOf = ({ dimensions, bot }: ClickFilter): RawBuilder<unknown> | null => {
  const conditions = [
    ...(bot === null ? [] : [sql`c.bot = ${bot}`]),
    ...Object.entries(dimensions).map(([name, value]) => sql`${rawValue(name as Dimension)} = ${value}`),
  ];
  return conditions.length ? sql.join(conditions, sql` and `) : null;
};

/**
 * One row more than the page holds.
 * @returns `windowEnd`: where a page ends before it is full, the id to go on behind; else null
 */
export async function listClicks(
  db: Db,
  workspaceId: string,
  linkId: string,
  page: Page,
  filter: ClickFilter,
): Promise<{ rows: ClickRow[]; windowEnd: string | null }> {
  const { from, below } = idRange(page.after, filter);
  const kept = firstUuidAt(filter.keptFrom);
  const lowest = from === FIRST_UUID || from < kept ? kept : from;
  const condition = conditionOf(filter);
  const count = condition === null ? page.limit + 1 : Math.max(WINDOW, page.limit + 1);
  const before = below === LAST_UUID ? tomorrow(filter.now) : timeOfUuid(below);
  const { begin, isCut } = await windowOf(db, workspaceId, linkId, {
    from: timeOfUuid(lowest),
    before,
    count,
  });
  const firstId = [lowest, firstUuidAt(begin)].toSorted().at(-1)!;
  const { rows: looked } = await sql<ClickRow & { fits: boolean }>`
    select c.id, c.link_id, c.country, c.city, c.device, c.os, c.browser, c.referrer, c.language, c.utm_source,
      c.utm_medium, c.utm_campaign, c.utm_term, c.utm_content, c.bot, c.visitor::text as visitor, c.address,
      ${condition ?? sql`true`} as fits
    from clicks c
    where c.workspace_id = ${workspaceId} and c.link_id = ${linkId} and c.id >= ${firstId} and c.id < ${below}
    order by c.id desc limit ${count}
  `.execute(db);
  const rows = looked.filter(({ fits }) => fits).slice(0, page.limit + 1);
  if (rows.length > page.limit) return { rows, windowEnd: null };
  if (looked.length === count) return { rows, windowEnd: looked.at(-1)!.id };
  return { rows, windowEnd: isCut && firstId > lowest ? firstId : null };
}
