/** What folders take on the disk. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the bytes of all files of a folder, whose path `counts`. */
export function folderSize(folder: string, counts: (path: string) => boolean = () => true): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => counts(path))
    .map((path) => lstatSync(path))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
}
