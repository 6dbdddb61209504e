/** Whether the disk has room for PostgreSQL, asked before it runs into the end of it. */
import { type StatsFs, statfsSync } from 'node:fs';
import { diskFull } from './errors.ts';

const MIB = 1024 * 1024;

/** MiB that must be free: a fresh cluster takes 40 and one more segment of its log (16); a start may need a segment. */
export const NEEDED = { create: 100, start: 24 };

/**
 * @param statfs for tests: the answer of the file system.
 * @throws EmbeddedDatabaseError when less than needed is free, in bytes or in files, for an ordinary user.
 */
export function requireDiskSpace(
  folder: string,
  purpose: keyof typeof NEEDED,
  statfs: (path: string) => Pick<StatsFs, 'bavail' | 'bsize' | 'ffree' | 'files'> = statfsSync,
): void {
  const { bavail, bsize, ffree, files } = statfs(folder);
  const free = Math.floor((bavail * bsize) / MIB);
  // Some file systems count no files, and say 0 of 0.
  const noFiles = files > 0 && ffree < 100;
  if (free >= NEEDED[purpose] && !noFiles) return;
  const needs = `; the embedded database needs ${NEEDED[purpose]} MiB to ${purpose === 'create' ? 'be created' : 'start'}`;
  throw diskFull(folder, noFiles ? ` (it has no room for more files)` : ` (${free} MiB free)${needs}`);
}
