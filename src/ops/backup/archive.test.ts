import { execFileSync } from 'node:child_process';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pack } from 'tar-stream';
import { buffer } from 'node:stream/consumers';
import { type TemporaryFolder, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openArchive } from './archive.ts';
import { BackupError } from './backup-error.ts';
import { openOutput } from './output.ts';
import { BLOCK, decodeHeader, encodeHeader, END, getPadding } from './tar.ts';
import { TINY_SECRET, tinyArchive } from '../../../test/support/backup/tiny-archive.ts';

let folder: TemporaryFolder;
let whole: Buffer;
/** The entries of `whole`: header, content and padding. */
let parts: Buffer[];

beforeAll(async () => {
  folder = await temporaryFolder();
  whole = await tinyArchive(join(folder.path, 'whole'), { withSecret: true });
  parts = [];
  for (let at = 0; at < whole.length - END.length;) {
    const { size } = decodeHeader(whole.subarray(at, at + BLOCK))!;
    const end = at + BLOCK + size + getPadding(size);
    parts.push(whole.subarray(at, end));
    at = end;
  }
});
afterAll(() => folder?.[Symbol.asyncDispose]());

/** Opens bytes as a backup. @returns the error message, or null if the backup is accepted */
async function getRejection(bytes: Buffer, known: string[] = []): Promise<string | null> {
  const path = join(folder.path, 'tried');
  await writeFile(path, bytes);
  try {
    const archive = await openArchive(path);
    try {
      archive.checkSeal(known);
    } finally {
      await archive.close();
    }
    return null;
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    expect(error.message).not.toContain('\n');
    return error.message;
  }
}
async function toList<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
const DAMAGED = /^(The file is damaged or was changed: .*|.* is not a Fairlead backup)\. Nothing was changed/;

describe('a backup', () => {
  test('can be read back unchanged, and listed by any tar program', async () => {
    expect(await getRejection(whole, [TINY_SECRET])).toBeNull();
    const archive = await openArchive(join(folder.path, 'whole'));
    const rows = await toList(archive.rows('public.users'));
    expect(Buffer.concat(rows).toString()).toBe('1\tada@example.com\n2\tbob@example.com\n');
    expect(await toList(archive.rows('public.clicks'))).toEqual([]);
    expect(archive.segments().map(({ segment }) => segment)).toEqual([3]);
    expect((await toList(archive.media())).map(({ size }) => size).toSorted()).toEqual([27, 5]);
    expect(archive.secrets).toEqual([TINY_SECRET]);
    expect(archive.checkSeal(['another secret, of 32 characters or more'])).toBe('unknown');
    await archive.close();
    const listed = execFileSync('tar', ['-tf', join(folder.path, 'whole')], { encoding: 'utf8' }).split('\n');
    expect([listed[0], listed.at(-2)]).toEqual(['fairlead.json', 'seal.json']);
  });

  test('is rejected if any byte changed, whether or not the secret is known', async () => {
    const flips = fc.record({
      at: fc.nat(whole.length - 1),
      by: fc.integer({ min: 1, max: 255 }),
      knows: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(flips, async ({ at, by, knows }) => {
        const bytes = Buffer.from(whole);
        bytes[at]! ^= by;
        expect(await getRejection(bytes, knows ? [TINY_SECRET] : [])).toMatch(DAMAGED);
      }),
      { numRuns: 400 },
    );
  });

  test('is rejected if whitespace in its seal changed, even if the secret is unknown', async () => {
    const bytes = Buffer.from(whole);
    const at = bytes.lastIndexOf('{\n "hmac"') + 1;
    expect(at).toBeGreaterThan(0);
    bytes[at] = 0x20;
    expect(await getRejection(bytes, [])).toMatch(DAMAGED);
  });

  test('is rejected if it is truncated or has trailing data', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), async (at) => {
        expect(await getRejection(whole.subarray(0, at))).toMatch(DAMAGED);
      }),
      { numRuns: 200 },
    );
    for (const more of [Buffer.alloc(1), Buffer.alloc(BLOCK), Buffer.from('more'), whole])
      expect(await getRejection(Buffer.concat([whole, more]))).toMatch(DAMAGED);
  });

  test('is rejected if entries are missing, duplicated or reordered', async () => {
    const orders = fc.array(fc.nat(parts.length - 1), { maxLength: parts.length + 2 });
    const isOriginal = (order: number[]): boolean => order.join() === [...parts.keys()].join();
    const tried = async (order: number[]): Promise<void> => {
      fc.pre(!isOriginal(order));
      expect(await getRejection(Buffer.concat([...order.map((at) => parts[at]!), END]))).toMatch(DAMAGED);
    };
    await fc.assert(fc.asyncProperty(orders, tried), { numRuns: 200 });
    const all = [...parts.keys()];
    for (const at of all) {
      await tried(all.toSpliced(at, 1));
      await tried(all.toSpliced(at, 0, at));
      if (at > 0) await tried(all.with(at - 1, at).with(at, at - 1));
    }
  });

  test('is rejected by anyone who has the secret if it was written without it', async () => {
    const another = 'another secret, of 32 characters or more';
    const forged = await tinyArchive(join(folder.path, 'forged'), {
      manifest: (manifest) => ({ ...manifest, outline: { ...manifest.outline, counters: [] } }),
    });
    expect(await getRejection(forged, [another])).toBeNull(); // without the secret, the forgery can't be detected
    const seal = forged.indexOf('"hmac": "') + 9;
    const changed = Buffer.from(forged);
    changed.write('0'.repeat(64), seal);
    expect(await getRejection(changed, [TINY_SECRET])).toMatch(DAMAGED);
  });
});

