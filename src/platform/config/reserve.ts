/** The disk space that stays free: the setting STORAGE_RESERVE, and its meaning for a disk. Pure. */

/** A share of each disk, or bytes of each disk. */
export type Reserve = { share: number } | { bytes: number };

/** Statistics of a file system (statfs). */
export interface FileSystem {
  bsize: number;
  blocks: number;
  /** Free blocks, and those of them available to accounts other than root. */
  bfree: number;
  bavail: number;
  /** Files (inodes) that it can hold, and how many more; 0 of 0 where it does not count them. */
  files: number;
  ffree: number;
}

const UNITS: Record<string, number> = {
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};
const MAX_PERCENT = 50;
/** Share for files if the reserve is given in bytes. */
const USUAL_SHARE = 0.05;
/** By so much more than the reserve must be free before writes are taken again: else a disk at the edge would flap. */
const MARGIN = 1.2;

/** @returns null for 0, which disables it; undefined if the text is invalid */
export function readReserve(raw: string): Reserve | null | undefined {
  const [, number = '', unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?)\s*(%|[KMGT]i?B)?$/.exec(raw.trim()) ?? [];
  if (number === '') return undefined;
  const value = Number(number);
  if (value === 0) return null;
  if (unit === '%') return value <= MAX_PERCENT ? { share: value / 100 } : undefined;
  return unit === '' ? undefined : { bytes: Math.round(value * UNITS[unit]!) };
}

/** Returns the free and total bytes of a disk as `df` counts them: without blocks reserved for root. */
export function toDiskSpace({ bsize, blocks, bfree, bavail }: FileSystem): { free: number; size: number } {
  return { free: bavail * bsize, size: (blocks - bfree + bavail) * bsize };
}

/** Bytes of a disk that stay free. */
export const reservedBytes = (reserve: Reserve | null, disk: FileSystem): number =>
  reserve === null ? 0 : 'bytes' in reserve ? reserve.bytes : reserve.share * toDiskSpace(disk).size;

/**
 * Returns the resources that a disk lacks.
 * @param wasFull if true, it must have a fifth more than the reserve
 */
export function getMissing(
  reserve: Reserve | null,
  disk: FileSystem,
  wasFull: boolean,
): 'space' | 'files' | null {
  if (reserve === null) return null;
  const times = wasFull ? MARGIN : 1;
  if (toDiskSpace(disk).free < reservedBytes(reserve, disk) * times) return 'space';
  const share = 'share' in reserve ? reserve.share : USUAL_SHARE;
  return disk.files > 0 && disk.ffree < disk.files * share * times ? 'files' : null;
}
