/** Reads single calls, and stores their prompts and responses. */
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { ModelCalls } from '../../../platform/db/tables.ts';
import { idRange } from '../../../platform/db/uuid-time.ts';
import type { Page } from '../../../platform/http/pagination.ts';

export type ModelCallRow = Selectable<ModelCalls> & { has_content: boolean };

const hasContent = sql<boolean>`exists (
  select from model_call_contents t where t.workspace_id = c.workspace_id and t.id = c.id
)`.as('has_content');

/** Newest first, at most one row more than the page holds. */
export function listCalls(
  db: Db,
  workspaceId: string,
  page: Page,
  filter: { createdAfter?: string; createdBefore?: string },
): Promise<ModelCallRow[]> {
  const { from, below } = idRange(page.after, filter);
  return db
    .selectFrom('model_calls as c')
    .selectAll('c')
    .select(hasContent)
    .where('c.workspace_id', '=', workspaceId)
    .where('c.id', '>=', from)
    .where('c.id', '<', below)
    .orderBy('c.id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

export function getCall(db: Db, workspaceId: string, id: string): Promise<ModelCallRow | undefined> {
  return db
    .selectFrom('model_calls as c')
    .selectAll('c')
    .select(hasContent)
    .where('c.workspace_id', '=', workspaceId)
    .where('c.id', '=', id)
    .executeTakeFirst();
}

/** @returns the sealed content */
export async function getContent(db: Db, workspaceId: string, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('model_call_contents')
    .select('content_sealed')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.content_sealed;
}

/** Inserts the content, unless the workspace has turned storing off or was deleted since the call began. */
export async function insertContent(db: Db, workspaceId: string, id: string, sealed: string): Promise<void> {
  await sql`
    insert into model_call_contents (workspace_id, id, content_sealed)
    select w.id, ${id}::uuid, ${sealed} from workspaces w
    where w.id = ${workspaceId} and w.deleted_at is null and w.store_model_calls
  `.execute(db);
}
