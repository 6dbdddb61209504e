/** The seed of random tests: the same for the same sources, so that a change fails for its own faults. */
import { execFileSync } from 'node:child_process';
import { ROOT } from './product.ts';

function treeHash(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD^{tree}'], { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return '0'; // not a clone
  }
}

/** Sets TEST_SEED for all test files, unless it is set. @returns the seed */
export const setSeed = (): number =>
  Number((process.env['TEST_SEED'] ??= String(Number.parseInt(treeHash().slice(0, 7), 16))));

/** The seed of this run. Without `npm test`, 0. */
export const testSeed = (): number => Number(process.env['TEST_SEED'] ?? 0);
