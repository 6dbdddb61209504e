/**
 * Assignment of journals to a database. The file `database` in their root names the database that loads the journals. A
 * server of another database must not load them: their records would be counted in the wrong database, or dropped. Such a server refuses to start, unless its database is a copy that has a row for each
 * journal, as after `fairlead move` or a physical restore.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from '../db/database.ts';
import { getCode } from '../embedded-postgres/errors.ts';
import { JOURNAL } from './journal.ts';
import { findKnownJournals, getDatabaseIdentity } from './journals.system-store.ts';

/** Maximum number of journals listed in an error. */
const MAX_LISTED = 5;

/** Thrown when a root contains journals of another database. */
class ForeignJournalsError extends Error {
  override name = 'ForeignJournalsError';
  constructor(root: string, records: string, journals: readonly string[]) {
    const listed = journals.slice(0, MAX_LISTED).join(', ') + (journals.length > MAX_LISTED ? ', …' : '');
    super(
      `${root} contains ${journals.length} journals of another database: ${listed}. ` +
        `To load them into this database, run: fairlead admin claim-journals. To discard their ${records}, delete the directories.`,
    );
  }
}

function ifExists<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(getCode(error) ?? '')) return null;
    throw error;
  }
}

/** Reads a label. @returns null if there is none, or if a power failure left it empty */
const readLabel = (folder: string): string | null =>
  ifExists(() => readFileSync(join(folder, 'database'), 'utf8')) || null;

/** Assigns all journals in a root to this database, which loads them from then on. */
export async function claimJournals(db: Db, root: string): Promise<void> {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const aside = join(root, `database.${process.pid}`);
  writeFileSync(aside, await getDatabaseIdentity(db), { mode: 0o600 });
  renameSync(aside, join(root, 'database'));
}

/**
 * Checks that this database may load the journals in a root.
 * @param records what they hold, in one word
 * @returns whether they are assigned to it already
 * @throws ForeignJournalsError
 */
export async function assertOwnJournals(db: Db, root: string, records: string): Promise<boolean> {
  const journals = ifExists(() => readdirSync(root).filter((name) => JOURNAL.test(name))) ?? [];
  const assigned = readLabel(root);
  const identity = await getDatabaseIdentity(db);
  if (assigned === identity) return true;
  const foreign = assigned === null ? [] : journals;
  const known = foreign.length ? await findKnownJournals(db, foreign) : new Set();
  const unknown = foreign.filter((id) => !known.has(id));
  if (unknown.length) throw new ForeignJournalsError(root, records, unknown);
  return false;
}
