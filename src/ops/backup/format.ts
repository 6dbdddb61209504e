/**
 * The contents of a backup file, in exactly this order:
 *
 *   fairlead.json                                 describes the file: BackupHeader
 *   database/<schema>.<table>/000001.copy.zst …   rows as COPY's text, cut into pieces of PIECE_BYTES
 *   clicks/<journal>/<segment>/000001.zst …       clicks that are only in journals, cut likewise
 *   media/<workspace>/<first two>/<sha256>        media contents, sorted by name
 *   secret.key                                    the root secrets, if requested
 *   manifest.json                                 sizes and hashes of all of the above: BackupManifest
 *   seal.json                                     hash and HMAC of the manifest: BackupSeal
 *
 * A later format gets a new version. A reader supports all versions up to its own.
 */
import { createHash, createHmac } from 'node:crypto';
import type { DatabaseOutline } from '../../platform/db/copy/outline.ts';
import { createSecretBox } from '../../platform/crypto/secret-box.ts';

export const FORMAT = 'fairlead-backup';
export const VERSION = 1;

/** Size of a piece of rows or journals before compression. Each piece is held in memory as a whole. */
export const PIECE_BYTES = 4 * 1024 * 1024;

export const HEADER = 'fairlead.json';
export const SECRET = 'secret.key';
export const MANIFEST = 'manifest.json';
export const SEAL = 'seal.json';

export interface BackupHeader {
  format: typeof FORMAT;
  version: number;
  /** Version of the program that wrote the file. */
  program: string;
  made_at: string;
  /** PostgreSQL's version, for example "18.4". */
  postgresql: string;
  migrations: string[];
  /** Fingerprints of the root secrets. The first one belongs to the secret that new values are sealed with. */
  secrets: string[];
  contains: { clicks: boolean; media: boolean; secret: boolean };
}

export interface EntryDigest {
  name: string;
  /** Bytes as stored in the file. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
}

export interface BackupManifest {
  /** All entries except media, in order. */
  entries: EntryDigest[];
  /** Media entries have their hashes in their names; `sha256` is the hash of their concatenated lines (mediaLine). */
  media: { files: number; bytes: number; sha256: string };
  /** Sorted by full name. `bytes` is the size of the rows' text. */
  tables: { name: string; rows: number; checksum: string; bytes: number }[];
  /** Click journals, before compression. */
  clicks: { segments: number; bytes: number };
  outline: DatabaseOutline;
}

export interface BackupSeal {
  /**
   * HMAC of the manifest with a key derived from the root secret: nobody without the secret can write another manifest.
   */
  hmac: string;
  /** Hash of manifest and hmac, for readers who don't have the secret. */
  sha256: string;
}

const numbered = (at: number): string => String(at).padStart(6, '0');

export const rowsName = (table: string, piece: number): string =>
  `database/${table}/${numbered(piece)}.copy.zst`;
export const clicksName = (journal: string, segment: number, piece: number): string =>
  `clicks/${journal}/${String(segment).padStart(8, '0')}/${numbered(piece)}.zst`;
export const mediaName = (key: string): string => `media/${key}`;

export const mediaLine = (key: string, size: number): string => `${key}\t${size}\n`;

export const toJson = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 1)}\n`);

/** @param secret the root secret whose fingerprint is first in the header */
export function getSeal(manifest: Buffer, secret: string): BackupSeal {
  const hmac = createHmac('sha256', createSecretBox(secret).derive('backup')).update(manifest).digest('hex');
  return { hmac, sha256: getCheck(manifest, hmac) };
}

export const getCheck = (manifest: Buffer, hmac: string): string =>
  createHash('sha256').update(manifest).update(hmac).digest('hex');
