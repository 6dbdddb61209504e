/** Composes the watch over this process's disks: which folders, by its settings, and the metrics of them; nothing else. */
import { join } from 'node:path';
import { Gauge, type Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { findDataDirectory } from '../embedded-postgres/data-directory.ts';
import type { Log } from '../logging/log.ts';
import { createDiskWatch, type DiskWatch, type ReadDisk, type WatchedDisk } from './disk-watch.ts';

export interface StorageDeps {
  config: Config;
  registry: Registry;
  log: Pick<Log, 'warn' | 'error'>;
  /** For tests: the answer of the file systems. */
  read?: ReadDisk;
}

/**
 * The folders that this process, or its database, writes to. A database elsewhere (DATABASE_URL) can't be looked at; what
 * it says of its own disk is answered alike. Where files are in a store, a process that follows no links keeps nothing.
 */
function getDisks({ DATA_DIR, DATABASE_URL, S3_URL, ROLE }: Config): WatchedDisk[] {
  const followsLinks = ROLE === 'all' || ROLE === 'redirect';
  const database = DATABASE_URL ? null : findDataDirectory(DATA_DIR);
  return [
    ...(DATABASE_URL && S3_URL && !followsLinks ? [] : [{ name: 'data' as const, path: DATA_DIR }]),
    ...(database === null ? [] : [{ name: 'database' as const, path: database }]),
    ...(S3_URL ? [] : [{ name: 'media' as const, path: join(DATA_DIR, 'media') }]),
  ];
}

function measure(registry: Registry, watch: DiskWatch): void {
  // All processes of a machine look at the same disks.
  const common = { registers: [registry], aggregator: 'max' as const };
  const byDisk = (name: string, help: string, figure: 'free' | 'size' | 'reserved'): void => {
    new Gauge({
      name,
      help,
      labelNames: ['disk'],
      ...common,
      collect() {
        this.reset();
        for (const [disk, figures] of watch.figures()) this.set({ disk }, figures[figure]);
      },
    });
  };
  byDisk('fairlead_disk_free_bytes', 'Free on the disk of the data, the database, the files.', 'free');
  byDisk('fairlead_disk_size_bytes', 'Size of that disk.', 'size');
  byDisk(
    'fairlead_disk_reserved_bytes',
    'Below this much free, writes are refused (STORAGE_RESERVE).',
    'reserved',
  );
  new Gauge({
    name: 'fairlead_writes_refused',
    help: '1 while writes are rejected with 507 because a disk is nearly full.',
    ...common,
    collect() {
      this.set(watch.full() ? 1 : 0);
    },
  });
}

export function createStorage({ config, registry, log, read }: StorageDeps): DiskWatch {
  const watch = createDiskWatch({ disks: getDisks(config), reserve: config.STORAGE_RESERVE, log, read });
  measure(registry, watch);
  return watch;
}
