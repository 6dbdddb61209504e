/** Follows the imports of test files, to tell which parts of the repository a test file works on. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from './product.ts';

const IMPORT = /(?:\bfrom|\bimport\(|\bimport)\s*'(\.{1,2}\/[^']+\.ts)'/g;

const cache = new Map<string, string[]>();

function getImports(file: string): string[] {
  let found = cache.get(file);
  if (!found) {
    const text = readFileSync(file, 'utf8');
    found = [...text.matchAll(IMPORT)]
      .map(([, path]) => join(dirname(file), path!))
      .filter((path) => existsSync(path));
    cache.set(file, found);
  }
  return found;
}

/**
 * Returns a file and every file that it imports, directly or through others.
 * @param file relative to the repository, as are all results
 */
export function importClosure(file: string): Set<string> {
  const seen = new Set([join(ROOT, file)]);
  for (const at of seen) for (const next of getImports(at)) seen.add(next);
  return new Set([...seen].map((path) => relative(ROOT, path)));
}
