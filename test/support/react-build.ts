/** Builds the console with React in the place of Preact, as `npm run test:react` tests it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CONSOLE, ROOT } from '../../scripts/build/bundles.js';

/**
 * Builds the console on React.
 * @param outDir the folder to build into
 * @throws Error with the output of the build
 */
export async function buildOnReact(outDir: string): Promise<void> {
  await promisify(execFile)(process.execPath, [...CONSOLE.build(outDir), '--mode', 'react'], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production' },
  });
}
