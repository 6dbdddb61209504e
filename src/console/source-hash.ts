/**
 * One print of everything that a browser bundle is made from. The build writes it beside its output, so that a
 * start can tell in a few milliseconds whether the bundle still belongs to the sources.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** File in the output folder that holds the print. */
export const HASH_FILE = '.source-hash';

/**
 * SHA-256 (hex) over the paths and contents of all files under `folder` and of `lockfile`.
 * @param except folders directly in `folder` that belong to another bundle.
 */
export function sourceHash(folder: string, lockfile: string, except: string[] = []): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    // What the builder writes beside its configuration while it reads it.
    .filter((path) => !path.includes('.timestamp-'))
    .filter((path) => !except.includes(path.split('/')[0] ?? ''))
    .toSorted();
  const hash = createHash('sha256').update(readFileSync(lockfile));
  for (const path of files) hash.update(`\0${path}\0`).update(readFileSync(join(folder, path)));
  return hash.digest('hex');
}
