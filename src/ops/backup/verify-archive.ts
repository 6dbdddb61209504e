/**
 * Reads a complete backup and compares it with its manifest: every size and hash, the row count and checksum of every
 * table, every name and its position, and every byte in between. Writes nothing.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { fingerprint } from '../../platform/crypto/secret-box.ts';
import { fullName } from '../../platform/db/copy/outline.ts';
import { createRowDigest, isSame, type RowDigest } from '../../platform/db/copy/row-digest.ts';
import { tidyingCounter } from '../../surfaces/messaging/media/incoming.ts';
import { type ArchiveEntry, bytesOfEntry, getEntries, piecesOfEntry } from './archive-entries.ts';
import { BackupError, damaged } from './backup-error.ts';
import { type EntryKind, orderedKinds } from './entry-names.ts';
import {
  type BackupHeader,
  type BackupManifest,
  type BackupSeal,
  getCheck,
  type EntryDigest,
  mediaLine,
  PIECE_BYTES,
  toJson,
} from './format.ts';
import { AnyHeader, HeaderSchema, ManifestSchema, readJson, SealSchema } from './manifest.schema.ts';
import { BLOCK } from './tar.ts';

const MIB = 1024 * 1024;
/** Incompressible data grows slightly. */
const MAX_PIECE = PIECE_BYTES + 64 * 1024;
const MAX_MANIFEST = 128 * MIB;
const MAX_SMALL = MIB;

const decompress = promisify(zstdDecompress);

/** Reads and decompresses a piece of rows or of a journal. @throws BackupError */
export async function readPiece(
  file: FileHandle,
  entry: ArchiveEntry & { sha256?: string },
): Promise<Buffer> {
  const bytes = await bytesOfEntry(file, entry, MAX_PIECE);
  if (entry.sha256 !== undefined && toSha256(bytes) !== entry.sha256)
    throw damaged(`${entry.name} has changed`);
  return await decompress(bytes, { maxOutputLength: PIECE_BYTES }).catch(() => {
    throw damaged(`${entry.name} can't be unpacked`);
  });
}

export type VerifiedEntry = EntryDigest & ArchiveEntry & { is: EntryKind };

export interface Verified {
  header: BackupHeader;
  manifest: BackupManifest;
  seal: BackupSeal;
  /** The bytes that the HMAC covers. */
  manifestBytes: Buffer;
  /** All entries except media, manifest and seal. */
  entries: VerifiedEntry[];
  /** Offset of the first media entry; null if there is none. */
  mediaFrom: number | null;
  /** Root secrets in the file. */
  secrets: string[];
}

const toSha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function toHeader(bytes: Buffer): BackupHeader {
  const any = readJson(bytes, AnyHeader);
  if (any === null) throw damaged('its header was changed');
  const header = readJson(bytes, HeaderSchema);
  if (header !== null) return header;
  throw any.version > 1
    ? new BackupError(
        `The file was written by a later version (${any.program}, format ${any.version}). Use that version or a later one.`,
      )
    : damaged('its header was changed');
}

function getSecrets(bytes: Buffer, { secrets: named }: BackupHeader): string[] {
  const secrets = bytes.toString('utf8').split('\n').slice(0, -1);
  if (secrets.map((secret) => fingerprint(secret)).join() !== named.join())
    throw damaged('its secret does not match its fingerprint');
  return secrets;
}

/** Collects the totals of the entries read, in the form of the manifest. */
function createTally() {
  const tables = new Map<string, { digest: RowDigest; bytes: number }>();
  const clicks = { segments: 0, bytes: 0 };
  const lines = createHash('sha256');
  const media = { files: 0, bytes: 0 };
  return {
    rows(table: string, bytes: Buffer): void {
      let sum = tables.get(table);
      if (!sum) tables.set(table, (sum = { digest: createRowDigest(), bytes: 0 }));
      sum.digest.add(bytes);
      sum.bytes += bytes.length;
    },
    clicks(piece: number, bytes: Buffer): void {
      if (piece === 1) clicks.segments += 1;
      clicks.bytes += bytes.length;
    },
    media(key: string, size: number): void {
      lines.update(mediaLine(key, size));
      media.files += 1;
      media.bytes += size;
    },
    /** @throws BackupError if anything is missing, extra or different */
    assertIs(manifest: BackupManifest): void {
      const names = manifest.tables.map(({ name }) => name);
      const known = new Set(names);
      if (names.join() !== manifest.outline.tables.map(fullName).join() || known.size !== names.length)
        throw damaged('its tables do not match its manifest');
      for (const name of tables.keys()) if (!known.has(name)) throw damaged(`${name} is not in its manifest`);
      for (const { name, bytes, ...said } of manifest.tables) {
        const { digest, bytes: found } = tables.get(name) ?? { digest: createRowDigest(), bytes: 0 };
        if (found !== bytes || !isSame(ended(digest), said))
          throw damaged(`the rows of ${name} do not match their checksum`);
      }
      const sameClicks =
        clicks.segments === manifest.clicks.segments && clicks.bytes === manifest.clicks.bytes;
      if (!sameClicks) throw damaged('its click journals do not match its manifest');
      const { files, bytes, sha256 } = manifest.media;
      if (files !== media.files || bytes !== media.bytes || sha256 !== lines.digest('hex'))
        throw damaged('its media files do not match its manifest');
    },
  };
}

