// @ts-check
/**
 * Hashes the files that a bundle is built from. The build writes the hash beside its output, so that a start can tell
 * in a few milliseconds whether the bundle still matches its sources.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** File in the output folder that holds the hash. */
export const HASH_FILE = '.source-hash';

/**
 * Returns the SHA-256 (hex) of the paths and contents of all files under `folders`, and of `lockfile`.
 * @param {string[]} folders
 * @param {string} lockfile
 * @param {RegExp} ignore matches paths, below their folder and with `/` as separator, that don't belong to the bundle
 */
export function sourceHash(folders, lockfile, ignore) {
  const hash = createHash('sha256').update(readFileSync(lockfile));
  for (const folder of folders) {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
      // Vite writes such a file beside its configuration while it reads it.
      .filter((path) => !path.includes('.timestamp-') && !ignore.test(path))
      .toSorted();
    for (const path of files) hash.update(`\0${path}\0`).update(readFileSync(join(folder, path)));
  }
  return hash.digest('hex');
}
