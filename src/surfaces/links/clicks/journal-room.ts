/** How much of the disk a journal takes: it refuses clicks rather than fill it, and with it the database's. */
import { type FileSystem, toDiskSpace } from '../../../platform/storage/reserve.ts';
import { SEGMENT_HEADER_BYTES } from './segment.ts';
import type { JournalFiles } from './segment-maker.ts';

const MIB = 1024 * 1024;
/** Of a small disk a fortieth: half of what is below before writes of others are refused (STORAGE_RESERVE, src/platform/storage). */
const MIN_FREE_BYTES = 128 * MIB;
const MIN_FREE_SHARE = 0.025;
/** About 20 million clicks that could not be loaded. */
const MAX_BACKLOG_BYTES = 4 * 1024 * MIB;

/**
 * Bytes of clicks from a position on.
 * @param ends of the segments that are there
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
  leastFreeBytes?: number;
  mostBacklogBytes?: number;
}

const leastFreeOf = (disk: FileSystem): number =>
  Math.min(MIN_FREE_BYTES, MIN_FREE_SHARE * toDiskSpace(disk).size);

/** @param taken bytes of the journal that are not removed yet */
export function createJournalSpace(
  deps: {
    files: Pick<JournalFiles, 'statfs'>;
    folder: string;
    journalId: string;
    taken: () => number;
    log: {
      warn(details: object, message: string): void;
      error(details: object, message: string): void;
    };
  },
  { leastFreeBytes, mostBacklogBytes = MAX_BACKLOG_BYTES }: JournalSpaceOptions,
) {
  const { files, folder, journalId: journal, taken, log } = deps;
  let full: Error | null = null;
  return {
    /** Why no more may be taken; null while there is room. */
    full: (): Error | null => full,
    /** To be called each second. */
    check(): void {
      files.statfs(folder, (error, stats) => {
        const was = full;
        full = null;
        if (error) log.warn({ err: error, journal }, 'the room for clicks could not be looked at');
        else if (stats.bavail * stats.bsize < (leastFreeBytes ?? leastFreeOf(stats)))
          full = new Error('The disk is nearly full: no more clicks are recorded');
        if (taken() > mostBacklogBytes)
          full = new Error('Too many clicks wait to be loaded: no more are recorded');
        if (full && !was) log.error({ journal }, full.message);
        if (was && !full) log.warn({ journal }, 'there is room for clicks again');
      });
    },
  };
}
