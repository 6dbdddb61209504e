/** The seed of random tests: the same for the same sources, so that a change fails for its own faults; random at night. */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { ROOT } from './product.ts';

/** A signed 32-bit number, as fast-check takes. */
const MAX_SEED = 2 ** 31;

function treeHash(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD^{tree}'], { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return '0'; // not a clone
  }
}

/** Sets TEST_SEED for all test files, unless it is set. @returns the seed */
export function setSeed(isRandom: boolean): number {
  const seed = isRandom ? randomInt(MAX_SEED) : Number.parseInt(treeHash().slice(0, 7), 16);
  return Number((process.env['TEST_SEED'] ??= String(seed)));
}

/** The seed of this run. Without `npm test`, 0. */
export const testSeed = (): number => Number(process.env['TEST_SEED'] ?? 0);
