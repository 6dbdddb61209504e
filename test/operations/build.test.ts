import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  type Bundle,
  bundleHash,
  ensureBuilt,
  isCurrent,
  ROOT,
  viteBuild,
} from '../../scripts/build/bundles.js';

const folder = await temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());

const silent = { info: () => undefined };
let sources: string;
let bundle: Bundle;
let count = 0;

beforeEach(async () => {
  const root = join(folder.path, String(++count));
  sources = join(root, 'web');
  const config = join(sources, 'vite.config.mjs');
  bundle = {
    name: 'test',
    sources: [sources],
    ignore: /^other\//,
    output: join(root, 'dist'),
    build: (outDir) => viteBuild(config, outDir),
  };
  await mkdir(join(sources, 'other'), { recursive: true });
  await writeFile(join(sources, 'index.html'), '<p>one</p>');
  const module = (path: string) => JSON.stringify(join(ROOT, 'scripts/build', path));
  await writeFile(
    config,
    `import { stamp } from ${module('stamp.ts')};
     import { bundleHash } from ${module('bundles.js')};
     const bundle = { sources: ${JSON.stringify(bundle.sources)}, ignore: ${String(bundle.ignore)} };
     export default { root: ${JSON.stringify(sources)}, plugins: [stamp(bundleHash(bundle))] };`,
  );
});

describe('the hash of the sources', () => {
  test('changes with content, name and number of files, and with nothing outside the bundle', async () => {
    const before = bundleHash(bundle);
    await writeFile(join(sources, 'other/of-another.ts'), '1');
    expect(bundleHash(bundle)).toBe(before);
    await writeFile(join(sources, 'index.html'), '<p>two</p>');
    const edited = bundleHash(bundle);
    expect(edited).not.toBe(before);
    await rename(join(sources, 'index.html'), join(sources, 'main.html'));
    expect(bundleHash(bundle)).not.toBe(edited);
  });
});

describe('building', () => {
  test('happens once, and again after an edit', async () => {
    expect(isCurrent(bundle)).toBe(false);
    const told: string[] = [];
    const log = { info: (message: string) => void told.push(message) };
    await ensureBuilt(bundle, log);
    expect(isCurrent(bundle)).toBe(true);
    await ensureBuilt(bundle, log);
    expect(told).toEqual(['Building the test …']);
    await writeFile(join(sources, 'index.html'), '<p>two</p>');
    expect(isCurrent(bundle)).toBe(false);
  });

  test('a build that fails says why, and what was there stays', async () => {
    await ensureBuilt(bundle, silent);
    await writeFile(join(sources, 'index.html'), '<script type="module" src="./missing.ts"></script>');
    await expect(ensureBuilt(bundle, silent)).rejects.toThrow('missing.ts');
    await writeFile(join(sources, 'index.html'), '<p>one</p>');
    expect(isCurrent(bundle)).toBe(true);
  });
});
