/**
 * Starts a PostgreSQL program as a child that can't outlive this process, however this process dies.
 *
 * A small shell first forks a watchdog, then becomes the program (`exec`, so the program is our direct child). The
 * watchdog reads from a pipe (the lifeline) whose other end only we hold: it ends when we do, by kill -9 too. Then
 * the watchdog asks the program for a fast shutdown, sees that it ended, and presses harder if it doesn't. The fork
 * comes first, so at no moment does the program run unwatched; it is forked twice, so that it is no child of the
 * PostgreSQL server, which would take its death for that of a backend. Killed alone, the watchdog is replaced.
 *
 * All get a session of their own (no Ctrl-C from our terminal), `/` as working folder and an empty environment:
 * under another account the environment could be read by that account, and ours holds secrets.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../logging/log.ts';
import { type Account, spawnAs } from './account.ts';
import { getBegin } from './processes.ts';
import { WATCHDOG_ALONE, WATCHED_PROGRAM } from './watchdog-script.ts';

const WATCHDOG_REPLACED_AFTER_MS = 100;
const WATCHDOG_REPLACED_WITHIN_MS = 30_000;
const WATCHDOG_ENDS_WITHIN_MS = 2000;
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

export interface Launched {
  pid: number;
  stdin: Writable;
  /** Standard error of the program and all of its child processes. */
  log: Readable;
  /** How the program ended, as "code 1" or "SIGKILL". */
  exited: Promise<string>;
  /** The program and all that it started have ended (the log has closed), and so has the watchdog. */
  gone: Promise<void>;
}

/**
 * @param command an executable's path.
 * @throws a system error when no program can be started under this account.
 */
export async function launch(
  command: string,
  args: string[],
  { account, log }: { account: Account; log: Pick<Log, 'info' | 'warn' | 'error'> },
): Promise<Launched> {
  const shell = (script: string, words: string[], stdio: 'pipe' | 'ignore'): ChildProcess =>
    spawn('/bin/sh', ['-c', script, 'fairlead-database-watchdog', ...words], {
      ...spawnAs(account),
      cwd: '/',
      env: ENVIRONMENT,
      detached: true,
      stdio: [stdio, 'ignore', stdio, 'pipe'],
    });

  const child = shell(WATCHED_PROGRAM, [command, ...args], 'pipe');
  await once(child, 'spawn');
  const pid = child.pid!;
  let ended = false;
  let lifeline = child.stdio[3] as Socket;
  let pause = WATCHDOG_REPLACED_AFTER_MS;
  const unwatched = Promise.withResolvers<void>();

  const hold = (socket: Socket): void => {
    lifeline = socket;
    socket.on('error', () => {}); // 'close' follows, and says all there is to know
    socket.once('close', () => (ended ? unwatched.resolve() : void replace()));
    socket.resume();
  };
  const replace = async (): Promise<void> => {
    for (;;) {
      await delay(pause);
      pause = Math.min(pause * 2, WATCHDOG_REPLACED_WITHIN_MS);
      const began = ended ? null : getBegin(pid);
      if (began === null) return unwatched.resolve();
      try {
        const watchdog = shell(WATCHDOG_ALONE, [String(pid), began, command, ...args], 'ignore');
        await once(watchdog, 'spawn');
        log.warn({ pid }, 'embedded database: watchdog was killed, started another');
        return hold(watchdog.stdio[3] as Socket);
      } catch (error) {
        log.error({ err: error }, 'embedded database: could not start the watchdog, retrying');
      }
    }
  };
  hold(lifeline);

  const stdin = child.stdin!;
  stdin.on('error', () => {}); // the program ended before it read all: its exit code says so
  const logClosed = once(child.stderr!, 'close');
  const exited = once(child, 'exit').then(([code, signal]) => {
    ended = true;
    lifeline.end();
    setTimeout(() => lifeline.destroy(), WATCHDOG_ENDS_WITHIN_MS).unref();
    return (signal as string | null) ?? `code ${code as number}`;
  });
  const gone = Promise.all([exited, logClosed, unwatched.promise]).then(() => {});
  return { pid, stdin, log: child.stderr!, exited, gone };
}
