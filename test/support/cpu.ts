/** Measures work by the CPU time of its thread, which does not grow on a busy machine as wall time does. */

/** Returns the CPU time in ms that a function takes. Work in other threads and processes does not count. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
