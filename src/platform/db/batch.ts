/** Runs several statements in one round trip. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';

/**
 * Runs inserts, updates and deletes as one statement. They see the same snapshot, so none sees the effects of another,
 * and no two may change the same row.
 * @param statements null is left out
 */
export async function runBatch(db: Db, statements: readonly (RawBuilder<unknown> | null)[]): Promise<void> {
  const parts = statements.filter((one) => one !== null);
  if (!parts.length) return;
  const named = parts.map((statement, nth) => sql`${sql.raw(`statement_${nth + 1}`)} as (${statement})`);
  await sql`with ${sql.join(named)} select`.execute(db);
}
