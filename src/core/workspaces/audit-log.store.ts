/** Rows of the audit log: added, read, never changed. */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { AuditLog } from '../../platform/db/tables.ts';
import { idRange } from '../../platform/db/uuid-time.ts';
import type { Page } from '../../platform/http/pagination.ts';

export type AuditRow = Selectable<AuditLog>;

export interface AuditFilter {
  action?: string;
  actorId?: string;
  targetType?: string;
  targetId?: string;
  createdAfter?: string;
  createdBefore?: string;
}

export type NewAuditRow = Omit<Selectable<AuditLog>, 'details' | 'changes'> & {
  details: object;
  changes: object | null;
};

export async function insertEntry(db: Db, row: NewAuditRow): Promise<void> {
  await insertEntries([row]).execute(db);
}

/** Builds the statement that inserts rows, to be sent alone or along with others. */
export const insertEntries = (rows: readonly NewAuditRow[]): RawBuilder<unknown> => sql`
  insert into audit_log (
    workspace_id, id, action, actor_type, actor_id, actor_name, target_type, target_id, ip, request_id, details, created_at,
    target_name, changes
  )
  select
    workspace_id, id, action, actor_type, actor_id, actor_name, target_type, target_id, ip, request_id, details, created_at,
    target_name, nullif(changes, 'null'::jsonb)
  from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) r (
    workspace_id uuid, id uuid, action text, actor_type text, actor_id text, actor_name text, target_type text,
    target_id text, ip text, request_id text, details jsonb, created_at timestamptz,
    target_name text, changes jsonb
  )
`;

export const findEntry = (db: Db, workspaceId: string, id: string): Promise<AuditRow | undefined> =>
  db
    .selectFrom('audit_log')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();

/** Rows that a filter without an index looks through for one page. */
const WINDOW = 20_000;

/**
 * Newest first, at most one row more than the page holds.
 * @returns also the position at which the next page continues if this one is short; null at the end
 */
export async function listEntries(
  db: Db,
  workspaceId: string,
  page: Page,
  { action, actorId, targetType, targetId, createdAfter, createdBefore }: AuditFilter,
): Promise<{ rows: AuditRow[]; windowEnd: string | null }> {
  const range = idRange(page.after, { createdAfter, createdBefore });
  let walk = db
    .selectFrom('audit_log')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '>=', range.from)
    .where('id', '<', range.below)
    .orderBy('id', 'desc');
  if (action) walk = walk.where('action', '=', action);
  if (actorId) walk = walk.where('actor_id', '=', actorId);
  if (targetId) walk = walk.where('target_id', '=', targetId);
  if (!targetType) return { rows: await walk.limit(page.limit + 1).execute(), windowEnd: null };
  const rows = await db
    .selectFrom(walk.limit(WINDOW).as('entries'))
    .selectAll()
    .where('target_type', '=', targetType)
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  if (rows.length > page.limit) return { rows, windowEnd: null };
  const end = await walk
    .clearSelect()
    .select('id')
    .limit(1)
    .offset(WINDOW - 1)
    .executeTakeFirst();
  return { rows, windowEnd: end?.id ?? null };
}
