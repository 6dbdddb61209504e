/** Commands of an operator, as they are typed. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { environment } from '../product.ts';

const MAX_MS = 200_000;

/**
 * `npm run <name> -- <args>` in the folder of the program.
 * @returns what it wrote
 * @throws Error with what it wrote where it fails
 */
export async function npmRun(
  root: string,
  name: string,
  args: string[],
  env: Record<string, string>,
): Promise<string> {
  try {
    const { stdout, stderr } = await promisify(execFile)('npm', ['run', '--silent', name, '--', ...args], {
      cwd: root,
      env: environment(env),
      timeout: MAX_MS,
    });
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`npm run ${name} failed: ${message}\n${stdout}${stderr}`, { cause: error });
  }
}
