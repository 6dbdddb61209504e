/**
 * The program as whoever downloads it has it: a clean clone of what is committed. What nobody has committed is not in it.
 *
 * `npm install` takes two minutes (a gigabyte of packages), too long for a test, so what it leaves behind is taken from
 * the checkout: its packages, and its bundles, which a start builds anew where they are made of other sources. That a
 * clean clone installs is seen by every CI run, which begins that way.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ensureAllBuilt } from '../../../scripts/build/bundles.js';
import { ROOT } from '../product.ts';

/** What is no part of the program where there is no Git to ask, as in an unpacked archive. */
const NOT_PUBLISHED = new Set(['node_modules', 'dist', 'data', 'coverage']);
const BUNDLES = ['server', 'console', 'reference'];

/** Returns the environment for Git without the variables of hooks, so that only the folder names the repository. */
export const gitEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));

/**
 * @param folder an empty one, or one without `fairlead` and `gitconfig` in it
 * @returns the folder of the clone, in which npm's commands work
 */
export async function cleanClone(folder: string): Promise<string> {
  const clone = join(folder, 'fairlead');
  if (existsSync(join(ROOT, '.git'))) {
    // The checkout may belong to somebody else, and the process at its end hears of settings by this file alone.
    const settings = join(folder, 'gitconfig');
    await writeFile(settings, '[safe]\n\tdirectory = *\n');
    await promisify(execFile)('git', ['clone', '--quiet', '--no-local', '--depth=1', ROOT, clone], {
      env: { ...gitEnvironment(), GIT_CONFIG_GLOBAL: settings },
    });
  } else {
    await cp(ROOT, clone, {
      recursive: true,
      filter: (path) => !NOT_PUBLISHED.has(relative(ROOT, path)),
    });
  }
  await ensureAllBuilt(console);
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  for (const bundle of BUNDLES)
    await cp(join(ROOT, 'dist', bundle), join(clone, 'dist', bundle), { recursive: true });
  return clone;
}
