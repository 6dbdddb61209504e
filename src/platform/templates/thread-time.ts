/** CPU time of a thread: of one's own, and of another of this process. */
import { readFileSync, readlinkSync } from 'node:fs';

/** Milliseconds of CPU time that this thread has used. */
export function usedByThread(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The kernel's ID of this thread; 0 if unknown. */
export function numberOfThread(): number {
  try {
    return Number(/\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0] ?? 0);
  } catch {
    return 0; // no Linux
  }
}

/** As `usedByThread` says there, to a few milliseconds. null where the kernel doesn't tell of other threads. */
export function usedByOther(thread: number): number | null {
  if (!thread) return null;
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'latin1').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return null; // a kernel without these statistics, or the thread has just ended
  }
}
