/** What a process finds at its start of journals that belong to another database (journal-database.ts). */
import { join } from 'node:path';
import type { Db } from '../../../platform/db/database.ts';
import { openFileLock } from '../../../platform/embedded-postgres/file-lock.ts';
import { identityOf } from './orphan-recovery.system-store.ts';
import { databaseOf, nameDatabase, othersAmong } from './journal-database.ts';
import { type JournalSnapshotEntry, takeJournal } from './journal-owner.ts';
import { openJournal } from './load.system-store.ts';

/** Journals that a line of the log names. */
const MAX_NAMED = 10;

export interface TakeoverDeps {
  /** Where journals lie. */
  root: string;
  db: Db;
  log: { warn(details: object, message: string): void };
}

/** A journal that is held, or this process's own, is of this database alone from then on. */
export async function assign(
  db: Db,
  { id, folder }: Pick<JournalSnapshotEntry, 'id' | 'folder'>,
  database: string,
): Promise<void> {
  await openJournal(db, id);
  nameDatabase(folder, database);
}

/** @returns null where one of them is in use, and nothing is held then */
function takeAll(root: string, ids: Iterable<string>): JournalSnapshotEntry[] | null {
  const held: JournalSnapshotEntry[] = [];
  let isComplete = false;
  try {
    for (const id of ids) {
      const one = takeJournal(root, id);
      if (one === null) return null;
      held.push(one);
    }
    isComplete = true;
    return held;
  } finally {
    if (!isComplete) for (const one of held) one.release();
  }
}

async function takeForeign(
  { root, db, log }: TakeoverDeps,
  foreign: ReadonlyMap<string, string | null>,
  database: string,
): Promise<JournalSnapshotEntry[]> {
  const held = takeAll(root, foreign.keys());
  if (held === null) {
    log.warn({}, 'a server of another database uses this DATA_DIR, too: its clicks are left alone');
    return [];
  }
  const taken: JournalSnapshotEntry[] = [];
  try {
    const others = await othersAmong(db, foreign, database);
    if (others.size)
      log.warn(
        { count: others.size, journals: [...others].slice(0, MAX_NAMED) },
        'clicks in DATA_DIR are left alone: they belong to another database',
      );
    for (const one of held) {
      if (others.has(one.id)) continue;
      await assign(db, one, database);
      taken.push(one);
    }
    for (const one of held) if (!taken.includes(one)) one.release();
    return taken;
  } catch (error) {
    for (const one of held) one.release();
    throw error;
  }
}

/** @returns null where one can't be read: it may be in use. Whoever adopts comes to it, too, and tells of it */
function foreignAmong(
  root: string,
  ids: readonly string[],
  database: string,
): Map<string, string | null> | null {
  try {
    const named = ids.map((id) => [id, databaseOf(join(root, id))] as const);
    return new Map(named.filter(([, name]) => name !== null && name !== database));
  } catch {
    return null;
  }
}

/**
 * Names the journals of this process, and takes those of a database that this one was copied from and that nobody serves.
 * @param ids of all that are there. @param own this process's own, and what it holds
 * @returns what this database is called; null where another process is at it: to be called again
 * @throws what the database does, or the system; nothing is held then
 */
export async function takeOver(
  deps: TakeoverDeps,
  ids: readonly string[],
  own: readonly Pick<JournalSnapshotEntry, 'id' | 'folder'>[],
): Promise<{ database: string; taken: JournalSnapshotEntry[] } | null> {
  const { root, db } = deps;
  const database = await identityOf(db);
  // Before any wait for a turn: the loader counts their clicks by now.
  for (const one of own) await assign(db, one, database);
  // Of processes that start at once each would take the others' hold for that of another database.
  const turn = openFileLock(join(root, 'turn'));
  if (turn === null) return null;
  try {
    const foreign = foreignAmong(root, ids, database);
    return { database, taken: foreign?.size ? await takeForeign(deps, foreign, database) : [] };
  } finally {
    turn.close();
  }
}
