import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Entry {
  optionalDependencies?: Record<string, string>;
}

/** Path of a package that another one finds, by Node's search through the folders above; undefined if there is none. */
function find(packages: Record<string, Entry>, from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = `${at && `${at}/`}node_modules/${name}`;
    if (path in packages) return path;
    if (at === '') return undefined;
  }
}

// npm would add what is missing, and a clone would differ from its commit after `npm install`.
test('the lock file has the optional packages of every platform', () => {
  const text = readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, Entry> };
  const optional = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).map((name) => [path, name] as const),
  );
  expect(optional.length).toBeGreaterThan(100);
  const missing = optional.filter(([path, name]) => find(packages, path, name) === undefined);
  expect(missing.map(([path, name]) => `${name} of ${path || 'the project'}`)).toEqual([]);
});
