/** The cache of compiled code: what `npm install` leaves is all that a start needs, and a start needs none of it. */
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../src/testing/temporary-folder.ts';
import { fillCompileCache } from '../support/compile-cache.ts';
import { ROOT, SERVER, startProduct } from '../support/product.ts';

const PATIENT = { timeout: 60_000 };
/** Root may write everywhere. */
const NO_ROOT = process.geteuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Makes a process tell at its end whether it had to strip types itself. */
const TELL_STRIPPER = `process.on('exit', () => console.log(
  process.moduleLoadList.some((name) => name.includes('amaro')) ? 'stripped' : 'nothing stripped'))`;
const TELLING = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TELL_STRIPPER)}` };

test('npm start runs what is measured and tested', async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts.start).toBe(`exec node ${SERVER.slice(1).join(' ')}`);
  expect(scripts.prepare).toContain('scripts/fill-compile-cache.js');
});

test('the first start finds every source of ours compiled', PATIENT, async () => {
  await using folder = await temporaryFolder();
  const env = { NODE_COMPILE_CACHE: join(folder.path, 'compiled'), NODE_COMPILE_CACHE_PORTABLE: '1' };
  const start = async (): Promise<string> => {
    const product = await startProduct({ dataDir: join(folder.path, 'data'), env: { ...env, ...TELLING } });
    await product.stop();
    return product.output();
  };
  fillCompileCache(env);
  expect(await start()).toContain('nothing stripped');
  await rm(env.NODE_COMPILE_CACHE, { recursive: true });
  expect(await start()).toMatch(/^stripped$/m);
});

/** start.js and its cache in a project of their own, whose main.ts tells which cache is in use. */
async function smallProject(folder: string): Promise<string> {
  await mkdir(join(folder, 'src'));
  for (const name of ['start.js', 'compile-cache.js'])
    await cp(join(ROOT, 'src', name), join(folder, 'src', name));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  const main = `import { getCompileCacheDir } from 'node:module';\nconst folder: string | undefined = getCompileCacheDir();\nconsole.log(folder ?? 'none');\n`;
  await writeFile(join(folder, 'src/main.ts'), main);
  await mkdir(join(folder, 'dist'));
  return join(folder, 'src/start.js');
}

const started = async (path: string, as: { uid?: number; gid?: number } = {}): Promise<string> =>
  (await promisify(execFile)(process.execPath, [path], { ...as, env: {}, cwd: '/' })).stdout.trim();

test('the cache lies in the project, by the version of Node', async () => {
  await using folder = await temporaryFolder();
  const start = await smallProject(folder.path);
  const cache = await started(start);
  expect(cache.startsWith(join(folder.path, 'dist/compiled', process.version))).toBe(true);
  expect(await readdir(cache)).not.toEqual([]);
});

test('a start works where there can be no cache', async () => {
  await using folder = await temporaryFolder();
  const start = await smallProject(folder.path);
  await writeFile(join(folder.path, 'dist/compiled'), 'no folder');
  expect(await started(start)).toBe('none');
});

test('a start works in a project that may only be read', async () => {
  await using folder = await temporaryFolder();
  const start = await smallProject(folder.path);
  await mkdir(join(folder.path, 'dist/compiled'));
  await chmod(join(folder.path, 'dist/compiled'), 0o555);
  expect(await started(start, NO_ROOT)).toBe('none');
});

test('what lies in the cache is not run where the source is another', async () => {
  await using folder = await temporaryFolder();
  const start = await smallProject(folder.path);
  await started(start);
  await writeFile(join(folder.path, 'src/main.ts'), `const text: string = 'another';\nconsole.log(text);\n`);
  expect(await started(start)).toBe('another');
  for (const file of await readdir(join(folder.path, 'dist/compiled'), {
    recursive: true,
    withFileTypes: true,
  }))
    if (file.isFile()) await writeFile(join(file.parentPath, file.name), 'damaged');
  expect(await started(start)).toBe('another');
});

test('npm install goes on where nothing can be compiled ahead', async () => {
  await using folder = await temporaryFolder();
  await smallProject(folder.path);
  await mkdir(join(folder.path, 'scripts'));
  const script = join(folder.path, 'scripts/fill-compile-cache.js');
  await cp(join(ROOT, 'scripts/fill-compile-cache.js'), script);
  const { stderr } = await promisify(execFile)(process.execPath, [script]);
  expect(stderr).toContain('The server was not compiled ahead');
});
