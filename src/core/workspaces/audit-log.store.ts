/** Rows of the audit log: added, read, never changed. */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { AuditLog } from '../../platform/db/tables.ts';
import type { Page } from '../../platform/http/pagination.ts';

export type AuditRow = Selectable<AuditLog>;

export interface AuditFilter {
  action?: string;
  actorId?: string;
  targetId?: string;
  createdAfter?: string;
  createdBefore?: string;
}

export type NewAuditRow = Omit<Selectable<AuditLog>, 'details'> & { details: object };

export async function insertEntry(db: Db, row: NewAuditRow): Promise<void> {
  await insertEntries([row]).execute(db);
}

/** Builds the statement that inserts rows, to be sent alone or along with others. */
export const insertEntries = (rows: readonly NewAuditRow[]): RawBuilder<unknown> => sql`
  insert into audit_log (
    workspace_id, id, action, actor_type, actor_id, actor_name, target_type, target_id, ip, request_id, details, created_at
  )
  select
    workspace_id, id, action, actor_type, actor_id, actor_name, target_type, target_id, ip, request_id, details, created_at
  from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) r (
    workspace_id uuid, id uuid, action text, actor_type text, actor_id text, actor_name text, target_type text,
    target_id text, ip text, request_id text, details jsonb, created_at timestamptz
  )
`;

/** Newest first, one more than the page holds. */
export function listEntries(
  db: Db,
  workspaceId: string,
  page: Page,
  { action, actorId, targetId, createdAfter, createdBefore }: AuditFilter,
): Promise<AuditRow[]> {
  let query = db
    .selectFrom('audit_log')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.after) query = query.where('id', '<', page.after);
  if (action) query = query.where('action', '=', action);
  if (actorId) query = query.where('actor_id', '=', actorId);
  if (targetId) query = query.where('target_id', '=', targetId);
  if (createdAfter) query = query.where('created_at', '>', new Date(createdAfter));
  if (createdBefore) query = query.where('created_at', '<', new Date(createdBefore));
  return query.execute();
}
