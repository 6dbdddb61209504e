/**
 * The automatic backup before a migration of a database with data: a file in DATA_DIR/backups, where the last three are
 * kept. If it can't be written, nothing is migrated, unless the operator has disabled the backup. Runs in one process
 * at a time (db/upgrade-lock.ts).
 */
import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { rootSecrets } from '../../platform/crypto/root-secret.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database, PoolOptions } from '../../platform/db/database.ts';
import { SchemaError } from '../../platform/db/migrate.ts';
import { type FileSystem, reservedBytes, toDiskSpace } from '../../platform/config/reserve.ts';
import type { Log } from '../../platform/logging/log.ts';
import { BackupError } from './backup-error.ts';
import { writeBackup } from './write-backup.ts';

const KEPT = 3;
const MIB = 1024 * 1024;
/**
 * Matches `before-0024_retention-20260115T080000123Z.fairlead`, and the partial file that a killed start leaves.
 * Earlier versions wrote no milliseconds.
 */
const OWN_NAME = /^before-.+-(\d{8}T\d{6}(?:\d{3})?Z)\.fairlead(\.partial-[0-9a-f]+)?$/;

export interface UpgradeBackup {
  config: Config;
  log: Pick<Log, 'info' | 'warn'>;
  /** Connects to the database directly, not through a transaction pooler. */
  connection: PoolOptions;
  /** For tests: returns the statistics of a file system. */
  getDisk?: (folder: string) => Promise<FileSystem>;
}

/** @returns the function to call before migrations; it throws a one-line SchemaError if no backup can be made */
export const backUpBeforeMigrations =
  ({ config, log, connection, getDisk: diskOf = (path) => statfs(path) }: UpgradeBackup) =>
  async (db: Database, pending: string[]): Promise<void> => {
    if (config.UPGRADE_BACKUP === 'off') {
      log.warn({ migrations: pending }, 'migrating without a backup, as UPGRADE_BACKUP says');
      return;
    }
    const folder = join(config.DATA_DIR, 'backups');
    const file = join(folder, `before-${pending[0]!}-${compactTime(new Date())}.fairlead`);
    const since = performance.now();
    const reservedOn = (disk: FileSystem): number => reservedBytes(config.STORAGE_RESERVE, disk);
    const roomIn = (disk: FileSystem): number => toDiskSpace(disk).free - reservedOn(disk);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await removePartial(folder);
      await assertDiskSpace(db, roomIn(await diskOf(folder)));
      log.info({ file }, 'backing up before the schema is changed');
      await writeBackup({
        connection,
        file,
        media: null,
        journals: config.DATA_DIR,
        secrets: await rootSecrets(config),
        keepFree: reservedOn,
      });
    } catch (error) {
      throw new SchemaError(
        `The backup before ${getCount(pending)} could not be written to ${file}: ${oneLine(error)}. ` +
          'Nothing was changed. Fix this, or set UPGRADE_BACKUP=off if you have your own backup.',
        { cause: error },
      );
    }
    await removeOld(folder);
    const { size } = await stat(file);
    log.info({ file, bytes: size, ms: Math.round(performance.now() - since) }, 'backed up');
  };

/** Includes milliseconds: a start may die after its backup and be repeated within a second. */
const compactTime = (time: Date): string => time.toISOString().replaceAll(/[-:.]/g, '');

const getCount = (pending: string[]): string =>
  pending.length === 1 ? `migration ${pending[0]}` : `${pending.length} migrations from ${pending[0]} on`;

const oneLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, ' ').replace(/\.$/, '');

/** Tables compress to about a quarter of their size, rarely less; indexes are not in the file. */
const SHARE_OF_TABLES = 0.25;

/** Reports a clear lack of disk space before anything is written. The writer checks again as it writes. */
async function assertDiskSpace(db: Database, freeBytes: number): Promise<void> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(pg_table_size(oid)), 0)::bigint as bytes from pg_class
    where relkind = 'r' and relpersistence = 'p' and relnamespace in ('public'::regnamespace, to_regnamespace('pgboss'))
  `.execute(db);
  const needed = Math.ceil((rows[0]!.bytes * SHARE_OF_TABLES) / MIB);
  const free = Math.max(0, Math.floor(freeBytes / MIB));
  if (free < needed)
    throw new BackupError(
      `it requires about ${needed} MiB, and the disk has ${free} MiB available besides STORAGE_RESERVE`,
    );
}

async function own(folder: string): Promise<{ name: string; time: string; partial: boolean }[]> {
  return (await readdir(folder)).flatMap((name) => {
    const [, time, partial] = OWN_NAME.exec(name) ?? [];
    return time ? [{ name, time, partial: partial !== undefined }] : [];
  });
}

async function removePartial(folder: string): Promise<void> {
  for (const { name, partial } of await own(folder)) if (partial) await rm(join(folder, name));
}

async function removeOld(folder: string): Promise<void> {
  const whole = (await own(folder)).filter(({ partial }) => !partial);
  whole.sort((one, other) => (one.time < other.time ? 1 : -1));
  for (const { name } of whole.slice(KEPT)) await rm(join(folder, name));
}
