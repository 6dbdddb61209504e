/** Corrects the counted bytes of media of all workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/**
 * Corrects the byte counts, for example after a server of an earlier version wrote media during an upgrade. Media and
 * counts change in the same transactions, so their difference in one snapshot is correct despite concurrent writes.
 */
export async function correctMediaBytes(db: Db): Promise<void> {
  await sql`
    insert into media_bytes (workspace_id, bytes)
    select workspace_id, sum(bytes) from (
      select workspace_id, size::bigint as bytes from media where size is not null
      union all select workspace_id, -bytes from media_bytes
    ) held
    group by workspace_id having sum(bytes) <> 0
  `.execute(db);
}
