import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { bundleHash, ensureBuilt, isCurrent, type Bundle } from './build.ts';

const folder = await temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());

const silent = { info: () => undefined };
let bundle: Bundle;
let count = 0;

beforeEach(async () => {
  const root = join(folder.path, String(++count));
  bundle = {
    name: 'test',
    config: join(root, 'web/vite.config.mjs'),
    sources: join(root, 'web'),
    except: ['other'],
    output: join(root, 'dist'),
  };
  await mkdir(join(bundle.sources, 'other'), { recursive: true });
  await writeFile(join(bundle.sources, 'index.html'), '<p>one</p>');
  const module = (path: string) => JSON.stringify(join(import.meta.dirname, path));
  await writeFile(
    bundle.config,
    `import { stamp } from ${module('../../web/build/stamp.ts')};
     import { bundleHash } from ${module('build.ts')};
     export default { root: ${JSON.stringify(bundle.sources)}, plugins: [stamp(bundleHash(${JSON.stringify(bundle)}))] };`,
  );
});

describe('the print of the sources', () => {
  test('changes with content, name and number of files, and with nothing outside the bundle', async () => {
    const before = bundleHash(bundle);
    await writeFile(join(bundle.sources, 'other/of-another.ts'), '1');
    expect(bundleHash(bundle)).toBe(before);
    await writeFile(join(bundle.sources, 'index.html'), '<p>two</p>');
    const edited = bundleHash(bundle);
    expect(edited).not.toBe(before);
    await rename(join(bundle.sources, 'index.html'), join(bundle.sources, 'main.html'));
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
    await writeFile(join(bundle.sources, 'index.html'), '<p>two</p>');
    expect(isCurrent(bundle)).toBe(false);
  }, 60_000);

  test('what was built counts where the sources are not on the machine', async () => {
    await ensureBuilt(bundle, silent);
    await rm(bundle.sources, { recursive: true });
    expect(isCurrent(bundle)).toBe(true);
  }, 60_000);

  test('a build that fails says why, and what was there stays', async () => {
    await ensureBuilt(bundle, silent);
    await writeFile(join(bundle.sources, 'index.html'), '<script type="module" src="./missing.ts"></script>');
    await expect(ensureBuilt(bundle, silent)).rejects.toThrow('missing.ts');
    await writeFile(join(bundle.sources, 'index.html'), '<p>one</p>');
    expect(isCurrent(bundle)).toBe(true);
  }, 60_000);
});
