/** Tests which folders a restore accepts and what it clears in them. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { Claim } from './restore-claims.ts';
import { assertTargetIsFree, assertRestored, claimTarget } from './restoring.ts';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder('fairlead-restoring-');
});
afterAll(() => folder[Symbol.asyncDispose]());

const whole: Claim = { isWhole: true, folders: ['clicks', 'media'], store: null };
const beside: Claim = { ...whole, isWhole: false };
const toStore: Claim = { isWhole: false, folders: ['clicks'], store: 'https://s3.example/bucket' };

/** Creates a DATA_DIR with files of these names. */
function dataDir(name: string, ...files: string[]): string {
  const path = join(folder.path, name);
  mkdirSync(path);
  for (const file of files) {
    mkdirSync(join(path, file, '..'), { recursive: true });
    writeFileSync(join(path, file), '');
  }
  return path;
}
const cutOff = async (path: string, claim: Claim): Promise<void> =>
  (await claimTarget(path, claim)).release();
const isRestored = (path: string): boolean => {
  try {
    assertRestored({ DATA_DIR: path });
    return true;
  } catch {
    return false;
  }
};

test('a folder with only the default files of a home directory or a volume counts as empty', async () => {
  const home = join(folder.path, 'home');
  for (const name of ['.npm', 'lost+found', 'media']) mkdirSync(join(home, name), { recursive: true });
  writeFileSync(join(home, '.bash_logout'), '');
  await expect(assertTargetIsFree(home, whole)).rejects.toThrow(/home is not empty \(media\)/);
  expect(await assertTargetIsFree(home, beside)).toBe(false);
  writeFileSync(join(home, 'media', '.hidden'), '');
  await expect(assertTargetIsFree(home, beside)).rejects.toThrow(/media is not empty/);

  const fresh = join(folder.path, 'fresh');
  for (const name of ['.cache', 'lost+found']) mkdirSync(join(fresh, name), { recursive: true });
  expect(await assertTargetIsFree(fresh, whole)).toBe(false);
});

describe('a restore after an interrupted one', () => {
  test('clears what the earlier one wrote', async () => {
    const path = dataDir('again');
    await cutOff(path, beside);
    for (const name of ['clicks', 'media']) mkdirSync(join(path, name));
    writeFileSync(join(path, 'media', 'half'), '');
    writeFileSync(join(path, 'notes'), '');
    expect(isRestored(path)).toBe(false);
    expect(await assertTargetIsFree(path, beside)).toBe(true);
    const target = await claimTarget(path, beside);
    for (const name of ['clicks', 'media']) expect(readdirSync(join(path, name))).toEqual([]);
    await target.finish();
    target.release();
    expect(readdirSync(path).sort()).toEqual(['clicks', 'media', 'notes']);
    expect(isRestored(path)).toBe(true);
  });

  test('keeps media in the folder if the earlier one wrote media to a store', async () => {
    const path = dataDir('kept', 'media/mine');
    await cutOff(path, toStore);
    await expect(assertTargetIsFree(path, beside)).rejects.toThrow(/kept\/media is not empty/);
    await expect(claimTarget(path, beside)).rejects.toThrow(/kept\/media is not empty/);
    expect(existsSync(join(path, 'media', 'mine'))).toBe(true);
    // A different store may be used: the result lists the first one.
    const other = await claimTarget(path, { ...toStore, store: 'https://s3.example/other' });
    expect(other.otherStores).toEqual(['https://s3.example/bucket']);
    other.release();
    expect(existsSync(join(path, 'media', 'mine'))).toBe(true);
    expect(isRestored(path)).toBe(false);
  });

  test('remembers what all earlier restores wrote, not only the last one', async () => {
    const path = dataDir('thrice');
    await cutOff(path, beside);
    await cutOff(path, toStore);
    mkdirSync(join(path, 'media'));
    writeFileSync(join(path, 'media', 'half'), '');
    await cutOff(path, toStore);
    expect(readdirSync(join(path, 'media'))).toEqual([]);
  });

  test('does not claim a whole folder that contained other data', async () => {
    const path = dataDir('shared', 'postgres/PG_VERSION');
    await cutOff(path, beside);
    await expect(claimTarget(path, whole)).rejects.toThrow(/shared is not empty \(postgres\)/);
    expect(isRestored(path)).toBe(false); // it can still be completed with its original claim
    await cutOff(path, beside);
  });

  test('ignores claims that do not belong to the mark', async () => {
    const path = dataDir('stale', 'media/mine');
    const note = JSON.stringify(whole);
    // The mark was removed by hand; below, the restore completed but crashed before it removed both files.
    writeFileSync(join(path, 'restoring.json'), `${note}\n`);
    await expect(claimTarget(path, beside)).rejects.toThrow(/media is not empty/);
    for (const lines of [`${note}\n\n{"isOver":true}\n`, note.slice(0, 9), '{"folders":["../stale"]}']) {
      writeFileSync(join(path, 'restoring'), '');
      writeFileSync(join(path, 'restoring.json'), lines);
      await expect(claimTarget(path, beside)).rejects.toThrow(/media is not empty/);
      expect(existsSync(join(path, 'media', 'mine'))).toBe(true);
    }
    writeFileSync(join(path, 'restoring'), '');
    writeFileSync(join(path, 'restoring.json'), `${note}\n\n{"isOver":true}\n`);
    expect(isRestored(path)).toBe(true);
  });

  test('is refused while another is in progress', async () => {
    const path = dataDir('busy');
    const target = await claimTarget(path, beside);
    await expect(claimTarget(path, beside)).rejects.toThrow(/Another restore .* is in progress/);
    target.release();
  });
});
