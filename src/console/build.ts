/**
 * Builds a browser bundle where it is missing or older than its sources. `npm install` builds the console; this is
 * for a start after a pull, or after an install that ran no scripts. The build runs in a process of its own, so
 * that the server doesn't keep the builder's memory.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { HASH_FILE, sourceHash } from './source-hash.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

const LOCKFILE = path('../../package-lock.json');

export interface Bundle {
  name: string;
  /** Vite configuration that builds it and leaves the print of the sources beside it (`stamp` plugin). */
  config: string;
  /** Folder that holds its sources, without these folders in it. */
  sources: string;
  except: string[];
  /** Where the build leaves it. */
  output: string;
}

export const CONSOLE: Bundle = {
  name: 'console',
  config: path('../../web/vite.config.ts'),
  sources: path('../../web'),
  except: ['reference'],
  output: path('../../dist/console'),
};

interface Log {
  info: (message: string) => void;
}

/** Print of a bundle's sources as they are now. */
export const bundleHash = (bundle: Bundle): string => sourceHash(bundle.sources, LOCKFILE, bundle.except);

/** Whether the built files belong to the sources. Without sources on the machine, whatever was built counts. */
export function isCurrent(bundle: Bundle): boolean {
  const stamp = join(bundle.output, HASH_FILE);
  if (!existsSync(stamp)) return false;
  return !existsSync(bundle.sources) || readFileSync(stamp, 'utf8') === bundleHash(bundle);
}

/**
 * Builds a bundle unless it is up to date: a few milliseconds when it is, a few seconds when not. It is built aside
 * and put in place as a whole, so that two starts at once don't write into each other's files.
 * @throws Error with what the build said
 */
export async function ensureBuilt(bundle: Bundle, log: Log): Promise<void> {
  if (isCurrent(bundle)) return;
  log.info(`Building the ${bundle.name} …`);
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');
  const aside = `${bundle.output}.${process.pid}`;
  const old = `${aside}.old`;
  try {
    await promisify(execFile)(
      process.execPath,
      [vite, 'build', '--config', bundle.config, '--outDir', aside, '--logLevel', 'error'],
      // NODE_ENV of the server (a test's, say) would otherwise decide which React is bundled.
      { env: { ...process.env, NODE_ENV: 'production' } },
    );
    // Another start may have been faster; what it put in place is being read already.
    if (isCurrent(bundle)) return;
    // Moved away as a whole: deleting it in place could take files of what another start puts there meanwhile.
    await rename(bundle.output, old).catch((error: NodeJS.ErrnoException) => {
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

/** Builds the console unless it is up to date. */
export const ensureConsoleBuilt = (log: Log): Promise<void> => ensureBuilt(CONSOLE, log);
