import type { Queryable } from '../../db/database.ts';

/** Forgets how far a journal was loaded. Only after it is gone for good: otherwise it would be loaded again. */
export async function forgetJournal(db: Queryable, journalId: string): Promise<void> {
  await db.deleteFrom('journals').where('journal_id', '=', journalId).execute();
}
