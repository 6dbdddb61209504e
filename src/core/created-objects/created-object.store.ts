/** Queries over the tables of all kinds of created objects. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { CreatedKind, CreatedType } from './created-kind.ts';

export interface CreatedRow {
  type: CreatedType;
  id: string;
  name: string;
  enabled: boolean;
  created_by: string;
  created_at: Date;
}

export interface CreatedFilter {
  enabled?: boolean;
  createdAfter?: Date;
  createdBefore?: Date;
  /** Of this creator, only objects that were created before a time. */
  before?: { creator: string; time: Date };
}

/**
 * Returns objects that any of the creators created, newest first.
 * @param creators public IDs @param page one row more than `limit` is returned
 */
export async function listCreatedBy(
  db: Db,
  workspaceId: string,
  kinds: readonly CreatedKind[],
  creators: readonly string[],
  page: { limit: number; after: string | null },
  { enabled, createdAfter, createdBefore, before }: CreatedFilter,
): Promise<CreatedRow[]> {
  if (!kinds.length) return [];
  const limit = page.limit + 1;
  // One index scan per creator and kind, each of which stops at the limit.
  const parts = kinds.map(
    (kind) => sql`
      select ${sql.lit(kind.type)}::text as type, t.* from unnest(${[...creators]}::text[]) as creator
      cross join lateral (
        select id, ${kind.name} as name, ${kind.isEnabled} as enabled, created_by, created_at
        from ${sql.table(kind.table)}
        where workspace_id = ${workspaceId} and created_by = creator
          and ${page.after === null ? sql`true` : sql`id < ${page.after}`}
          and ${createdAfter === undefined ? sql`true` : sql`created_at > ${createdAfter}`}
          and ${createdBefore === undefined ? sql`true` : sql`created_at < ${createdBefore}`}
          and ${before === undefined ? sql`true` : sql`(creator <> ${before.creator} or created_at < ${before.time})`}
          and ${enabled === undefined ? sql`true` : sql`(${kind.isEnabled}) = ${enabled}`}
        order by id desc limit ${limit}
      ) t`,
  );
  const { rows } = await sql<CreatedRow>`
    select * from (${sql.join(parts, sql` union all `)}) created order by id desc limit ${limit}
  `.execute(db);
  return rows;
}

/** Returns the IDs of the API keys that any of the creators created, in any state. */
export async function keysCreatedBy(
  db: Db,
  workspaceId: string,
  creators: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('api_keys')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('created_by', 'in', [...creators])
    .execute();
  return rows.map(({ id }) => id);
}
