/** What `npm install` does for the first start, into a cache of the caller's. */
import { execFileSync } from 'node:child_process';
import { ROOT } from './product.ts';

/** @param env names the folder in NODE_COMPILE_CACHE. */
export function fillCompileCache(env: Record<string, string>): void {
  execFileSync(process.execPath, ['scripts/fill-compile-cache.js'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...env },
  });
}
