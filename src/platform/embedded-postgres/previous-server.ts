/**
 * Ends what an earlier start left running on this data directory: a PostgreSQL server whose Fairlead died, or backends
 * whose server died. Only the holder of the server's lock calls it, so nobody needs them any more. Only processes known
 * to work on this very directory are signaled.
 */
import { readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Log } from '../logging/log.ts';
import { cannotUse, getCode, EmbeddedDatabaseError } from './errors.ts';
import { toHash, type DataDirectory } from './data-directory.ts';
import { getBackends, isAlive, isKnown, isPostmasterFor, waitUntil } from './processes.ts';
import { socketIn } from './socket-folder.ts';

/** Signals to end a server, and the time in ms for each. Data is safe in each of them. */
const SERVER_STEPS: [NodeJS.Signals, number][] = [
  ['SIGINT', 60_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 5_000],
];
/** Backends without a server end by themselves, at the latest when their query ends. */
const BACKEND_STEPS: [NodeJS.Signals | null, number][] = [
  [null, 1_000],
  ['SIGTERM', 2_000],
  ['SIGQUIT', 2_000],
  ['SIGKILL', 5_000],
];

/** The name in the titles of all processes of a cluster. */
export function getClusterName(data: string): string {
  return `fairlead-${toHash(data)}`;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (getCode(error) === 'ESRCH') return;
    throw new EmbeddedDatabaseError(
      `The PostgreSQL process ${pid} of an earlier start is still running, and this user is not allowed to stop it. Stop it, then start again.`,
      { cause: error },
    );
  }
}

/** The process ID in postmaster.pid: negative for a stand-alone backend, 0 for nonsense, null when there is none. */
function readPidFile(data: string): number | null {
  try {
    return Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10) || 0;
  } catch (error) {
    if (getCode(error) === 'ENOENT') return null;
    throw cannotUse('The database', data, error);
  }
}

/** Whether a process listens on a socket, even if the process table doesn't show it. */
async function answers(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path, () => resolve(true));
  socket.once('error', (error) => resolve(getCode(error) === 'EAGAIN'));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}

async function endServer(pid: number, data: string): Promise<void> {
  const serves = (): boolean => isAlive(pid) && isPostmasterFor(pid, data);
  for (const [name, patience] of SERVER_STEPS) {
    signal(pid, name);
    signal(pid, 'SIGCONT');
    if (await waitUntil(() => !serves(), patience)) return;
  }
  throw new EmbeddedDatabaseError(
    `The PostgreSQL process ${pid} of an earlier start does not exit (is its disk responding?). Stop it, then start again.`,
  );
}

/** Waits until no backend works on this folder; those that don't end by themselves are made to. */
export async function endBackends(data: string, log: Pick<Log, 'info' | 'warn' | 'error'>): Promise<void> {
  const living = (): number[] => getBackends(getClusterName(data), data).filter((pid) => isAlive(pid));
  for (const [name, patience] of BACKEND_STEPS) {
    const pids = living();
    if (pids.length === 0) return;
    if (name)
      log.warn({ pids, signal: name }, 'embedded database: ending backends that outlived their server');
    for (const pid of name ? pids : []) signal(pid, name!);
    if (await waitUntil(() => living().length === 0, patience)) return;
  }
  throw new EmbeddedDatabaseError(
    `PostgreSQL processes of an earlier start do not exit: ${living().join(', ')}. Stop them, then start again.`,
  );
}

/**
 * Clears the way for a new server.
 * @throws EmbeddedDatabaseError when something that can't be ended still uses the folder.
 */
export async function endPreviousServer(
  { folder, data }: DataDirectory,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
): Promise<void> {
  const pid = readPidFile(data);
  if (pid === null) return;
  const ours = pid !== 0 && isAlive(Math.abs(pid)) && isPostmasterFor(Math.abs(pid), data);
  if (ours && pid < 0)
    throw new EmbeddedDatabaseError(
      `A stand-alone PostgreSQL session (process ID ${-pid}) uses ${data}. End it, then start again.`,
    );
  if (ours) {
    log.warn({ pid }, 'embedded database: stopping a server of an earlier start');
    await endServer(pid, data);
  } else if (await answers(socketIn(join(folder, 'run')))) {
    throw new EmbeddedDatabaseError(
      `A PostgreSQL server that is not visible from here (in another container?) uses ${data}. Stop it, then start again.`,
    );
  }
  await endBackends(data, log);
  // PostgreSQL would take a stranger with the same ID for the earlier server, and a dead process that its parent
  // never waited for (the first process of a container may not) as well.
  if (readPidFile(data) === pid && isKnown(Math.abs(pid))) {
    log.info({ pid }, 'embedded database: removing postmaster.pid, which names another process');
    rmSync(join(data, 'postmaster.pid'));
  }
}
