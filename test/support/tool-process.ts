/** Programs by others that tests run as processes of their own on loopback. They end with the test, or with its process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const READY_WITHIN_MS = 120_000;
const STOPS_WITHIN_MS = 5_000;
const POLL_MS = 20;

export interface ToolProcess extends AsyncDisposable {
  port: number;
  /** What it wrote on standard output and error. */
  output(): string;
}

export interface Tool {
  /** Working directory. */
  folder: string;
  /** Program; by default, the Node that runs the tests. */
  program?: string;
  args: (port: number) => string[];
  env?: (port: number) => Record<string, string>;
  /** Returns 200 for this path once it is ready, or writes this. */
  ready: string | RegExp;
}

/** Stops a process: SIGTERM, then SIGKILL if it doesn't end in time. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const forced = setTimeout(() => child.kill('SIGKILL'), STOPS_WITHIN_MS);
  await ended;
  clearTimeout(forced);
}

/**
 * Starts a program on a free port and waits until it is ready.
 * @throws Error with its output if it ends, or isn't ready in time
 */
export async function startTool({ folder, program, args, env, ready }: Tool): Promise<ToolProcess> {
  const port = await freePort();
  const child = spawn(program ?? process.execPath, args(port), {
    cwd: folder,
    // Nothing else of this process's environment. Its standard input ends with this process.
    env: { HOME: folder, PATH: process.env['PATH'], ...env?.(port) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const until = performance.now() + READY_WITHIN_MS;
  const isReady = async (): Promise<boolean> =>
    typeof ready === 'string'
      ? (await fetch(`http://127.0.0.1:${port}${ready}`).catch(() => null))?.ok === true
      : ready.test(output);
  while (!(await isReady())) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (hasEnded || performance.now() > until) {
      await stop(child);
      throw new Error(`${args(port).join(' ')} did not start:\n${output}`);
    }
    await delay(POLL_MS);
  }
  return { port, output: () => output, [Symbol.asyncDispose]: () => stop(child) };
}
