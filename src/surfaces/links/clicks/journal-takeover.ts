/** Finds journals of another database when a process starts, and takes them over if safe (journal-database.ts). */
import { join } from 'node:path';
import type { Db } from '../../../platform/db/database.ts';
import { openFileLock } from '../../../platform/embedded-postgres/file-lock.ts';
import { getDatabaseIdentity } from './orphan-recovery.system-store.ts';
import { readDatabaseName, nameDatabase, findJournalsOfOthers } from './journal-database.ts';
import { type ClaimedJournal, claimOrphan } from './journal-owner.ts';
import { openJournal } from './load.system-store.ts';

/** Maximum number of journals listed in a log line. */
const MAX_NAMED = 10;

export interface TakeoverDeps {
  /** Directory of all journals. */
  root: string;
  db: Db;
  log: { warn(details: object, message: string): void };
}

/** Assigns a claimed journal, or this process's own, to this database. */
export async function assignToDatabase(
  db: Db,
  { id, folder }: Pick<ClaimedJournal, 'id' | 'folder'>,
  database: string,
): Promise<void> {
  await openJournal(db, id);
  nameDatabase(folder, database);
}

/** Claims all journals, or none. @returns null if one of them is in use */
function claimAll(root: string, ids: Iterable<string>): ClaimedJournal[] | null {
  const held: ClaimedJournal[] = [];
  let isComplete = false;
  try {
    for (const id of ids) {
      const one = claimOrphan(root, id);
      if (one === null) return null;
      held.push(one);
    }
    isComplete = true;
    return held;
  } finally {
    if (!isComplete) for (const one of held) one.release();
  }
}

async function takeOverForeign(
  { root, db, log }: TakeoverDeps,
  foreign: ReadonlyMap<string, string | null>,
  database: string,
): Promise<ClaimedJournal[]> {
  const held = claimAll(root, foreign.keys());
  if (held === null) {
    log.warn({}, 'click journal: a server of another database uses this DATA_DIR, skipping its journals');
    return [];
  }
  const taken: ClaimedJournal[] = [];
  try {
    const others = await findJournalsOfOthers(db, foreign, database);
    if (others.size)
      log.warn(
        { count: others.size, journals: [...others].slice(0, MAX_NAMED) },
        'click journal: skipping journals of another database',
      );
    for (const one of held) {
      if (others.has(one.id)) continue;
      await assignToDatabase(db, one, database);
      taken.push(one);
    }
    for (const one of held) if (!taken.includes(one)) one.release();
    return taken;
  } catch (error) {
    for (const one of held) one.release();
    throw error;
  }
}

/** Finds journals of other databases. @returns null if one cannot be read; orphan recovery then reports it */
function findForeign(
  root: string,
  ids: readonly string[],
  database: string,
): Map<string, string | null> | null {
  try {
    const named = ids.map((id) => [id, readDatabaseName(join(root, id))] as const);
    return new Map(named.filter(([, name]) => name !== null && name !== database));
  } catch {
    return null;
  }
}

/**
 * Assigns the journals of this process to the database. Takes over journals of a database that this one was copied from
 * if no server uses them.
 * @param ids of all existing journals
 * @param ownJournals this process's own journal and those that it has claimed
 * @returns the identity of this database; null if another process is doing the same: call again later
 * @throws database or system errors; nothing remains claimed then
 */
export async function takeOver(
  deps: TakeoverDeps,
  ids: readonly string[],
  ownJournals: readonly Pick<ClaimedJournal, 'id' | 'folder'>[],
): Promise<{ database: string; taken: ClaimedJournal[] } | null> {
  const { root, db } = deps;
  const database = await getDatabaseIdentity(db);
  // Before waiting for the lock: the loader is already counting their clicks.
  for (const one of ownJournals) await assignToDatabase(db, one, database);
  // Without this lock, processes that start together would mistake each other's claims for another database's server.
  const takeoverLock = openFileLock(join(root, 'turn'));
  if (takeoverLock === null) return null;
  try {
    const foreign = findForeign(root, ids, database);
    return { database, taken: foreign?.size ? await takeOverForeign(deps, foreign, database) : [] };
  } finally {
    takeoverLock.close();
  }
}
