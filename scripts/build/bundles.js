// @ts-check
/**
 * The bundles that Fairlead runs from, and how each is kept current: the server, the console, and the API reference.
 * `npm install` builds them. A start in a clone builds what no longer matches its sources; an installed package has no
 * sources, so it uses the bundles as they are.
 *
 * This is JavaScript, because every start in a clone loads it: for TypeScript, Node would load its compiler too, which
 * takes 15 MB. Builds run in a process of their own for the same reason.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { HASH_FILE, sourceHash } from './source-hash.js';

export const ROOT = join(import.meta.dirname, '../..');

const LOCKFILE = join(ROOT, 'package-lock.json');

/**
 * @typedef {object} Bundle
 * @property {string} name
 * @property {string[]} sources folders
 * @property {RegExp} ignore matches paths in those folders that don't belong to the bundle
 * @property {string} output folder
 * @property {(outDir: string) => string[]} build returns the arguments for Node that build it into a folder; the build
 *   ends with the `stamp` plugin
 */

/** @typedef {{ info: (message: string) => void }} Log */

/**
 * Returns the arguments for Node that run a Vite build.
 * @param {string} config
 * @param {string} outDir
 */
export function viteBuild(config, outDir) {
  const vite = dirname(createRequire(import.meta.url).resolve('vite/package.json'));
  const options = ['--config', config, '--outDir', outDir, '--logLevel', 'error'];
  return [join(vite, 'bin/vite.js'), 'build', ...options];
}

/** @type {Bundle} */
export const SERVER = {
  name: 'server',
  sources: [join(ROOT, 'src'), join(ROOT, 'scripts/build')],
  ignore: /\.test\.ts$/,
  output: join(ROOT, 'dist/server'),
  build: (outDir) => [join(ROOT, 'scripts/build/server.ts'), outDir],
};

/** @type {Bundle} */
export const CONSOLE = {
  name: 'console',
  sources: [join(ROOT, 'web'), join(ROOT, 'scripts/build')],
  // The API's types are generated from the server, and erased.
  ignore: /^(reference\/|api\/schema\.d\.ts$)/,
  output: join(ROOT, 'dist/console'),
  build: (outDir) => viteBuild(join(ROOT, 'web/vite.config.ts'), outDir),
};

/** @type {Bundle} */
export const REFERENCE = {
  name: 'API reference',
  sources: [join(ROOT, 'web/reference'), join(ROOT, 'scripts/build')],
  ignore: /^$/,
  output: join(ROOT, 'dist/reference'),
  build: (outDir) => viteBuild(join(ROOT, 'web/reference/vite.config.ts'), outDir),
};

/**
 * Returns the hash of a bundle's sources as they are now.
 * @param {Bundle} bundle
 */
export const bundleHash = ({ sources, ignore }) => sourceHash(sources, LOCKFILE, ignore);

/**
 * Whether the output matches the sources.
 * @param {Bundle} bundle
 */
export function isCurrent(bundle) {
  const stamp = join(bundle.output, HASH_FILE);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === bundleHash(bundle);
}

/**
 * Builds a bundle unless it is current. The output is built aside and replaced as a whole, so two starts at the same
 * time don't write into each other's files.
 * @param {Bundle} bundle
 * @param {Log} log
 * @throws Error with the output of the build
 */
export async function ensureBuilt(bundle, log) {
  if (isCurrent(bundle)) return;
  log.info(`Building the ${bundle.name} …`);
  const aside = `${bundle.output}.${process.pid}`;
  const old = `${aside}.old`;
  try {
    // A NODE_ENV of the caller would decide which React is bundled.
    await promisify(execFile)(process.execPath, bundle.build(aside), {
      cwd: ROOT,
      env: { ...process.env, NODE_ENV: 'production' },
    });
    // Another start may have replaced the output meanwhile, and may be reading it.
    if (isCurrent(bundle)) return;
    // Renamed as a whole: removing it in place could remove files that another start puts there.
    await rename(bundle.output, old).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await rename(aside, bundle.output);
  } catch (error) {
    if (!isCurrent(bundle)) throw error;
  } finally {
    await rm(aside, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
}

/**
 * Builds the bundles of the pages unless they are current.
 * @param {Log} log
 */
export async function ensurePagesBuilt(log) {
  await Promise.all([ensureBuilt(CONSOLE, log), ensureBuilt(REFERENCE, log)]);
}

/**
 * Builds every bundle unless it is current.
 * @param {Log} log
 */
export async function ensureAllBuilt(log) {
  await Promise.all([ensureBuilt(SERVER, log), ensurePagesBuilt(log)]);
}
