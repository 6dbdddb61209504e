/** Locks of files in a folder that is another's, taken by root. */
import { chown, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { needs } from '../../../test/support/needs.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openFileLock } from './file-lock.ts';

const IS_ROOT = process.getuid?.() === 0;
const SOMEBODY = 12_345;

test(
  'root gives the folder’s owner the lock, and never what a link in its place leads to',
  needs('root', IS_ROOT),
  async () => {
    await using folder = await temporaryFolder();
    const theirs = join(folder.path, 'theirs');
    await mkdir(theirs);
    await chown(theirs, SOMEBODY, SOMEBODY);
    const made = join(theirs, 'made');
    openFileLock(made)!.close();
    expect((await stat(made)).uid).toBe(SOMEBODY);

    const ofRoot = join(folder.path, 'of-root');
    await writeFile(ofRoot, '');
    await symlink(ofRoot, join(theirs, 'lock'));
    openFileLock(join(theirs, 'lock'))?.close();
    expect((await stat(ofRoot)).uid).toBe(0);
  },
);
