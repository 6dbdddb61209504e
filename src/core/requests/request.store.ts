/**
 * Reads the request log. A list walks the index of its most selective filter; other filters are applied to a window of
 * rows. If the window is full, the page ends early and the next one continues after it.
 */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { ApiRequests } from '../../platform/db/tables.ts';
import { idRange } from '../../platform/db/uuid-time.ts';
import type { Page } from '../../platform/http/pagination.ts';

const WINDOW = 20_000;
/** Rows that an index other than the primary key leads to are spread over the table, and cost more each. */
const SPREAD_WINDOW = 4_000;

export type ApiRequestRow = Selectable<ApiRequests>;

export interface ApiRequestFilter {
  /** Lowest and highest status. */
  status?: readonly [number, number];
  errors?: boolean;
  method?: string;
  operation?: string;
  actorType?: 'api_key' | 'user';
  apiKeyId?: string;
  userId?: string;
  errorCode?: string;
  address?: string;
  createdAfter?: string;
  createdBefore?: string;
}

export interface Found {
  rows: ApiRequestRow[];
  /** Position at which the next page continues if `rows` is shorter than a page. */
  windowEnd: string | null;
}

/** Columns that have an index with the workspace and ID, the most selective first. */
const INDEXED = [
  ['error_code', 'errorCode'],
  ['api_key_id', 'apiKeyId'],
  ['user_id', 'userId'],
  ['address', 'address'],
  ['operation', 'operation'],
] as const;

/** Newest first, at most one row more than the page holds. */
export async function listRequests(
  db: Db,
  workspaceId: string,
  page: Page,
  filter: ApiRequestFilter,
): Promise<Found> {
  const { from, below } = idRange(page.after, filter);
  const { status, method, errors, actorType } = filter;
  const given = INDEXED.filter(([, name]) => filter[name] !== undefined);
  const [walked, ...others] = given;
  const equals = ([column, name]: (typeof INDEXED)[number]): RawBuilder<unknown> =>
    sql`and r.${sql.ref(column)} = ${filter[name]}`;
  const onlyFailed = errors === true || (status !== undefined && status[0] >= 400);
  // The condition of a partial index.
  const failed = onlyFailed ? sql`and r.status >= 400` : sql``;
  const walksFailed = onlyFailed && walked === undefined;
  // The condition of another one. With both, the planner could walk past rows of one to find those of the other.
  const ofKeys = actorType === 'api_key' && !onlyFailed ? sql`and r.api_key_id is not null` : sql``;
  // Ranges over all columns of an index, so that the planner uses it regardless of its statistics.
  const walk = (limit: number): RawBuilder<unknown> =>
    walked === undefined
      ? sql`
          select r.* from api_requests r
          where r.workspace_id = ${workspaceId} and r.id >= ${from} and r.id < ${below} ${failed} ${ofKeys}
          order by r.id desc limit ${limit}`
      : sql`
          select r.* from api_requests r
          where (r.workspace_id, r.${sql.ref(walked[0])}, r.id) >= (${workspaceId}, ${filter[walked[1]]}, ${from}::uuid)
            and (r.workspace_id, r.${sql.ref(walked[0])}, r.id) < (${workspaceId}, ${filter[walked[1]]}, ${below}::uuid)
            and r.${sql.ref(walked[0])} is not null and r.id >= ${from} and r.id < ${below}
          order by r.workspace_id desc, r.${sql.ref(walked[0])} desc, r.id desc limit ${limit}`;
  const isWindow =
    others.length > 0 ||
    method !== undefined ||
    actorType !== undefined ||
    errors === false ||
    status !== undefined ||
    (onlyFailed && !walksFailed);
  const window = walked === undefined && !walksFailed ? WINDOW : SPREAD_WINDOW;
  const limit = isWindow ? window : page.limit + 1;
  const { rows } = await sql<ApiRequestRow>`
    select * from (${walk(limit)}) r
    where true ${failed} ${errors === false ? sql`and r.status < 400` : sql``}
      ${status ? sql`and r.status between ${status[0]} and ${status[1]}` : sql``}
      ${method === undefined ? sql`` : sql`and r.method = ${method}`}
      ${actorType === undefined ? sql`` : sql`and r.${sql.ref(`${actorType}_id`)} is not null`}
      ${sql.join(others.map(equals), sql` `)}
    order by r.id desc limit ${page.limit + 1}
  `.execute(db);
  if (!isWindow || rows.length > page.limit) return { rows, windowEnd: null };
  const end = await sql<{ id: string }>`select id from (${walk(window)}) r offset ${window - 1}`.execute(db);
  return { rows, windowEnd: end.rows[0]?.id ?? null };
}

export function getRequest(db: Db, workspaceId: string, id: string): Promise<ApiRequestRow | undefined> {
  return db
    .selectFrom('api_requests')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}
