/** Looks up instances for imports and exports. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export interface NamedInstance {
  id: string;
  name: string;
}

export async function instanceNames(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<NamedInstance[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<NamedInstance>`
    select id, name from instances where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])
  `.execute(db);
  return rows;
}

/** Returns all instances with one of these names; several may share a name. */
export async function findInstancesByName(
  db: Db,
  workspaceId: string,
  names: readonly string[],
): Promise<NamedInstance[]> {
  if (names.length === 0) return [];
  const { rows } = await sql<NamedInstance>`
    select id, name from instances where workspace_id = ${workspaceId} and name = any(${names}::text[])
  `.execute(db);
  return rows;
}
