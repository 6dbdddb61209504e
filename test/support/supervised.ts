/** A server of the system in a process group of its own, which ends whole: with its starter too, however that ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const STOPS_WITHIN_MS = 5000;
const POLL_MS = 5;

/** The shell reads a pipe that only the starter holds. When that ends, so does the group. */
const UNTIL_STARTER_ENDS = '"$@" </dev/null >/dev/null 2>&1 & read -r _; kill -9 0';

export interface Supervised {
  /** SIGTERM to the server, then SIGKILL to what is left. */
  stop(): Promise<void>;
  /** SIGKILL to all of it at once. */
  kill(): Promise<void>;
}

/** @param pidFile where the server writes the ID of its first process */
export function supervise(command: string[], pidFile: string): Supervised {
  const child: ChildProcess = spawn('/bin/sh', ['-c', UNTIL_STARTER_ENDS, 'sh', ...command], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' },
  });
  const ended = once(child, 'exit');
  const group = child.pid!;

  const kill = async (): Promise<void> => {
    process.kill(-group, 'SIGKILL');
    await ended;
    while (running().some((each) => each.group === group)) await delay(POLL_MS);
    // Another process may get that ID, and the server would then refuse to start.
    await rm(pidFile, { force: true });
  };
  return {
    kill,
    async stop() {
      const first = Number(readFileSync(pidFile, 'utf8').trim());
      const until = performance.now() + STOPS_WITHIN_MS;
      process.kill(first, 'SIGTERM');
      while (running().some(({ pid }) => pid === first) && performance.now() < until) await delay(POLL_MS);
      await kill();
    },
  };
}

/** What runs; not what has ended and only waits for its parent to take note, for that holds nothing. */
function running(): { pid: number; group: number }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state === 'Z' ? [] : [{ pid: Number(name), group: Number(group) }];
    } catch (error) {
      if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code!)) return [];
      throw error;
    }
  });
}
