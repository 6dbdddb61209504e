/**
 * Lists groups, newest first: those of a participant, of an instance, or all, each using an index with its order.
 * Filters without an index scan a window of WINDOW groups per page, and the next page continues after it.
 */
import { likePattern } from '../../../platform/db/like-pattern.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { idRange } from '../../../platform/db/uuid-time.ts';
import type { Page } from '../../../platform/http/pagination.ts';
import { type GroupRow, selectGroups } from './group.store.ts';

const WINDOW = 5_000;

export interface GroupFilter {
  instanceId?: string;
  membership?: string;
  text?: string;
  /** Groups with a participant that has one of these. */
  identities?: readonly { instance_id: string; address: string }[];
  createdAfter?: string;
  createdBefore?: string;
}

type Part = RawBuilder<unknown>;

/** Reads IDs of groups in list order. */
function walk(workspaceId: string, after: string | null, filter: GroupFilter, limit: number): Part {
  const { instanceId, identities } = filter;
  const { from, below } = idRange(after, filter);
  if (identities)
    return sql`
      select distinct f.id from unnest(
        ${identities.map((one) => one.instance_id)}::uuid[], ${identities.map(({ address }) => address)}::text[]
      ) i (instance_id, address)
      cross join lateral (
        select p.group_id as id from group_participants p
        where p.workspace_id = ${workspaceId} and p.instance_id = i.instance_id and p.address = i.address
          and p.group_id >= ${from} and p.group_id < ${below}
        order by p.group_id desc limit ${limit}
      ) f order by f.id desc limit ${limit}`;
  const ofInstance = instanceId === undefined ? sql`` : sql`and g.instance_id = ${instanceId}`;
  return sql`
    select g.id from groups g
    where g.workspace_id = ${workspaceId} and g.id >= ${from} and g.id < ${below} ${ofInstance}
    order by g.id desc limit ${limit}`;
}

function getConditions({ membership, text, identities, instanceId }: GroupFilter): Part[] {
  const pattern = text === undefined ? '' : likePattern(text);
  return [
    membership === undefined ? null : sql`c.membership = ${membership}`,
    text === undefined ? null : sql`(c.subject ilike ${pattern} or c.key ilike ${pattern})`,
    identities && instanceId !== undefined ? sql`c.instance_id = ${instanceId}` : null,
  ].filter((one) => one !== null);
}

/**
 * Lists groups, one row more than the page holds.
 * @returns `windowEnd`: where the next page continues if a full window ended this one early
 */
export async function listGroups(
  db: Db,
  workspaceId: string,
  page: Page,
  filter: GroupFilter,
): Promise<{ rows: GroupRow[]; windowEnd: string | null }> {
  const limit = page.limit + 1;
  const conditions = getConditions(filter);
  const size = conditions.length ? Math.max(WINDOW, limit) : limit;
  const window = walk(workspaceId, page.after, filter, size);
  const picked = sql`(
    select c.* from (${window}) w
    join groups c on c.workspace_id = ${workspaceId} and c.id = w.id
    where ${conditions.length ? sql.join(conditions, sql` and `) : sql`true`}
    order by c.id desc limit ${limit}
  )`;
  const { rows } = await sql<GroupRow>`${selectGroups(picked)} order by g.id desc`.execute(db);
  if (!conditions.length || rows.length === limit) return { rows, windowEnd: null };
  const { rows: last } = await sql<{ id: string }>`
    select id from (${window}) w order by id desc offset ${size - 1}
  `.execute(db);
  return { rows, windowEnd: last[0]?.id ?? null };
}
