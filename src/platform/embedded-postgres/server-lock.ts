/**
 * At most one server holds a database folder. Two guards stand, and a start needs both:
 *
 * 1. `server.lock`, a lock of the operating system (file-lock.ts).
 * 2. `server.json`, which names the holder: process ID, when that process began, and where it serves. It catches
 *    what the first can't (the file replaced or the lock dropped) and gives the ID for the message.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseOwnJson } from '../json/own-json.ts';
import { cannotUse, getCode, EmbeddedDatabaseError } from './errors.ts';
import { openFileLock } from './file-lock.ts';
import type { DatabaseLocation } from './location-file.ts';
import { getBegin, folderIdentity, idSpace } from './processes.ts';

const ANOTHER_STARTS_MS = 300;

/** How to connect: by unix socket only. */
export interface ConnectionSettings {
  /** The folder of the socket. */
  host: string;
  port: number;
  user: string;
  database: string;
}

type LockedPlace = Pick<DatabaseLocation, 'dataDir' | 'folder' | 'elsewhere'>;

interface Holder {
  pid: number;
  began: string | null;
  idSpace: string;
  folder: string;
  connection: ConnectionSettings | null;
}

export interface ServerLock {
  /** Tells other processes where the database serves, or (null) that it doesn't yet. */
  publish(connection: ConnectionSettings | null): void;
  release(): void;
}

function readHolder(folder: string): Holder | null {
  let text: string;
  try {
    text = readFileSync(join(folder, 'server.json'), 'utf8');
  } catch (error) {
    if (getCode(error) === 'ENOENT' || getCode(error) === 'ENOTDIR') return null;
    throw cannotUse('The database folder', folder, error);
  }
  try {
    return parseOwnJson<Holder>(text);
  } catch {
    return null; // cut off by a power failure: its writer is dead
  }
}

/** The server that wrote `server.json` here, if that very process still lives; a copied file names nobody. */
export function livingHolder(folder: string): Pick<Holder, 'pid' | 'connection'> | null {
  const holder = readHolder(folder);
  if (holder === null || holder.idSpace !== idSpace() || holder.folder !== folderIdentity(folder))
    return null;
  return holder.began !== null && getBegin(holder.pid) === holder.began ? holder : null;
}

function refusal(
  { dataDir, folder, elsewhere }: LockedPlace,
  pid: number | undefined,
): EmbeddedDatabaseError {
  const who =
    pid === undefined ? 'another process (in another container?)' : `the server with process id ${pid}`;
  const where = elsewhere ? `${folder}, which belongs to ${dataDir},` : folder;
  return new EmbeddedDatabaseError(
    `The database in ${where} is in use by ${who}. Stop it first, or use another DATA_DIR.`,
  );
}

/**
 * Takes the lock of a database folder for this process, until `release` or its death.
 * @throws EmbeddedDatabaseError that names the holder's process ID when there is one.
 */
export async function takeServerLock(directory: LockedPlace): Promise<ServerLock> {
  const { folder } = directory;
  const lock = openFileLock(join(folder, 'server.lock'));
  let holder = livingHolder(folder);
  if (lock === null) {
    // One that took it this instant hasn't written its name yet.
    for (let waited = 0; holder === null && waited < ANOTHER_STARTS_MS; waited += 20) {
      await delay(20);
      holder = livingHolder(folder);
    }
    throw refusal(directory, holder?.pid);
  }
  if (holder !== null && holder.pid !== process.pid) {
    lock.close();
    throw refusal(directory, holder.pid);
  }

  const path = join(folder, 'server.json');
  const publish = (connection: ConnectionSettings | null): void => {
    const me: Holder = {
      pid: process.pid,
      began: getBegin(process.pid),
      idSpace: idSpace(),
      folder: folderIdentity(folder),
      connection,
    };
    // A full disk must not leave an empty file where the old one stood.
    writeFileSync(`${path}.new`, `${JSON.stringify(me)}\n`, { mode: 0o644 });
    renameSync(`${path}.new`, path);
  };
  const release = (): void => {
    rmSync(path, { force: true });
    lock.close();
  };
  try {
    publish(null);
  } catch (error) {
    release();
    throw cannotUse('The database folder', folder, error);
  }
  return { publish, release };
}
