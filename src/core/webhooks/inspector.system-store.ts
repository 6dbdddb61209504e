/** Finds the inspector that a request is for. */
import type { Db } from '../../platform/db/database.ts';

/** @param tokenHash SHA-256 of the token. @returns undefined too if it is disabled or its workspace is deleted. */
export function findInspectorByToken(
  db: Db,
  tokenHash: Buffer,
): Promise<{ workspace_id: string; inspector_id: string } | undefined> {
  return db
    .selectFrom('inspect_tokens')
    .innerJoin('workspaces', 'workspaces.id', 'inspect_tokens.workspace_id')
    .innerJoin('inspectors', (join) =>
      join
        .onRef('inspectors.workspace_id', '=', 'inspect_tokens.workspace_id')
        .onRef('inspectors.id', '=', 'inspect_tokens.inspector_id'),
    )
    .select(['inspect_tokens.workspace_id', 'inspector_id'])
    .where('hash', '=', tokenHash)
    .where('workspaces.deleted_at', 'is', null)
    .where('inspectors.enabled', '=', true)
    .executeTakeFirst();
}

/** @returns undefined too if it is disabled or its workspace is deleted. */
export function findInspectorById(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<{ workspace_id: string; inspector_id: string } | undefined> {
  return db
    .selectFrom('inspectors')
    .innerJoin('workspaces', 'workspaces.id', 'inspectors.workspace_id')
    .select(['inspectors.workspace_id', 'inspectors.id as inspector_id'])
    .where('inspectors.workspace_id', '=', workspaceId)
    .where('inspectors.id', '=', id)
    .where('workspaces.deleted_at', 'is', null)
    .where('inspectors.enabled', '=', true)
    .executeTakeFirst();
}
