/**
 * Limits the disk space of a journal: it rejects records before the disk fills up, because the database may share it.
 */
import { type FileSystem, toDiskSpace } from '../config/reserve.ts';
import type { Log } from '../logging/log.ts';
import { SEGMENT_HEADER_BYTES } from './segment.ts';
import type { JournalFiles } from './segment-maker.ts';

const MIB = 1024 * 1024;
/**
 * On a small disk 2.5 %: half of the limit below which other writes are rejected (STORAGE_RESERVE,
 * src/platform/storage).
 */
const MIN_FREE_BYTES = 128 * MIB;
const MIN_FREE_SHARE = 0.025;
/** About 20 million clicks that are not loaded. */
const MAX_BACKLOG_BYTES = 4 * 1024 * MIB;

/**
 * Counts the bytes of records from a position on.
 * @param ends acknowledged end of each existing segment
 */
export function bytesFrom(
  ends: ReadonlyMap<number, number>,
  from: { segment: number; position: number },
): number {
  let bytes = 0;
  for (const [number, end] of ends)
    if (number >= from.segment)
      bytes += end - Math.max(SEGMENT_HEADER_BYTES, number === from.segment ? from.position : 0);
  return bytes;
}

export interface JournalSpaceOptions {
  minFreeBytes?: number;
  maxBacklogBytes?: number;
}

const getMinFreeBytes = (disk: FileSystem): number =>
  Math.min(MIN_FREE_BYTES, MIN_FREE_SHARE * toDiskSpace(disk).size);

/** Creates the space check of a journal. @param usedBytes returns the bytes of the journal that are not removed yet */
export function createJournalSpace(
  deps: {
    name: string;
    files: Pick<JournalFiles, 'statfs'>;
    folder: string;
    journalId: string;
    usedBytes: () => number;
    log: Pick<Log, 'warn' | 'error'>;
  },
  { minFreeBytes, maxBacklogBytes = MAX_BACKLOG_BYTES }: JournalSpaceOptions,
) {
  const { name, files, folder, journalId: journal, usedBytes, log } = deps;
  let full: Error | null = null;
  return {
    /** The error for new records; null while there is space. */
    full: (): Error | null => full,
    /** Checks the disk and the backlog. Call every second. */
    check(): void {
      files.statfs(folder, (error, stats) => {
        const wasFull = full;
        full = null;
        if (error) log.warn({ err: error, journal }, `${name}: could not check disk space`);
        else if (stats.bavail * stats.bsize < (minFreeBytes ?? getMinFreeBytes(stats)))
          full = new Error(`${name}: disk nearly full, rejecting records`);
        if (usedBytes() > maxBacklogBytes) full = new Error(`${name}: backlog is full, rejecting records`);
        if (full && !wasFull) log.error({ journal }, full.message);
        if (wasFull && !full) log.warn({ journal }, `${name}: space is available again`);
      });
    },
  };
}
