/**
 * Contents of a backup file, in exactly this order:
 *
 *   fairlead.json                                 what it is: BackupHeader
 *   database/<schema>.<table>/000001.copy.zst …   rows as COPY's text, cut into pieces of PIECE_BYTES
 *   clicks/<journal>/<segment>/000001.zst …       what journals of clicks hold beyond the database, cut likewise
 *   media/<workspace>/<first two>/<sha256>        contents of media, by their names
 *   secret.key                                    the root secrets, where they were asked for
 *   manifest.json                                 what all of the above amounts to: BackupManifest
 *   seal.json                                     what the manifest amounts to: BackupSeal
 *
 * A later form gets another version; a reader knows all versions up to its own.
 */
import { createHash, createHmac } from 'node:crypto';
import type { DatabaseOutline } from '../../platform/db/copy/outline.ts';
import { createSecretBox } from '../../platform/crypto/secret-box.ts';

export const FORMAT = 'fairlead-backup';
export const VERSION = 1;

/** Of rows and journals, before they are compressed. Each piece is held in memory whole. */
export const PIECE_BYTES = 4 * 1024 * 1024;

export const HEADER = 'fairlead.json';
export const SECRET = 'secret.key';
export const MANIFEST = 'manifest.json';
export const SEAL = 'seal.json';

export interface BackupHeader {
  format: typeof FORMAT;
  version: number;
  /** Of the program that wrote it. */
  program: string;
  made_at: string;
  /** PostgreSQL's version, as "18.4". */
  postgresql: string;
  migrations: string[];
  /** Fingerprints of the root secrets, the one that is sealed under first. */
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
  /** All but media, in order. */
  entries: EntryDigest[];
  /** Their names hold their hashes; `sha256` is that of their lines (mediaLine) one after the other. */
  media: { files: number; bytes: number; sha256: string };
  /** By full name. `bytes` of the rows' text. */
  tables: { name: string; rows: number; checksum: string; bytes: number }[];
  /** Of journals of clicks, before they are compressed. */
  clicks: { segments: number; bytes: number };
  outline: DatabaseOutline;
}

export interface BackupSeal {
  /** Of the manifest, under a key made of the root secret: nobody without it can write another manifest. */
  hmac: string;
  /** Of manifest and hmac, for those who don't have the secret. */
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

/** @param secret the root secret that the backup names first */
export function getSeal(manifest: Buffer, secret: string): BackupSeal {
  const hmac = createHmac('sha256', createSecretBox(secret).derive('backup')).update(manifest).digest('hex');
  return { hmac, sha256: getCheck(manifest, hmac) };
}

export const getCheck = (manifest: Buffer, hmac: string): string =>
  createHash('sha256').update(manifest).update(hmac).digest('hex');
