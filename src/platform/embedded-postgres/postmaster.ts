/** One run of the PostgreSQL server on a place: from its launch until every process of it has ended. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../logging/log.ts';
import { settleWithin } from '../time/timeout.ts';
import { writeAccessRules } from './access-rules.ts';
import type { Binaries } from './binaries.ts';
import { toClearError } from './errors.ts';
import { launch } from './launch.ts';
import type { DataDirectory } from './data-directory.ts';
import { followLog } from './postgres-log.ts';
import { getClusterName, endBackends, endPreviousServer } from './previous-server.ts';
import { serverArguments } from './settings.ts';
import { openSocketFolder } from './socket-folder.ts';
import { StillEndingError, toStartError } from './start-fault.ts';

const READY = /LOG: {2}database system is ready to accept connections/;
const RECOVERY_TOLD_EVERY_MS = 10_000;
const STILL_ENDING_WITHIN_MS = 15_000;
/** Signals to stop the server, and the time in ms for each. Data is safe in each of them. */
const STOP_STEPS: [NodeJS.Signals, number][] = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 8_000],
  ['SIGKILL', 2_000],
];
const LEFT_BEHIND_WITHIN_MS = 1_000;

export interface Postmaster {
  pid: number;
  socketFolder: string;
  /** How the server ended, as "code 1" or "SIGKILL". */
  exited: Promise<string>;
  /** The last lines of its log. */
  lines: readonly string[];
  /** Resolves when no process of this run is left; those that outlive the server are made to end. */
  gone(): Promise<void>;
  /** Fast shutdown: transactions under way are rolled back. Resolves when no process is left. */
  stop(): Promise<void>;
}

interface Needs {
  directory: DataDirectory;
  binaries: Binaries;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Where the run before had its socket. */
  socketFolder?: string;
  /** Gives the start up. */
  signal?: AbortSignal;
}

const settlesWithin = async (promise: Promise<unknown>, ms: number): Promise<boolean> =>
  (await settleWithin(
    promise.then(() => true),
    ms,
  )) ?? false;

/** @throws EmbeddedDatabaseError when it ends before it is ready. */
async function startOnce({ directory, binaries, log, signal, ...needs }: Needs): Promise<Postmaster> {
  const { data, account } = directory;
  await endPreviousServer(directory, log);
  const socketFolder = openSocketFolder(directory, needs.socketFolder);
  const clusterName = getClusterName(data);
  const args = serverArguments({ data, socketFolder, clusterName, ...writeAccessRules(directory) });
  const program = await launch(join(binaries.folder, 'bin/postgres'), args, { account, log });
  program.stdin.end();
  const output = followLog(program.log, log);
  const postmaster: Postmaster = {
    pid: program.pid,
    socketFolder,
    exited: program.exited,
    lines: output.lines,
    async gone() {
      await program.exited;
      if (!(await settlesWithin(program.gone, LEFT_BEHIND_WITHIN_MS))) await endBackends(data, log);
      await program.gone;
    },
    async stop() {
      for (const [name, patience] of STOP_STEPS) {
        if (await settlesWithin(program.exited, 0)) break;
        process.kill(program.pid, name);
        process.kill(program.pid, 'SIGCONT');
        if (await settlesWithin(program.exited, patience)) break;
        log.warn(
          { pid: program.pid, signal: name },
          'embedded database: not stopped yet, sending a stronger signal',
        );
      }
      await postmaster.gone();
    },
  };

  const told = setInterval(
    () => log.info({}, 'embedded database: recovering, this may take a while'),
    RECOVERY_TOLD_EVERY_MS,
  );
  // What goes wrong then is thrown by gone() below.
  const abandon = (): void => void postmaster.stop().catch(() => {});
  signal?.addEventListener('abort', abandon, { once: true });
  if (signal?.aborted) abandon();
  try {
    const ended = await Promise.race([output.saw(READY).then(() => null), program.exited]);
    if (ended === null) return postmaster;
    await postmaster.gone();
    throw toStartError({ how: ended, lines: output.lines }, directory);
  } finally {
    clearInterval(told);
    signal?.removeEventListener('abort', abandon);
  }
}

/**
 * Starts the server and waits until it accepts connections. Whatever still ends on this folder is waited for.
 * @throws EmbeddedDatabaseError with one clear line.
 */
export async function startPostmaster(needs: Needs): Promise<Postmaster> {
  const deadline = performance.now() + STILL_ENDING_WITHIN_MS;
  for (;;) {
    try {
      return await startOnce(needs);
    } catch (error) {
      if (!(error instanceof StillEndingError) || performance.now() > deadline || needs.signal?.aborted)
        throw toClearError(error, 'The database', needs.directory.data);
      await delay(50);
    }
  }
}
