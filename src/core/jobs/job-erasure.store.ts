/** Removes data of an erased contact or workspace from jobs: those that callers watch, and those in the queues. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

interface JobTrace {
  id: string;
  result: Record<string, unknown> | null;
}

/** Reads jobs whose result matches one of the patterns. */
export async function resultsWith(
  db: Db,
  workspaceId: string,
  before: Date,
  patterns: readonly string[],
): Promise<JobTrace[]> {
  const { rows } = await sql<JobTrace>`
    select id, result from jobs
    where workspace_id = ${workspaceId} and created_at <= ${before}
      and result::text like any(${patterns}::text[])
  `.execute(db);
  return rows;
}

export async function replaceResult(db: Db, workspaceId: string, id: string, result: object): Promise<void> {
  await sql`
    update jobs set result = ${JSON.stringify(result)} where workspace_id = ${workspaceId} and id = ${id}
  `.execute(db);
}

/** Deletes completed jobs about these contacts from the queues. */
export async function deleteOverFor(
  db: Db,
  workspaceId: string,
  contactIds: readonly string[],
): Promise<void> {
  await sql`
    delete from pgboss.job
    where name in ('contacts.merge', 'contacts.join', 'links.contacts', 'dead')
      and state in ('completed', 'cancelled', 'failed') and data ->> 'workspaceId' = ${workspaceId}
      and data::text like any(${contactIds.map((id) => `%${id}%`)}::text[])
  `.execute(db);
}

/** Deletes all jobs of a workspace from the queues, in any state. */
export async function deleteAllFor(db: Db, workspaceId: string): Promise<void> {
  await sql`delete from pgboss.job where data ->> 'workspaceId' = ${workspaceId}`.execute(db);
}
