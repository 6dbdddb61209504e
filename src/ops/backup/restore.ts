/**
 * Restores an installation from a backup. Everything is checked before anything is changed. Then, under the mark of
 * restoring.ts, it restores the key file, journals and media, and finally the database in one transaction, which is
 * compared with the backup before it commits. After a crash at any point no server starts on the folder, and the same
 * command completes the restore.
 */
import type { Config } from '../../platform/config/config.ts';
import type { TableDigest } from '../../platform/db/copy/row-digest.ts';
import { assertKnownSchema, upgradeSchema } from '../../platform/db/copy/target.ts';
import { directConnection } from '../../platform/db/database.ts';
import { type EmbeddedDatabase, startEmbedded } from '../../platform/embedded-postgres/embedded.ts';
import { type Archive, openArchive } from './archive.ts';
import { mediaStore } from './media-store.ts';
import { assertDiskSpace, assertSecretsFit, readSecrets } from './restore-checks.ts';
import { alreadyFilled, fill } from './restore-database.ts';
import { restoreClicks, restoreKeyFile, restoreMedia } from './restore-files.ts';
import type { Claim } from './restore-claims.ts';
import { assertTargetIsFree, claimTarget } from './restoring.ts';

export interface RestoreOptions {
  config: Config;
  file: string;
  /** A file with the root secret, in the format of secret.key. */
  secretFile?: string;
  /** Only checks whether the backup could be restored: the file, its schema and its secret. */
  check?: boolean;
  report?: (progress: RestoreProgress) => void;
  signal?: AbortSignal;
}

export type RestoreProgress =
  | { kind: 'verified'; bytes: number; of: number }
  | { kind: 'media'; files: number; of: number }
  | { kind: 'table'; table: string; done: number; of: number };

export interface RestoreSummary {
  archive: Pick<Archive, 'header' | 'manifest'>;
  /** 'unknown' if the secret is not known, which is possible only with `check`. */
  seal: 'good' | 'unknown';
  /** The digest of each table, as read back from the database; null if nothing was restored. */
  tables: Map<string, TableDigest> | null;
  /** Migrations that were applied because they are newer than the backup. */
  migrated: string[];
  /** Stores that an interrupted restore wrote media contents to and this one did not. */
  otherStores: string[];
}

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

const getClaim = ({ DATABASE_URL, S3_URL }: Config): Claim => ({
  isWhole: DATABASE_URL === null,
  folders: S3_URL ? ['clicks'] : ['clicks', 'media'],
  store: S3_URL?.name ?? null,
});

async function restoreInto(archive: Archive, secrets: readonly string[], options: RestoreOptions) {
  const { config, report, signal } = options;
  const claim = getClaim(config);
  const isAgain = await assertTargetIsFree(config.DATA_DIR, claim);
  await assertDiskSpace(archive, config);
  const url = config.DATABASE_URL;
  const server = url === null ? null : directConnection(config, { connectionString: url });
  if (server) await alreadyFilled(archive, server, isAgain);

  const target = await claimTarget(config.DATA_DIR, claim);
  const files = mediaStore(config);
  let embedded: EmbeddedDatabase | null = null;
  try {
    if (server === null) embedded = await startEmbedded({ dataDir: config.DATA_DIR, log: quiet });
    const connection = embedded?.connection ?? server!;
    const held = await alreadyFilled(archive, connection, isAgain);
    if (config.FAIRLEAD_SECRET === null) await restoreKeyFile(config.DATA_DIR, secrets);
    await restoreClicks(archive, config.DATA_DIR, signal);
    const of = archive.manifest.media.files;
    await restoreMedia(archive, files, (done) => report?.({ kind: 'media', files: done, of }), signal);
    const tellTable = (what: { table: string; done: number; of: number }) =>
      report?.({ kind: 'table', ...what });
    const tables = held ?? (await fill(archive, connection, { report: tellTable, signal }));
    await target.finish();
    const { otherStores } = target;
    return { tables, migrated: await upgradeSchema(connection), otherStores };
  } finally {
    await files.close();
    await embedded?.stop();
    target.release();
  }
}

/**
 * @throws BackupError, CopyError, ConfigError or EmbeddedDatabaseError, each with a one-line message; the reason of
 * `signal` if it aborts
 */
export async function restore(options: RestoreOptions): Promise<RestoreSummary> {
  const { config, file, check = false, report, signal } = options;
  const given = await readSecrets(config, options.secretFile);
  const archive = await openArchive(file, (bytes, of) => {
    signal?.throwIfAborted();
    report?.({ kind: 'verified', bytes, of });
  });
  try {
    await assertKnownSchema(archive.manifest.outline);
    if (given.length || !check) assertSecretsFit(archive, given, config);
    const seal = archive.checkSeal([...given, ...archive.secrets]);
    if (check) return { archive, seal, tables: null, migrated: [], otherStores: [] };
    const done = await restoreInto(archive, given.length ? given : archive.secrets, options);
    return { archive, seal, ...done };
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    await archive.close();
  }
}
