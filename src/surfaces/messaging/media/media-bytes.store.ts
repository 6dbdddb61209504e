/**
 * Counts the bytes of a workspace's media: the sum of its objects' sizes, even if several share one content. Each
 * statement that writes or deletes media updates the count in the same transaction.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** Returns the number of bytes that count toward the quota, including changes of this transaction. Reads a few rows. */
export async function countMediaBytes(db: Db, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('media_bytes')
    .select(sql<number>`greatest(0, coalesce(sum(bytes), 0))::bigint`.as('bytes'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.bytes;
}

/**
 * Adds to the count without waiting: skips rows that another transaction has locked.
 * @param bytes negative for deleted media
 */
export async function addMediaBytes(db: Db, workspaceId: string, bytes: number): Promise<void> {
  if (bytes === 0) return;
  await sql`
    with free as (
      select id from media_bytes where workspace_id = ${workspaceId} limit 1 for update skip locked
    ), added as (
      update media_bytes b set bytes = b.bytes + ${bytes} from free
      where b.workspace_id = ${workspaceId} and b.id = free.id returning b.id
    )
    insert into media_bytes (workspace_id, bytes)
    select ${workspaceId}::uuid, ${bytes}::bigint where not exists (select from added)
  `.execute(db);
}

/** After media were deleted. @param sizes of each, in bytes; null of those that had no content */
export const subtractMediaBytes = (
  db: Db,
  workspaceId: string,
  sizes: readonly (number | null)[],
): Promise<void> =>
  addMediaBytes(db, workspaceId, -sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0));
