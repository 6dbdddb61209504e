/** Rows of jobs. */
import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Jobs } from '../../platform/db/tables.ts';

export type JobRow = Selectable<Jobs>;

export function getJob(db: Db, workspaceId: string, id: string): Promise<JobRow | undefined> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function lockJob(db: Tx, workspaceId: string, id: string): Promise<JobRow | undefined> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export function insertJob(
  db: Db,
  workspaceId: string,
  row: { id: string; type: string; progress: object; created_at: Date },
): Promise<JobRow> {
  return db
    .insertInto('jobs')
    .values({
      workspace_id: workspaceId,
      ...row,
      progress: JSON.stringify(row.progress),
      updated_at: row.created_at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export interface JobChange {
  state?: string;
  progress?: object;
  result?: object | null;
  error?: object | null;
  finished_at?: Date;
}

/** The row must be locked. */
export async function updateJob(
  db: Db,
  workspaceId: string,
  id: string,
  { progress, result, error, ...rest }: JobChange,
  now: Date,
): Promise<void> {
  await db
    .updateTable('jobs')
    .set({
      ...rest,
      ...(progress ? { progress: JSON.stringify(progress) } : {}),
      ...(result ? { result: JSON.stringify(result) } : {}),
      ...(error ? { error: JSON.stringify(error) } : {}),
      updated_at: now,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}
