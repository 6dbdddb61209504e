/**
 * The embedded PostgreSQL: `startEmbedded` finds or makes the database of a data folder, starts its server and keeps
 * it running. The steps stand here in their order; each has a file of its own.
 *
 * Invariants: nothing of a database that can't be served is changed; one server holds a folder at a time; no process
 * outlives this one; fsync is on.
 */
import type { Log } from '../logging/log.ts';
import { findBinaries, prepareBinaries } from './binaries.ts';
import { checkCluster, narrowPermissions } from './cluster.ts';
import { requireDiskSpace } from './disk-space.ts';
import { toClearError } from './errors.ts';
import { assertNotCopied, recordLocation } from './location-file.ts';
import { createCluster, DATABASE, removeLeftovers, ROLE } from './new-cluster.ts';
import { findDataDirectory, openDataDirectory } from './data-directory.ts';
import { startPostmaster } from './postmaster.ts';
import { type ConnectionSettings, livingHolder, takeServerLock } from './server-lock.ts';
import { closeSocketFolder, PORT } from './socket-folder.ts';
import { type Supervisor, supervise } from './supervisor.ts';

export { EmbeddedDatabaseError } from './errors.ts';
export type { ConnectionSettings } from './server-lock.ts';

export interface EmbeddedDatabase {
  connection: ConnectionSettings;
  /** PostgreSQL's version, as "18.4". */
  version: string;
  /** Where the database really lies. */
  dataDir: string;
  /** Whether this start made the database. */
  firstStart: boolean;
  /** Shuts the server down (transactions under way are rolled back) and gives the folder free. Can be called again. */
  stop(): Promise<void>;
}

/**
 * Starts the database of a data folder; makes it on the first run.
 * @param options.dataDir DATA_DIR; made when it is missing.
 * @throws EmbeddedDatabaseError with one line that says what is wrong and what to do.
 */
export async function startEmbedded({
  dataDir,
  log,
}: {
  dataDir: string;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
}): Promise<EmbeddedDatabase> {
  const found = findBinaries();
  const directory = openDataDirectory(dataDir);
  const lock = await takeServerLock(directory);
  let supervisor: Supervisor | undefined;
  try {
    assertNotCopied(directory);
    const exists = checkCluster(directory.data, found);
    requireDiskSpace(directory.folder, exists ? 'start' : 'create');
    removeLeftovers(directory.folder);
    const binaries = prepareBinaries(found, directory.folder, directory.account, log);
    if (exists) narrowPermissions(directory.data);
    else await createCluster(directory, binaries, log);
    recordLocation(directory, log);

    const postmaster = await startPostmaster({ directory, binaries, log });
    const { socketFolder } = postmaster;
    const again = (signal: AbortSignal) =>
      startPostmaster({ directory, binaries, log, socketFolder, signal });
    const supervised = supervise(postmaster, again, log);
    supervisor = supervised;
    const connection: ConnectionSettings = { host: socketFolder, port: PORT, user: ROLE, database: DATABASE };
    lock.publish(connection);

    let stopped: Promise<void> | undefined;
    return {
      connection,
      version: binaries.version,
      dataDir: directory.data,
      firstStart: !exists,
      stop() {
        stopped ??= supervised.stop().finally(() => {
          closeSocketFolder(socketFolder, directory);
          lock.release();
        });
        return stopped;
      },
    };
  } catch (error) {
    await supervisor?.stop();
    lock.release();
    throw toClearError(error, 'The database folder', directory.folder);
  }
}

/**
 * The connection of the server that holds a data folder now, or null when none does (or it doesn't serve yet).
 * @throws EmbeddedDatabaseError when the folder can't be read.
 */
export async function runningConnection(dataDir: string): Promise<ConnectionSettings | null> {
  const folder = findDataDirectory(dataDir);
  return folder === null ? null : (livingHolder(folder)?.connection ?? null);
}
