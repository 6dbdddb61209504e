/** A backup of a few rows, made without a database: for tests that damage it. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fingerprint } from '../../../src/platform/crypto/secret-box.ts';
import { createRowDigest } from '../../../src/platform/db/copy/row-digest.ts';
import { getKey } from '../../../src/surfaces/messaging/media/media-files.ts';
import { createArchiveWriter } from '../../../src/ops/backup/archive-writer.ts';
import * as format from '../../../src/ops/backup/format.ts';
import { openOutput } from '../../../src/ops/backup/output.ts';

export const TINY_SECRET = 'the secret of a tiny backup, 32 or more';
const JOURNAL = '0b5f9a52-5a1c-4d7e-9f0e-3f1f6f0c8a11';
const WORKSPACE = '018f3b2e-7c1a-7c3e-8b1a-2f9d6e4c5b3a';
const ROWS: [table: string, text: string][] = [
  ['public.users', '1\tada@example.com\n2\tbob@example.com\n'],
  ['public.links', '1\thttps://example.com/\n'],
  ['public.clicks', ''],
];
const MEDIA = ['first', 'the second content of media'];

const getPieces = async function* (text: string): AsyncGenerator<Buffer> {
  if (text) yield Buffer.from(text);
};

export interface TinyOptions {
  /** Changes what the file says of itself; null leaves an entry out. */
  header?: (header: format.BackupHeader) => object;
  manifest?: (manifest: format.BackupManifest) => object;
  /** Names that are used instead of those that belong there. */
  rename?: (name: string) => string;
  withSecret?: boolean;
}

/** @returns its bytes */
export async function tinyArchive(path: string, options: TinyOptions = {}): Promise<Buffer> {
  const { header: changeHeader = (same) => same, manifest: changeManifest = (same) => same } = options;
  const { rename = (same) => same, withSecret = false } = options;
  const output = await openOutput(path, { force: true });
  try {
    const archive = createArchiveWriter(output, new Date('2026-01-15T09:30:00Z'));
    const migrations = ['0001_workspaces_and_events'];
    const outline: format.BackupManifest['outline'] = {
      server: '18.4',
      migrations,
      jobs: null,
      tables: ROWS.map(([name]) => ({
        schema: 'public',
        name: name.slice(7),
        columns: ['a', 'b'],
        partitions: [],
      })),
      counters: [],
    };
    const header: format.BackupHeader = {
      format: format.FORMAT,
      version: format.VERSION,
      program: '0.1.0',
      made_at: '2026-01-15T09:30:00.000Z',
      postgresql: '18.4',
      migrations,
      secrets: [fingerprint(TINY_SECRET)],
      contains: { clicks: true, media: true, secret: withSecret },
    };
    await archive.add(format.HEADER, format.toJson(changeHeader(header)));
    const tables: format.BackupManifest['tables'] = [];
    for (const [name, text] of ROWS) {
      const digest = createRowDigest();
      digest.add(Buffer.from(text));
      const bytes = await archive.addPieces((piece) => rename(format.rowsName(name, piece)), getPieces(text));
      tables.push({ name, ...digest.end(), bytes });
    }
    const getName = (piece: number): string => rename(format.clicksName(JOURNAL, 3, piece));
    const clicks = { segments: 1, bytes: await archive.addPieces(getName, getPieces('clicks of a journal')) };
    const contents = MEDIA.map((text) => [createHash('sha256').update(text).digest('hex'), text] as const);
    for (const [sha256, text] of contents.toSorted(([one], [other]) => (one < other ? -1 : 1)))
      await archive.addMedia(getKey(WORKSPACE, sha256), text.length, getPieces(text));
    if (withSecret) await archive.add(format.SECRET, Buffer.from(`${TINY_SECRET}\n`));
    const media = archive.media();
    const manifest = format.toJson(
      changeManifest({ entries: archive.entries, media, tables, clicks, outline }),
    );
    await archive.addUnlisted(format.MANIFEST, manifest);
    await archive.addUnlisted(format.SEAL, format.toJson(format.getSeal(manifest, TINY_SECRET)));
    await archive.end();
    await output.finish();
  } finally {
    await output.discard();
  }
  return await readFile(path);
}
