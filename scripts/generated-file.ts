/** Files of the repository that are made by a program: written, or with `--check` compared. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/**
 * Writes a generated file; with `--check` among the arguments says whether it is current instead, and makes the
 * process end with 1 when it isn't.
 * @param path from the root of the repository.
 * @param script of package.json that makes it.
 */
export async function writeOrCheck(path: string, text: string, script: string): Promise<void> {
  const file = join(ROOT, path);
  if (!process.argv.includes('--check')) return writeFile(file, text);
  const there = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (there === text) return;
  console.error(`${path} is not current: npm run ${script}`);
  process.exitCode = 1;
}
