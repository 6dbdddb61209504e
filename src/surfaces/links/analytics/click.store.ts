/**
 * Reads single clicks of a link, newest first. Clicks are partitioned by day, and a page that searched all partitions
 * would cost as much as there are days. The link's daily roll-ups therefore limit how far back a page searches.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { FIRST_UUID, firstUuidAt, idRange, LAST_UUID, timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { DAY_MS } from '../../../platform/db/partitions.ts';
import type { Page } from '../../../platform/http/pagination.ts';
import type { DimensionFilter } from './dimensions.ts';
import { rawValue } from './raw-clicks.store.ts';
import type { ClickRow } from '../clicks/click-present.ts';
import type { Dimension } from '../clicks/scopes.ts';

/** Clicks that are checked for a page with filters. */
const WINDOW = 5_000;

export interface ClickFilter {
  dimensions: DimensionFilter;
  bot: boolean | null;
  createdAfter?: string;
  createdBefore?: string;
  /** Start of the retention of single clicks. */
  retainedFrom: Date;
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

/** Upper bound for clicks: the clocks of redirecting nodes may be ahead of this one. */
const tomorrow = (now: Date): Date => new Date(now.getTime() + DAY_MS);
const startOfDay = (time: Date): Date => new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS);

interface Window {
  /** Start of the earliest day that is searched. */
  begin: Date;
  /** Whether there may be earlier clicks. */
  isCut: boolean;
}

/**
 * Determines the days to search: the day of `before`, whose remaining clicks are unknown, and the latest days before it
 * that have `count` clicks in total, or all days.
 */
async function findWindow(
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
        and bucket >= ${startOfDay(from)} and bucket < ${startOfDay(before)}
    ) as days
  `.execute(db);
  const { begin, all } = rows[0]!;
  return { begin: begin ?? startOfDay(before), isCut: all >= count };
}

const buildCondition = ({ dimensions, bot }: ClickFilter): RawBuilder<unknown> | null => {
  const conditions = [
    ...(bot === null ? [] : [sql`c.bot = ${bot}`]),
    ...Object.entries(dimensions).map(([name, value]) => sql`${rawValue(name as Dimension)} = ${value}`),
  ];
  return conditions.length ? sql.join(conditions, sql` and `) : null;
};

const COLUMNS = sql`
  c.id, c.link_id, c.country, c.city, c.device, c.os, c.browser, c.referrer, c.language, c.utm_source, c.utm_medium,
  c.utm_campaign, c.utm_term, c.utm_content, c.bot, c.visitor::text as visitor, c.address,
  c.destination_url
`;

/** Finds a click that is still retained. */
export async function findClick(
  db: Db,
  workspaceId: string,
  linkId: string,
  id: string,
  { retainedFrom }: Pick<ClickFilter, 'retainedFrom'>,
): Promise<ClickRow | undefined> {
  const { rows } = await sql<ClickRow>`
    select ${COLUMNS} from clicks c
    where c.workspace_id = ${workspaceId} and c.link_id = ${linkId} and c.id = ${id}
      and c.id >= ${firstUuidAt(retainedFrom)}
  `.execute(db);
  return rows[0];
}

/**
 * Lists clicks, one row more than the page holds.
 * @returns `windowEnd`: the ID to continue from if the search ended before the page was full; else null
 */
export async function listClicks(
  db: Db,
  workspaceId: string,
  linkId: string,
  page: Page,
  filter: ClickFilter,
): Promise<{ rows: ClickRow[]; windowEnd: string | null }> {
  const { from, below } = idRange(page.after, filter);
  const retentionStart = firstUuidAt(filter.retainedFrom);
  const lowest = from === FIRST_UUID || from < retentionStart ? retentionStart : from;
  const condition = buildCondition(filter);
  const count = condition === null ? page.limit + 1 : Math.max(WINDOW, page.limit + 1);
  const before = below === LAST_UUID ? tomorrow(filter.now) : timeOfUuid(below);
  const { begin, isCut } = await findWindow(db, workspaceId, linkId, {
    from: timeOfUuid(lowest),
    before,
    count,
  });
  const firstId = [lowest, firstUuidAt(begin)].toSorted().at(-1)!;
  const { rows: scanned } = await sql<ClickRow & { fits: boolean }>`
    select ${COLUMNS}, ${condition ?? sql`true`} as fits
    from clicks c
    where c.workspace_id = ${workspaceId} and c.link_id = ${linkId} and c.id >= ${firstId} and c.id < ${below}
    order by c.id desc limit ${count}
  `.execute(db);
  const rows = scanned.filter(({ fits }) => fits).slice(0, page.limit + 1);
  if (rows.length > page.limit) return { rows, windowEnd: null };
  if (scanned.length === count) return { rows, windowEnd: scanned.at(-1)!.id };
  return { rows, windowEnd: isCut && firstId > lowest ? firstId : null };
}
