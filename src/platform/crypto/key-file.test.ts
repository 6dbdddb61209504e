/** Tests owner and permissions of the key file. */
import { chown, readdir, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { needs } from '../../../test/support/needs.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { keyFilePath, makeKeyFile, readKeyFile, replaceKeyFile } from './key-file.ts';

const IS_ROOT = process.getuid?.() === 0;
const SOMEBODY = 12_345;
const SECRET = 'a secret of thirty-two characters or more';

test('a key file is for its owner alone, when it is made and when it is replaced', async () => {
  await using folder = await temporaryFolder();
  const path = keyFilePath(folder.path);
  const before = process.umask(0);
  try {
    await makeKeyFile(path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await replaceKeyFile(path, [SECRET]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  } finally {
    process.umask(before);
  }
  expect(await readKeyFile(path)).toEqual([SECRET]);
  expect(await readdir(folder.path)).toEqual(['secret.key']);
});

test('replaced by root it stays the server’s', needs('root', IS_ROOT), async () => {
  await using folder = await temporaryFolder();
  const path = keyFilePath(folder.path);
  await makeKeyFile(path);
  await chown(path, SOMEBODY, SOMEBODY);
  await replaceKeyFile(path, [SECRET]);
  const { uid, gid, mode } = await stat(path);
  expect([uid, gid, mode & 0o777]).toEqual([SOMEBODY, SOMEBODY, 0o600]);
});
