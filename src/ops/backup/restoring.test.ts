/** Into which folders a restore goes, and what it clears there. */
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

/** A DATA_DIR with files of these names. */
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

test('a folder with nothing but what a home or a volume brings along is empty', async () => {
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

describe('a restore after one that was cut off', () => {
  test('clears what that one put there', async () => {
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

  test('leaves what stood beside it: media, where that one brought them to a store', async () => {
    const path = dataDir('kept', 'media/mine');
    await cutOff(path, toStore);
    await expect(assertTargetIsFree(path, beside)).rejects.toThrow(/kept\/media is not empty/);
    await expect(claimTarget(path, beside)).rejects.toThrow(/kept\/media is not empty/);
    expect(existsSync(join(path, 'media', 'mine'))).toBe(true);
    // The store may be another, too: what was brought to the first is told.
    const other = await claimTarget(path, { ...toStore, store: 'https://s3.example/other' });
    expect(other.otherStores).toEqual(['https://s3.example/bucket']);
    other.release();
    expect(existsSync(join(path, 'media', 'mine'))).toBe(true);
    expect(isRestored(path)).toBe(false);
  });

  test('remembers all that restores before it put there, not the last one’s alone', async () => {
    const path = dataDir('thrice');
    await cutOff(path, beside);
    await cutOff(path, toStore);
    mkdirSync(join(path, 'media'));
    writeFileSync(join(path, 'media', 'half'), '');
    await cutOff(path, toStore);
    expect(readdirSync(join(path, 'media'))).toEqual([]);
  });

  test('does not take a folder for its own that held something else', async () => {
    const path = dataDir('shared', 'postgres/PG_VERSION');
    await cutOff(path, beside);
    await expect(claimTarget(path, whole)).rejects.toThrow(/shared is not empty \(postgres\)/);
    expect(isRestored(path)).toBe(false); // it can still be completed as it was begun
    await cutOff(path, beside);
  });

  test('believes no note that is not the mark’s', async () => {
    const path = dataDir('stale', 'media/mine');
    const note = JSON.stringify(whole);
    // Left by one whose mark was taken away by hand; or made by one that ended, and died before it took both away.
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

  test('is refused while another is under way', async () => {
    const path = dataDir('busy');
    const target = await claimTarget(path, beside);
    await expect(claimTarget(path, beside)).rejects.toThrow(/Another restore .* is in progress/);
    target.release();
  });
});
