/**
 * Assignment of journals to databases: the file `database` in a journal's directory names its database. Two servers can
 * end up with the same DATA_DIR but different databases, for example after a move that was undone while the new server
 * is still running. Neither may then load the other's journals: clicks would be counted in the wrong database, or
 * dropped because their link is unknown.
 *
 * A journal is named only after its row is in the database. So a named journal without a row here belongs to another
 * database; a named journal with a row here was started before the database was copied. Any process may claim an
 * unnamed journal: it is older than this scheme, was restored from a backup, or none of it was ever loaded.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from '../../../platform/db/database.ts';
import { getCode } from '../../../platform/embedded-postgres/errors.ts';
import { findKnownJournals } from './orphan-recovery.system-store.ts';

/** Reads the database that a journal is assigned to. @returns null if it is unassigned */
export function readDatabaseName(folder: string): string | null {
  try {
    return readFileSync(join(folder, 'database'), 'utf8') || null; // empty after a power failure
  } catch (error) {
    if (getCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Assigns a journal to a database. The journal must be claimed, and its row must exist.
 * @param database from `identityOf`
 */
export function nameDatabase(folder: string, database: string): void {
  const aside = join(folder, 'database.new');
  writeFileSync(aside, database, { mode: 0o600 });
  renameSync(aside, join(folder, 'database'));
}

/**
 * Returns the journals that belong to another database.
 * @param named journal id → its database
 * @param database identity of this database
 */
export async function findJournalsOfOthers(
  db: Db,
  named: ReadonlyMap<string, string | null>,
  database: string,
): Promise<Set<string>> {
  const foreign = [...named].filter(([, name]) => name !== null && name !== database).map(([id]) => id);
  if (!foreign.length) return new Set();
  const known = await findKnownJournals(db, foreign);
  return new Set(foreign.filter((id) => !known.has(id)));
}
