/** Which test files work on the server that TEST_DATABASE_URL names: those whose imports lead to where it is handed out. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from './product.ts';

/** Hands the server out, and nothing else does. */
const DOOR = join(ROOT, 'src/db/testing.ts');
const IMPORT = /(?:\bfrom|\bimport\(|\bimport)\s*'(\.{1,2}\/[^']+\.ts)'/g;

const imports = new Map<string, string[]>();

function importsOf(file: string): string[] {
  let found = imports.get(file);
  if (!found) {
    const text = readFileSync(file, 'utf8');
    found = [...text.matchAll(IMPORT)]
      .map(([, path]) => join(dirname(file), path!))
      .filter((path) => existsSync(path));
    imports.set(file, found);
  }
  return found;
}

function leadsToDoor(file: string): boolean {
  const seen = new Set([file]);
  for (const at of seen) {
    if (at === DOOR) return true;
    for (const next of importsOf(at)) seen.add(next);
  }
  return false;
}

/** Test files, relative to the project, to which it makes no difference which database server is tested, by reason. */
export function blindToDatabase(): Map<string, string[]> {
  const files = globSync('{src,test}/**/*.test.ts', { cwd: ROOT }).map((file) => join(ROOT, file));
  const named = (some: string[]): string[] => some.map((file) => relative(ROOT, file)).toSorted();
  const browser = files.filter((file) => relative(ROOT, file).startsWith('test/browser/'));
  const others = files.filter((file) => !browser.includes(file) && !leadsToDoor(file));
  return new Map([
    ['they look at pages in a browser', named(browser)],
    ['they use no database, or start one of their own', named(others)],
  ]);
}
