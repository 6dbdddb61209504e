/**
 * What the system says about processes. A process is known by its ID and the time it began, since IDs are used
 * again; nothing here trusts an ID alone. Linux is read from /proc, other systems through `ps`.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { getCode } from './errors.ts';

const LINUX = process.platform === 'linux';

function readProc(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(getCode(error))) return null;
    throw error;
  }
}

function ps(...args: string[]): string {
  return (
    spawnSync('ps', args, { encoding: 'utf8', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } }).stdout ?? ''
  );
}

/**
 * When a process began, in a form that only serves to be compared; null when it has ended (a zombie has).
 * The watchdog's script (launch.ts) makes the same text.
 */
export function getBegin(pid: number): string | null {
  if (LINUX) {
    const stat = readProc(`/proc/${pid}/stat`);
    if (stat === null) return null;
    const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : fields[19]!;
  }
  const [state = 'Z', ...begin] = ps('-o', 'stat=', '-o', 'lstart=', '-p', String(pid)).trim().split(/\s+/);
  return state.startsWith('Z') || begin.length === 0 ? null : begin.join(' ');
}

/** Which start of the machine, and which process ID space, an ID belongs to: outside it the ID says nothing. */
export function idSpace(): string {
  if (!LINUX) return process.platform;
  return `${readProc('/proc/sys/kernel/random/boot_id')?.trim()} ${readlinkSync('/proc/self/ns/pid')}`;
}

/** Whether the system knows a process of this ID, be it a dead one that nobody has waited for. */
export function isKnown(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (getCode(error) === 'ESRCH') return false;
    if (getCode(error) !== 'EPERM') throw error;
  }
  return true;
}

/** Whether there is a living process of this ID, ours to signal or not. */
export function isAlive(pid: number): boolean {
  return isKnown(pid) && getBegin(pid) !== null;
}

/** Returns the arguments of a process (a single text if the system provides no more); null if they can't be read. */
function commandLine(pid: number): string[] | null {
  const text = LINUX
    ? readProc(`/proc/${pid}/cmdline`)
    : ps('-ww', '-o', 'command=', '-p', String(pid)).trim();
  if (!text) return null;
  return LINUX ? text.replace(/\0+$/, '').split('\0') : [text];
}

/** Identity of a folder that stays when it is renamed and differs in a copy. */
export function folderIdentity(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

/** Identity of the folder a process works in, or null when the system doesn't tell. */
function workingFolder(pid: number): string | null {
  try {
    return LINUX ? folderIdentity(`/proc/${pid}/cwd`) : null;
  } catch {
    return null; // not permitted or ended: fall back to the command line
  }
}

/** Whether a process is the PostgreSQL server (not one of its backends) of this data folder. */
export function isPostmasterFor(pid: number, dataDir: string): boolean {
  const words = commandLine(pid);
  if (words === null) return false;
  if (!LINUX) {
    const [command = ''] = words;
    return /(^|\/)postgres /.test(command) && `${command} `.includes(` -D ${dataDir} `);
  }
  if (basename(words[0]!) !== 'postgres') return false;
  const works = workingFolder(pid);
  if (works !== null) return works === folderIdentity(dataDir);
  return words.some((word, index) => word === '-D' && words[index + 1] === dataDir);
}

/** IDs of the backends that work in this data folder; where the system doesn't tell, those of this cluster name. */
export function getBackends(clusterName: string, dataDir: string): number[] {
  const title = `postgres: ${clusterName}: `;
  if (!LINUX) {
    return ps('-axww', '-o', 'pid=,command=')
      .split('\n')
      .flatMap((line) => {
        const [, pid, command = ''] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
        return command.startsWith(title) ? [Number(pid)] : [];
      });
  }
  const folder = folderIdentity(dataDir);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const shown = commandLine(pid)?.[0] ?? '';
      if (!shown.startsWith('postgres: ')) return false;
      const works = workingFolder(pid);
      return works === null ? shown.startsWith(title) : works === folder;
    });
}

/** Asks again and again, quickly at first, until `condition` holds (true) or `milliseconds` have passed (false). */
export async function waitUntil(condition: () => boolean, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  for (let pause = 2; ; pause = Math.min(pause * 1.5, 50)) {
    if (condition()) return true;
    if (performance.now() > deadline) return false;
    await delay(pause);
  }
}
