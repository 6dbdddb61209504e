/**
 * Runs a program of `bench/` in a process group and a temporary folder of its own, so that one that hangs can be ended
 * whole and leaves nothing behind.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

export interface BoundedRun {
  /** Whether it ended by itself with 0. */
  passed: boolean;
  seconds: number;
  /** What it printed; empty where that went to this process's own output. */
  output: string;
}

/**
 * @param limitSeconds after which it and all that it started is killed; Infinity for none
 * @param collects whether its output is returned instead of shown as it comes
 */
export async function runBounded(
  program: string,
  args: readonly string[],
  limitSeconds: number,
  collects = false,
): Promise<BoundedRun> {
  await using folder = await temporaryFolder('fairlead-bench-');
  const began = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    detached: true,
    stdio: ['ignore', collects ? 'pipe' : 'inherit', collects ? 'pipe' : 'inherit'],
    env: { ...process.env, TMPDIR: folder.path },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const endAll = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch (error) {
      // Nothing of the group is left.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  const closed = once(child, 'close');
  const timer = setTimeout(endAll, Math.min(limitSeconds * 1000, 2 ** 31 - 1));
  process.once('exit', endAll);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  // What it started and did not end would hold its output open.
  endAll();
  process.off('exit', endAll);
  await closed;
  const seconds = (performance.now() - began) / 1000;
  if (seconds >= limitSeconds) output += `\nended after ${limitSeconds} s, its limit\n`;
  return { passed: code === 0, seconds, output };
}
