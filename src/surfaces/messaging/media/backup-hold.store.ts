/**
 * Prevents media contents from being removed while a backup reads them. Check here before removing a content, once the
 * deletion of the rows that refer to it is committed. A backup takes its lock before its snapshot: so either the lock
 * is seen here, or the snapshot has no row of that content any more.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** First key of the advisory lock that a backup of media holds. */
export const MEDIA_HELD = 0x6d62_6b70;

/** Whether contents may be removed now. */
export async function mayRemoveContents(db: Db): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock_shared(${sql.lit(MEDIA_HELD)}, 0) as free
  `.execute(db);
  return rows[0]!.free;
}
