/**
 * Links a data directory with a database that is stored elsewhere (data-directory.ts): the data directory's
 * `database-location.txt` names the database's directory, whose `data-folder.txt` names the data directory.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../logging/log.ts';
import type { Account } from './account.ts';
import { cannotUse, getCode, EmbeddedDatabaseError } from './errors.ts';

/** Where the database of a data folder lies. */
export interface DatabaseLocation {
  /** The data folder, all links resolved. */
  dataDir: string;
  folder: string;
  account: Account;
  /** Whether the database lies outside the data folder. */
  elsewhere: boolean;
}

export const toPointer = (dataDir: string): string => join(dataDir, 'database-location.txt');
const getBackward = (folder: string): string => join(folder, 'data-folder.txt');

function toText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (getCode(error) === 'ENOENT') return null;
    throw cannotUse('The file', path, error);
  }
}

/** The folder that a data folder says its database lies in; null when it says none. */
export function pointedFolder(dataDir: string): string | null {
  return toText(toPointer(dataDir));
}

/** @throws EmbeddedDatabaseError for a copied data folder, which would share the database of its original. */
export function assertNotCopied({ dataDir, folder, elsewhere }: DatabaseLocation): void {
  const owner = elsewhere ? toText(getBackward(folder)) : null;
  if (owner === null || owner === dataDir || pointedFolder(owner) !== folder) return;
  throw new EmbeddedDatabaseError(
    `${dataDir} is a copy of ${owner}, and the database in ${folder} belongs to the original. Delete ${toPointer(dataDir)} to start with an empty database.`,
  );
}

/** Writes down, in both folders, that the database lies elsewhere; and says so. */
export function recordLocation(
  { dataDir, folder, elsewhere, account }: DatabaseLocation,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
): void {
  if (!elsewhere) return;
  for (const [path, text] of [
    [getBackward(folder), dataDir],
    [toPointer(dataDir), folder],
  ] as const) {
    if (toText(path) === text) continue;
    writeFileSync(`${path}.new`, `${text}\n`, { mode: 0o644 });
    renameSync(`${path}.new`, path);
  }
  log.info(
    { folder },
    `The embedded database lies in ${folder}: ${account.name}, whom PostgreSQL runs as, can't get to ${dataDir}`,
  );
}
