/** Preconditions of a restore: its secret is available, and the disk has enough space. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readKeyFile } from '../../platform/crypto/key-file.ts';
import { rootSecrets } from '../../platform/crypto/root-secret.ts';
import { fingerprint } from '../../platform/crypto/secret-box.ts';
import type { Config } from '../../platform/config/config.ts';
import { getCode } from '../../platform/embedded-postgres/errors.ts';
import { type FileSystem, reservedBytes, toDiskSpace } from '../../platform/config/reserve.ts';
import type { Archive } from './archive.ts';
import { BackupError } from './backup-error.ts';

const MIB = 1024 * 1024;
/** Disk space per byte of row text, including indexes and the write-ahead log. */
const TABLE_SHARE = 2.5;
/** Size of an empty cluster and its write-ahead log. */
const CLUSTER_BYTES = 350 * MIB;

/**
 * Reads the secrets that the operator provides, not those in the backup: from the settings if set, otherwise from a
 * file.
 * @param secretFile path of a file in the format of secret.key
 * @throws BackupError, ConfigError
 */
export async function readSecrets(config: Config, secretFile: string | undefined): Promise<string[]> {
  if (config.FAIRLEAD_SECRET !== null) {
    const { current, further } = await rootSecrets(config);
    return [current, ...further];
  }
  if (secretFile === undefined) return [];
  const found = await readKeyFile(secretFile);
  if (found === null) throw new BackupError(`The file ${secretFile} does not exist.`);
  return found;
}

/** @throws BackupError if the sealed values of the backup could not be opened after the restore */
export function assertSecretsFit(
  { header, secrets }: Archive,
  given: readonly string[],
  { FAIRLEAD_SECRET }: Config,
): void {
  const itsOwn = `its fingerprint is ${header.secrets.join(', ')}`;
  const known = new Set(given.map((secret) => fingerprint(secret)));
  if (given.length && !header.secrets.every((name) => known.has(name)))
    throw new BackupError(
      `${FAIRLEAD_SECRET === null ? 'The secret' : 'FAIRLEAD_SECRET'} is not the secret of this backup (${itsOwn}). Nothing was changed.`,
    );
  if (!given.length && !secrets.length)
    throw new BackupError(
      `The secret of the installation (${itsOwn}) is required: use --secret-file PATH, or set FAIRLEAD_SECRET. Nothing was changed.`,
    );
}

const bytesOfTables = ({ manifest }: Archive): number =>
  manifest.tables.reduce((sum, { bytes }) => sum + bytes, 0);

/** Returns the file system that a folder is on, or would be created on. */
async function getDisk(folder: string): Promise<FileSystem> {
  try {
    return await statfs(folder);
  } catch (error) {
    if (getCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    return await getDisk(dirname(folder));
  }
}

/** @throws BackupError if the disk has too little space for the restore */
export async function assertDiskSpace(archive: Archive, config: Config): Promise<void> {
  const { media, clicks } = archive.manifest;
  const needed =
    clicks.bytes +
    (config.S3_URL ? 0 : media.bytes) +
    (config.DATABASE_URL ? 0 : CLUSTER_BYTES + bytesOfTables(archive) * TABLE_SHARE);
  const disk = await getDisk(config.DATA_DIR);
  const free = toDiskSpace(disk).free - reservedBytes(config.STORAGE_RESERVE, disk);
  if (free >= needed) return;
  const [has, wants] = [free, needed].map((bytes) => Math.max(0, Math.ceil(bytes / MIB)));
  throw new BackupError(
    `The disk of ${config.DATA_DIR} has ${has} MiB available, and the backup requires about ${wants} MiB. Nothing was changed.`,
  );
}
