/** Loads records of a journal in the transaction that moves its position, so that each is loaded exactly once. */
import { sql } from 'kysely';
import { isRowError, type Tx } from '../db/database.ts';
import { type JournalPosition, lockJournal, saveJournal } from './journals.system-store.ts';

/** A transaction. */
interface Unit {
  db: Tx;
}

export interface LoadOnce<U extends Unit, Result> {
  /** Runs work in a transaction. */
  write: <T>(work: (unit: U) => Promise<T>) => Promise<T>;
  journalId: string;
  /** The records were read between these positions. */
  from: JournalPosition;
  to: JournalPosition;
  /** Loads everything. */
  all: (unit: U) => Promise<Result>;
  /** Loads one record after the other, with `loadEach`; used after the database rejected a row of all. */
  each: (unit: U) => Promise<Result>;
}

/** @returns 'elsewhere' if another process loads the journal or has loaded it beyond `from`; nothing is written then */
export async function loadOnce<U extends Unit, Result>({
  write,
  journalId,
  from,
  to,
  all,
  each,
}: LoadOnce<U, Result>): Promise<Result | 'elsewhere'> {
  const attempt = (work: (unit: U) => Promise<Result>): Promise<Result | 'elsewhere'> =>
    write(async (unit) => {
      const at = await lockJournal(unit.db, journalId);
      if (at === null || at.segment !== from.segment || at.position !== from.position) return 'elsewhere';
      const result = await work(unit);
      await saveJournal(unit.db, journalId, to);
      return result;
    });
  try {
    return await attempt(all);
  } catch (error) {
    if (!isRowError(error)) throw error;
    return await attempt(each);
  }
}

/** Loads records one by one. @returns how many the database rejected, which are skipped */
export async function loadEach<T>(
  { db }: Unit,
  records: readonly T[],
  load: (record: T) => Promise<void>,
): Promise<number> {
  let rejected = 0;
  for (const record of records) {
    await sql`savepoint record`.execute(db);
    try {
      await load(record);
    } catch (error) {
      if (!isRowError(error)) throw error;
      await sql`rollback to savepoint record`.execute(db);
      rejected++;
    }
    await sql`release savepoint record`.execute(db);
  }
  return rejected;
}
