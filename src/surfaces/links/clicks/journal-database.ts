/**
 * Into which database a journal belongs: the file `database` of its folder names it. Two servers may come to share a
 * DATA_DIR and not the database, as after a move that was undone while the new one is still served. Then neither may
 * load what the other left: it would be counted in the wrong place, or dropped where its link is not known, and gone.
 *
 * A journal is named after its row is in that database. So one that has a name and no row elsewhere is another's; one
 * that has a row, too, was begun before the database was copied. Without a name it is whoever's finds it: it was made
 * before there were names, or put back from a backup, or nothing of it could be loaded yet.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from '../../../platform/db/database.ts';
import { getCode } from '../../../platform/embedded-postgres/errors.ts';
import { journalsAmong } from './orphan-recovery.system-store.ts';

/** @returns null where it has no name */
export function databaseOf(folder: string): string | null {
  try {
    return readFileSync(join(folder, 'database'), 'utf8') || null; // empty after a power failure
  } catch (error) {
    if (getCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Only while the journal is held, and its row is in the database.
 * @param database of `identityOf`
 */
export function nameDatabase(folder: string, database: string): void {
  const aside = join(folder, 'database.new');
  writeFileSync(aside, database, { mode: 0o600 });
  renameSync(aside, join(folder, 'database'));
}

/**
 * Which of the journals belong to another database than this one.
 * @param named each with its name. @param database what this one is called
 */
export async function othersAmong(
  db: Db,
  named: ReadonlyMap<string, string | null>,
  database: string,
): Promise<Set<string>> {
  const foreign = [...named].filter(([, name]) => name !== null && name !== database).map(([id]) => id);
  if (!foreign.length) return new Set();
  const known = await journalsAmong(db, foreign);
  return new Set(foreign.filter((id) => !known.has(id)));
}
