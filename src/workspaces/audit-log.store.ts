/** Rows of the audit log: added, read, never changed. */
import type { Insertable, Selectable } from 'kysely';
import type { Queryable } from '../db/database.ts';
import type { AuditLog } from '../db/tables.ts';
import type { Page } from '../http/pagination.ts';

export type AuditRow = Selectable<AuditLog>;

export interface AuditFilter {
  action?: string;
  actorId?: string;
  targetId?: string;
  createdAfter?: string;
  createdBefore?: string;
}

export async function insertEntry(
  db: Queryable,
  workspaceId: string,
  entry: Omit<Insertable<AuditLog>, 'workspace_id' | 'details'> & { details: object },
): Promise<void> {
  await db
    .insertInto('audit_log')
    .values({ ...entry, workspace_id: workspaceId, details: JSON.stringify(entry.details) })
    .execute();
}

/** Newest first, one more than the page holds. */
export function listEntries(
  db: Queryable,
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