describe('a malicious backup', () => {
  const refusalOfSuch = async (options: Parameters<typeof tinyArchive>[1]) =>
    await getRejection(await tinyArchive(join(folder.path, 'enemy'), options));

  test.each([
    'clicks/../../etc/000001.zst',
    '/etc/passwd',
    '../secret.key',
    'clicks/0b5f9a52-5a1c-4d7e-9f0e-3f1f6f0c8a11/00000003/../../x',
    'database/public.users"; drop table users; --/000001.copy.zst',
    'database/pg_catalog.pg_authid/000001.copy.zst',
  ])('leaves no folder and names no other table: %s', async (name) => {
    expect(await refusalOfSuch({ rename: () => name })).toMatch(/changed: the entry ".*" is not allowed\./);
  });

  test('cannot put control characters into messages', async () => {
    const name = 'media/\u001b[2J\u009b';
    const header = encodeHeader({ name, size: 1, modified: 0 });
    expect(decodeHeader(header)).toBeNull();
    const entry = Buffer.concat([header, Buffer.alloc(BLOCK, 1)]);
    expect(await getRejection(Buffer.concat([parts[0]!, entry, END]))).toMatch(/^[ -~]+$/);
  });

  test('cannot put anything but plain identifiers into SQL', async () => {
    for (const name of ['users"', 'Users', '', 'u'.repeat(64), "users'--"]) {
      const refusal = await refusalOfSuch({
        manifest: (manifest) => ({
          ...manifest,
          outline: { ...manifest.outline, tables: [{ ...manifest.outline.tables[0], name }] },
        }),
      });
      expect(refusal).toMatch(/its manifest was changed/);
    }
    const counter = { table: 'users', column: 'id"', last: 1, called: true };
    const refusal = await refusalOfSuch({
      manifest: ({ outline, ...rest }) => ({ ...rest, outline: { ...outline, counters: [counter] } }),
    });
    expect(refusal).toMatch(/its manifest was changed/);
  });

  test('of a later format is reported as such', async () => {
    const later = await tinyArchive(join(folder.path, 'later'), {
      header: (header) => ({ ...header, version: 2, program: '9.9.9', of: 'another form' }),
    });
    expect(await getRejection(later)).toBe(
      'The file was written by a later version (9.9.9, format 2). Use that version or a later one.',
    );
  });

  test('cannot contain links, devices or other special tar entries', async () => {
    const foreign = pack();
    foreign.entry({ name: 'fairlead.json', mode: 0o600, mtime: new Date(0) }, '{}');
    foreign.entry({ name: 'media', type: 'symlink', linkname: '/etc' });
    foreign.finalize();
    expect(await getRejection(await buffer(foreign))).toMatch(DAMAGED);
    const link = encodeHeader({ name: 'secret.key', size: 0, modified: 0 });
    link[156] = '2'.charCodeAt(0);
    expect(decodeHeader(link)).toBeNull();
  });
});

describe('a file that is not a backup', () => {
  test('is reported as such', async () => {
    const path = (name: string): string => join(folder.path, name);
    await mkdir(path('folder'));
    await writeFile(path('gz'), gzipSync(whole));
    await writeFile(path('text'), 'CREATE TABLE users;\n'.repeat(100));
    await writeFile(path('empty'), '');
    for (const name of ['folder', 'gz', 'text', 'empty'])
      await expect(openArchive(path(name))).rejects.toThrow(
        new BackupError(`${path(name)} is not a Fairlead backup. Nothing was changed.`),
      );
    await expect(openArchive('/dev/null')).rejects.toThrow(/is not a regular file/);
    await expect(openArchive(path('none'))).rejects.toThrow(`The file ${path('none')} does not exist.`);
  });
});

describe('the output file', () => {
  test('exists only once it is complete, and does not replace a file without --force', async () => {
    await using own = await temporaryFolder();
    const path = join(own.path, 'file');
    const output = await openOutput(path);
    await output.write(Buffer.alloc(3_000_000, 1));
    expect(await readdir(own.path)).toEqual([expect.stringMatching(/^file\.partial-[0-9a-f]{12}$/)]);
    await output.discard();
    expect(await readdir(own.path)).toEqual([]);
    const late = await openOutput(path);
    await writeFile(path, 'theirs');
    await expect(late.finish()).rejects.toThrow(/already exists/);
    await late.discard();
    await expect(openOutput(path)).rejects.toThrow(/already exists. Use another name, or --force/);
    expect(await readdir(own.path)).toEqual(['file']);
    await expect(openOutput(own.path)).rejects.toThrow(/is a folder/);
    await expect(openOutput(join(own.path, 'none', 'file'))).rejects.toThrow(
      new BackupError(`The folder ${join(own.path, 'none')} does not exist.`),
    );
  });

  test('does not replace a pipe', async () => {
    await using own = await temporaryFolder();
    const path = join(own.path, 'pipe');
    execFileSync('mkfifo', [path]);
    await expect(openOutput(path, { force: true })).rejects.toThrow(/is not a regular file/);
    expect((await stat(path)).isFIFO()).toBe(true);
    expect(await readdir(own.path)).toEqual(['pipe']);
  });

  test('fails before the disk is full', async () => {
    await using own = await temporaryFolder();
    const output = await openOutput(join(own.path, 'file'), { keepFree: (disk) => disk.blocks * disk.bsize });
    await expect(output.write(Buffer.alloc(3_000_000))).rejects.toThrow(/is too full for the backup/);
    await output.discard();
    expect(await readdir(own.path)).toEqual([]);
  });
});