function ended(digest: RowDigest) {
  try {
    return digest.end();
  } catch {
    throw damaged('a row is incomplete');
  }
}

/** Checks that manifest, seal and header agree. */
function assertAgree(
  { header, manifest, manifestBytes, seal, entries }: Verified,
  tally: ReturnType<typeof createTally>,
) {
  const check = Buffer.from(getCheck(manifestBytes, seal.hmac));
  if (!timingSafeEqual(check, Buffer.from(seal.sha256))) throw damaged('its manifest was changed');
  const listed = entries.map(({ name, size, sha256 }) => `${name} ${size} ${sha256}`).join('\n');
  if (listed !== manifest.entries.map(({ name, size, sha256 }) => `${name} ${size} ${sha256}`).join('\n'))
    throw damaged('its entries do not match its manifest');
  tally.assertIs(manifest);
  const { contains, migrations, postgresql } = header;
  const has = (kind: EntryKind['kind']): boolean => entries.some(({ is }) => is.kind === kind);
  if (
    migrations.join() !== manifest.outline.migrations.join() ||
    postgresql !== manifest.outline.server ||
    contains.secret !== has('secret') ||
    (!contains.clicks && has('clicks')) ||
    (!contains.media && manifest.media.files > 0)
  )
    throw damaged('its header and its manifest do not match');
}

/**
 * @param size the file's size in bytes
 * @param report receives the progress in bytes
 * @throws BackupError if anything was changed, or a later version wrote the file
 */
export async function verifyArchive(
  file: FileHandle,
  size: number,
  report: (bytes: number) => void = () => undefined,
): Promise<Verified> {
  const kindAt = orderedKinds();
  const tally = createTally();
  const passed = tidyingCounter();
  const entries: VerifiedEntry[] = [];
  const found: Partial<Verified> = { entries, mediaFrom: null, secrets: [] };

  const note = (entry: ArchiveEntry, is: EntryKind, bytes: Buffer): Buffer => {
    entries.push({ ...entry, is, sha256: toSha256(bytes) });
    return bytes;
  };
  const read = async (entry: ArchiveEntry, is: EntryKind): Promise<void> => {
    const small = (max = MAX_SMALL): Promise<Buffer> => bytesOfEntry(file, entry, max);
    switch (is.kind) {
      case 'header':
        found.header = toHeader(note(entry, is, await small()));
        return;
      case 'secret':
        found.secrets = getSecrets(note(entry, is, await small()), found.header!);
        return;
      case 'rows':
      case 'clicks': {
        note(entry, is, await bytesOfEntry(file, entry, MAX_PIECE));
        const bytes = await readPiece(file, entry);
        if (is.kind === 'rows') tally.rows(is.table, bytes);
        else tally.clicks(is.piece, bytes);
        return;
      }
      case 'media': {
        const hash = createHash('sha256');
        for await (const piece of piecesOfEntry(file, entry)) hash.update(piece);
        if (hash.digest('hex') !== is.sha256) throw damaged(`${entry.name} has changed`);
        found.mediaFrom ??= entry.offset - BLOCK;
        tally.media(entry.name.slice('media/'.length), entry.size);
        return;
      }
      case 'manifest':
        found.manifestBytes = await small(MAX_MANIFEST);
        found.manifest = readJson(found.manifestBytes, ManifestSchema) ?? undefined;
        if (!found.manifest) throw damaged('its manifest was changed');
        return;
      case 'seal': {
        const bytes = await small();
        found.seal = readJson(bytes, SealSchema) ?? undefined;
        // Nothing else covers the seal's whitespace.
        if (!found.seal || !toJson(found.seal).equals(bytes)) throw damaged('its seal was changed');
      }
    }
  };

  for await (const entry of getEntries(file, size)) {
    await read(entry, kindAt(entry.name));
    passed(entry.size);
    report(entry.offset + entry.size);
  }
  if (!found.header || !found.manifest || !found.seal) throw damaged('its end is missing');
  const verified = found as Verified;
  assertAgree(verified, tally);
  return verified;
}
