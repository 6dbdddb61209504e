/** What runs, how much memory and CPU it takes. Linux: all of it is read from /proc. */
import { readdirSync, readFileSync } from 'node:fs';
import { getProcesses } from './embedded-postgres/harness.ts';

/** A tick of /proc/<pid>/stat: USER_HZ is 100 on every Linux that Node runs on. */
const TICK_MS = 10;

interface Process {
  pid: number;
  parent: number;
}

/** Returns a file of /proc/<pid>; null once the process has ended, which may be while the file is read. */
function readProcess(pid: number, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code!)) return null;
    throw error;
  }
}

/** Fields of /proc/<pid>/stat after the name, which may itself hold spaces and brackets. */
function getStat(pid: number): string[] | null {
  const text = readProcess(pid, 'stat');
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function all(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const fields = getStat(Number(name));
      return fields && fields[0] !== 'Z' ? [{ pid: Number(name), parent: Number(fields[1]) }] : [];
    });
}

/** A process and everything below it. */
export function getTree(root: number): number[] {
  const running = all();
  const tree = [root];
  for (const pid of tree)
    tree.push(...running.filter(({ parent }) => parent === pid).map((child) => child.pid));
  return tree.filter((pid) => running.some((process) => process.pid === pid));
}

/** Everything that a server is made of: its tree, and what works on its data without being in it (the watchdog). */
export function processesOfServer(root: number, dataDir: string): number[] {
  return [...new Set([...getTree(root), ...getProcesses(dataDir).map(({ pid }) => pid)])];
}

/** Empty once the process has ended. */
export const getCommand = (pid: number): string =>
  (readProcess(pid, 'cmdline') ?? '').replaceAll('\0', ' ').trim();

/** Proportional share of memory in MB (10^6 bytes): pages that processes share count once. Needs root for other users'. */
export function getPss(pids: number[]): number {
  const kilobytes = pids.map((pid) => {
    const text = readProcess(pid, 'smaps_rollup');
    // A process without memory has ended, and waits for its parent to take note.
    return Number(/^Pss:\s+(\d+) kB/m.exec(text ?? '')?.[1] ?? 0);
  });
  return (kilobytes.reduce((sum, size) => sum + size, 0) * 1024) / 1e6;
}

/** CPU time that processes have used so far, in ms. */
export function getCpu(pids: number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = getStat(pid);
    return fields ? sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS : sum;
  }, 0);
}
