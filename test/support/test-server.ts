/**
 * The PostgreSQL that all test files share: the embedded one, with the settings of the product but those that wait for the disk.
 * What it holds is thrown away when the run ends. Tests of what outlives a crash start servers of their own, by
 * src/platform/embedded-postgres, whose settings nobody changes.
 */
import { chmod, glob, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { writeAccessRules } from '../../src/platform/embedded-postgres/access-rules.ts';
import { findBinaries, prepareBinaries } from '../../src/platform/embedded-postgres/binaries.ts';
import { launch } from '../../src/platform/embedded-postgres/launch.ts';
import { createCluster, DATABASE, ROLE } from '../../src/platform/embedded-postgres/new-cluster.ts';
import { openDataDirectory } from '../../src/platform/embedded-postgres/data-directory.ts';
import { followLog } from '../../src/platform/embedded-postgres/postgres-log.ts';
import type { ConnectionSettings } from '../../src/platform/embedded-postgres/server-lock.ts';
import { serverArguments } from '../../src/platform/embedded-postgres/settings.ts';
import { isAlive } from '../../src/platform/embedded-postgres/processes.ts';
import {
  closeSocketFolder,
  openSocketFolder,
  PORT,
} from '../../src/platform/embedded-postgres/socket-folder.ts';
import { fastestFolder } from './fastest-folder.ts';

/** `.ci/run` starts the server of the system with the same. */
const THROWN_AWAY = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  checkpoint_timeout: '30min',
};
const READY_WITHIN_MS = 120_000;

/** Removes what runs of this account left in memory when they were killed. */
async function removeAbandoned(parent: string): Promise<void> {
  for await (const name of glob('fairlead-test-*-*', { cwd: parent })) {
    const folder = join(parent, name);
    const pid = Number(name.split('-')[2]);
    const owner = await stat(folder).then(
      ({ uid }) => uid,
      () => null, // another run was faster
    );
    if (owner === process.getuid!() && !isAlive(pid)) await rm(folder, { recursive: true, force: true });
  }
}

/** Creates the folder for the cluster of this run. */
export async function createClusterFolder(): Promise<string> {
  const parent = await fastestFolder();
  await removeAbandoned(parent);
  const folder = await mkdtemp(join(parent, `fairlead-test-${process.pid}-`));
  await chmod(folder, 0o755); // as root, PostgreSQL runs as nobody, who must get there
  return folder;
}

const quiet = { info() {}, warn() {}, error: console.error };

async function untilReady(connection: ConnectionSettings, exited: Promise<string>): Promise<void> {
  const ended = exited.then((how) => {
    throw new Error(`the database of the tests ended at its start: ${how}`);
  });
  ended.catch(() => {});
  for (const until = performance.now() + READY_WITHIN_MS; ;) {
    const client = new pg.Client({ ...connection });
    try {
      await Promise.race([client.connect(), ended]);
      return await client.end();
    } catch (error) {
      client.end().catch(() => {});
      if (performance.now() > until) throw error;
      await Promise.race([delay(50), ended]);
    }
  }
}

/** @param folder an empty one, which every account of the system gets to */
export async function startTestServer(
  folder: string,
): Promise<{ connection: ConnectionSettings; stop(): Promise<void> }> {
  const place = openDataDirectory(folder);
  const binaries = prepareBinaries(findBinaries(), place.folder, place.account, quiet);
  await createCluster(place, binaries, quiet);
  const socketFolder = openSocketFolder(place);
  const args = serverArguments({
    data: place.data,
    socketFolder,
    clusterName: 'fairlead-tests',
    ...writeAccessRules(place),
  });
  // Of a setting that is repeated the last counts.
  const more = Object.entries(THROWN_AWAY).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = await launch(join(binaries.folder, 'bin/postgres'), [...args, ...more], {
    account: place.account,
    log: quiet,
  });
  program.stdin.end();
  followLog(program.log, quiet);
  const connection: ConnectionSettings = { host: socketFolder, port: PORT, user: ROLE, database: DATABASE };
  await untilReady(connection, program.exited);
  return {
    connection,
    async stop() {
      process.kill(program.pid, 'SIGINT');
      await program.gone;
      closeSocketFolder(socketFolder, place);
    },
  };
}
