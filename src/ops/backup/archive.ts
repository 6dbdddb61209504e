/**
 * A verified backup. The file stays open, and everything read again is compared with what was verified, so that a
 * concurrent change of the file is detected.
 */
import { timingSafeEqual } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { fingerprint } from '../../platform/crypto/secret-box.ts';
import { getCode } from '../../platform/embedded-postgres/errors.ts';
import { getEntries, piecesOfEntry } from './archive-entries.ts';
import { BackupError, damaged } from './backup-error.ts';
import { getKind } from './entry-names.ts';
import { type BackupHeader, type BackupManifest, HEADER, getSeal } from './format.ts';
import { BLOCK, decodeHeader } from './tar.ts';
import { readPiece, type Verified, verifyArchive, type VerifiedEntry } from './verify-archive.ts';

export interface ArchivedMedia {
  workspaceId: string;
  sha256: string;
  size: number;
  /** A piece is valid only until the next one is requested. */
  bytes(): AsyncIterable<Buffer>;
}

export interface Archive {
  header: BackupHeader;
  manifest: BackupManifest;
  /** Root secrets in the file; empty if it was written without them. */
  secrets: string[];
  /** Iterates over the rows of a table in COPY's text format. @param name full name, for example "public.links" */
  rows(name: string): AsyncIterable<Buffer>;
  segments(): { journal: string; segment: number; bytes(): AsyncIterable<Buffer> }[];
  media(): AsyncIterable<ArchivedMedia>;
  /**
   * Checks whether the author of the backup had the secret.
   * @returns 'unknown' if `known` lacks the secret that the backup names first. @throws BackupError if the seal does
   * not match
   */
  checkSeal(known: readonly string[]): 'good' | 'unknown';
  close(): Promise<void>;
}

const foreign = (path: string): BackupError =>
  new BackupError(`${path} is not a Fairlead backup. Nothing was changed.`);

async function openFile(path: string): Promise<{ file: FileHandle; size: number }> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (getCode(error) === 'ENOENT') throw new BackupError(`The file ${path} does not exist.`);
    throw new BackupError(`${path} can't be read: ${(error as Error).message}`);
  }
  try {
    const stats = await file.stat();
    if (stats.isFIFO() || stats.isSocket() || stats.isCharacterDevice())
      throw new BackupError(`${path} is not a regular file. A backup is read more than once.`);
    if (!stats.isFile()) throw foreign(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BLOCK), 0, BLOCK, 0);
    if (bytesRead !== BLOCK || decodeHeader(buffer)?.name !== HEADER) throw foreign(path);
    return { file, size: stats.size };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function assertSealed({ manifestBytes, seal }: Verified, secret: string): void {
  const expected = Buffer.from(getSeal(manifestBytes, secret).hmac, 'hex');
  if (!timingSafeEqual(expected, Buffer.from(seal.hmac, 'hex')))
    throw damaged('it was not written with the secret that it names');
}

/**
 * Opens a backup and verifies it by reading it completely.
 * @param report receives the progress in bytes
 * @throws BackupError if the file is not a backup, or anything in it was changed
 */
export async function openArchive(
  path: string,
  report?: (bytes: number, of: number) => void,
): Promise<Archive> {
  const { file, size } = await openFile(path);
  const verified = await verifyArchive(file, size, (bytes) => report?.(bytes, size)).catch(
    async (error: unknown) => {
      await file.close();
      throw error;
    },
  );
  const { header, manifest, entries, mediaFrom, secrets } = verified;

  async function* unpacked(pieces: VerifiedEntry[]): AsyncGenerator<Buffer> {
    for (const piece of pieces) yield await readPiece(file, piece);
  }
  return {
    header,
    manifest,
    secrets,
    rows: (name) => unpacked(entries.filter(({ is }) => is.kind === 'rows' && is.table === name)),
    segments() {
      const pieces = entries.filter(({ is }) => is.kind === 'clicks');
      const groups = Map.groupBy(pieces, ({ name }) => name.slice(0, name.lastIndexOf('/')));
      return [...groups.values()].map((group) => {
        const { journal, segment } = group[0]!.is as { journal: string; segment: number };
        return { journal, segment, bytes: () => unpacked(group) };
      });
    },
    async *media() {
      if (mediaFrom === null) return;
      for await (const entry of getEntries(file, size, mediaFrom)) {
        const is = getKind(entry.name);
        if (is?.kind !== 'media') return;
        const { workspaceId, sha256 } = is;
        yield { workspaceId, sha256, size: entry.size, bytes: () => piecesOfEntry(file, entry) };
      }
    },
    checkSeal(known) {
      const secret = known.find((one) => fingerprint(one) === header.secrets[0]);
      if (secret === undefined) return 'unknown';
      assertSealed(verified, secret);
      return 'good';
    },
    close: () => file.close(),
  };
}
