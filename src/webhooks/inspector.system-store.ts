/** What is done with inspectors of all workspaces: finding one by its token. */
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
