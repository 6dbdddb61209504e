/**
 * Checks the disks that this process writes to every second. Below the reserve (STORAGE_RESERVE), `assertDiskSpace`
 * rejects new data at operations and ingress before any of the body is read. Deletions, redirects, reads and the
 * processing of accepted data go on: the reserve is for those.
 *
 * Invariants: a disk that can't be checked keeps its last state; one check runs at a time, so a hanging file system
 * blocks one libuv thread at most; a change is logged once, with directory and figures, which callers never see.
 */
import { stat, statfs } from 'node:fs/promises';
import { Problem } from '../http/problem.ts';
import { type FileSystem, getMissing, type Reserve, reservedBytes, toDiskSpace } from '../config/reserve.ts';
import type { Log } from '../logging/log.ts';

const LOOK_MS = 1_000;
const RETRY_AFTER = { headers: { 'retry-after': '60' } };

/** What is stored on a disk, in words for callers. */
export const DISKS = { data: 'data', database: 'database', media: 'files' } as const;
export type DiskName = keyof typeof DISKS;

export interface WatchedDisk {
  name: DiskName;
  path: string;
}

export interface DiskFigures {
  free: number;
  size: number;
  reserved: number;
}

/** Why nothing new is taken, since when. */
export interface Fullness {
  disk: DiskName;
  lack: 'space' | 'files';
  since: Date;
}

export interface DiskWatch {
  /** @throws Problem storage_full while a disk is below its reserve */
  assertDiskSpace(): void;
  /** Null while there is room. */
  full(): Fullness | null;
  /** For `/readyz`: what can be read and followed still is, so a full disk is no reason to send callers elsewhere. */
  check(): 'ok' | 'degraded';
  /** Of the last look at each disk that could be asked. */
  figures(): ReadonlyMap<DiskName, DiskFigures>;
  /** Resolves once there is room. @throws what `signal` was aborted for */
  whenRoom(signal?: AbortSignal): Promise<void>;
  scan(): Promise<void>;
  /** Starts checking periodically; resolves after the first check. */
  start(): Promise<void>;
  stop(): void;
}

/** What a disk lacks, as a sentence for callers: no folder, no figures. */
export const describeShortage = ({ disk, lack }: Pick<Fullness, 'disk' | 'lack'>): string =>
  lack === 'space'
    ? `The disk of this server's ${DISKS[disk]} is nearly full.`
    : `The disk of this server's ${DISKS[disk]} has room for hardly any more files.`;

export const storageFull = (what: string): Problem =>
  new Problem(
    'storage_full',
    `${what} Nothing new is accepted until the operator of this server frees space. Reading, deleting, canceling, disabling and revoking still work.`,
    RETRY_AFTER,
  );

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** @returns of the file system that a folder lies on, and which one that is */
export type ReadDisk = (path: string) => Promise<FileSystem & { device: number }>;

const readDisk: ReadDisk = async (path) => {
  const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path);
  return { bsize, blocks, bfree, bavail, files, ffree, device: (await stat(path)).dev };
};

/**
 * @param disks directories on the same disk are checked once
 * @param read for tests: replaces the file system's response
 */
export function createDiskWatch(deps: {
  disks: readonly WatchedDisk[];
  reserve: Reserve | null;
  log: Pick<Log, 'warn' | 'error'>;
  read?: ReadDisk;
}): DiskWatch {
  const { disks, reserve, log, read = readDisk } = deps;
  const figures = new Map<DiskName, DiskFigures>();
  const lacks = new Map<DiskName, Fullness>();
  const unreadable = new Set<DiskName>();
  const waiting = new Set<() => void>();
  let scanning: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;

  const first = (): Fullness | null => lacks.values().next().value ?? null;

  const report = ({ name, path }: WatchedDisk, lack: 'space' | 'files' | null, disk: FileSystem): void => {
    const { free, size } = toDiskSpace(disk);
    const details = {
      disk: name,
      folder: path,
      free_bytes: free,
      size_bytes: size,
      reserved_bytes: Math.round(reservedBytes(reserve, disk)),
      free_files: disk.ffree,
      files: disk.files,
    };
    if (lack) log.error({ ...details, lack }, 'storage: disk nearly full, rejecting writes (507)');
    else log.warn(details, 'storage: space is available again, accepting writes');
  };

  /** What lies on no disk of its own. */
  const forget = (name: DiskName): void => {
    figures.delete(name);
    lacks.delete(name);
  };

  const lookAt = async (watched: WatchedDisk, seen: Set<number>): Promise<void> => {
    const { name, path } = watched;
    try {
      const disk = await read(path);
      unreadable.delete(name);
      if (seen.has(disk.device)) return forget(name);
      seen.add(disk.device);
      figures.set(name, { ...toDiskSpace(disk), reserved: reservedBytes(reserve, disk) });
      const was = lacks.get(name);
      const lack = getMissing(reserve, disk, was !== undefined);
      if (lack === (was?.lack ?? null)) return;
      if (lack) lacks.set(name, { disk: name, lack, since: was?.since ?? new Date() });
      else lacks.delete(name);
      report(watched, lack, disk);
    } catch (error) {
      // The folder of files is made with the first one. Until then there is nothing to look at; nor, where it was taken
      // away, could it be made again as long as what it lacked before refused all files.
      if (isMissing(error) && name === 'media') return forget(name);
      if (!unreadable.has(name))
        log.warn({ err: error, disk: name, folder: path }, 'storage: could not read disk usage');
      unreadable.add(name);
    }
  };

  const scan = (): Promise<void> =>
    (scanning ??= (async () => {
      const seen = new Set<number>();
      for (const disk of disks) await lookAt(disk, seen);
      if (lacks.size === 0) for (const goOn of waiting) goOn();
    })().finally(() => (scanning = null)));

  return {
    assertDiskSpace() {
      const full = first();
      if (full) throw storageFull(describeShortage(full));
    },
    full: first,
    check: () => (lacks.size ? 'degraded' : 'ok'),
    figures: () => figures,
    async whenRoom(signal) {
      while (lacks.size) {
        signal?.throwIfAborted();
        const { promise, resolve } = Promise.withResolvers<void>();
        const goOn = (): void => resolve();
        waiting.add(goOn);
        signal?.addEventListener('abort', goOn);
        await promise;
        waiting.delete(goOn);
        signal?.removeEventListener('abort', goOn);
      }
      signal?.throwIfAborted();
    },
    scan,
    async start() {
      await scan();
      timer = setInterval(() => void scan(), LOOK_MS).unref();
    },
    stop() {
      clearInterval(timer);
    },
  };
}
