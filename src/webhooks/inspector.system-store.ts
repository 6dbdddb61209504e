/** What is done with inspectors of all workspaces: finding one by its token, deleting what is old. */
import { sql } from 'kysely';
import type { Queryable } from '../db/database.ts';

/** @param tokenHash SHA-256 of the token. @returns undefined too where its workspace is deleted. */
export function findInspectorByToken(
  db: Queryable,
  tokenHash: Buffer,
): Promise<{ workspace_id: string; inspector_id: string } | undefined> {
  return db
    .selectFrom('inspect_tokens')
    .innerJoin('workspaces', 'workspaces.id', 'inspect_tokens.workspace_id')
    .select(['inspect_tokens.workspace_id', 'inspector_id'])
    .where('hash', '=', tokenHash)
    .where('workspaces.deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Deletes requests that arrived before `before`. @returns how many; at most `most`. */
export async function deleteRequestsBefore(db: Queryable, before: Date, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from inspector_requests where ctid = any (array(
      select ctid from inspector_requests where created_at < ${before} limit ${most} for update skip locked
    ))
  `.execute(db);
  return Number(numAffectedRows);
}
