/** The product as its users start it: a process of its own, reached through HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SETTINGS } from '../../src/platform/config/config.ts';
import { freePort } from './free-port.ts';
import { getCommand, getTree } from './processes.ts';

export { freePort };

export const ROOT = join(import.meta.dirname, '../..');
/** The program of users, which runs the bundle: alone the server, with a word that operator's command. */
export const FAIRLEAD = join(ROOT, 'bin/fairlead');
export const SERVER: [string, ...string[]] = [FAIRLEAD];
const READY_WITHIN_MS = 120_000;
const POLL_MS = 5;

export interface ProductOptions {
  dataDir: string;
  env?: Record<string, string>;
  /** Default: the server itself. `npm start` makes the tree that users have. */
  command?: [string, ...string[]];
  /** Folder of the program. Default: this one's. */
  root?: string;
  /** Default: one that is free now. */
  port?: number;
  /** Kills it (SIGKILL) while it still starts; the start then throws. */
  signal?: AbortSignal;
}

export interface Product {
  pid: number;
  port: number;
  base: string;
  /** From the call that started the process to the first 200 of /readyz. */
  readyMs: number;
  /** What it wrote on standard output and error. */
  output(): string;
  /** SIGTERM, and the wait for its end; gives the milliseconds and the exit code. */
  stop(): Promise<{ ms: number; code: number | null }>;
  /** SIGKILL of the first process alone, and the wait for its end. */
  kill(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** False once the first process has ended. */
  isRunning(): boolean;
}

/** The status of a GET, or 0 where nobody answers. */
function getStatus(url: string): Promise<number> {
  return new Promise((resolve) => {
    get(url, { agent: false, timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on('error', () => resolve(0));
  });
}

/** Of this process, not of the server: what a test run or a shell may have set. */
const NOT_HANDED_ON = new Set([...Object.keys(SETTINGS), 'NODE_ENV', 'NODE_OPTIONS', 'VITEST']);

/** Environment of a start: every setting at its default but `own`, and the Node that runs this. */
export function environment(own: Record<string, string>): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_HANDED_ON.has(name));
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`;
  return { ...Object.fromEntries(inherited), PATH: path, ...own };
}

/** @throws Error with what it wrote when it ends, or isn't ready in time. */
export async function startProduct(options: ProductOptions): Promise<Product> {
  const { dataDir, env = {}, command = SERVER, root = ROOT } = options;
  const port = options.port ?? (await freePort());
  const base = `http://localhost:${port}`;
  const startedAt = performance.now();
  const [program, ...args] = command;
  const child: ChildProcess = spawn(program, args, {
    cwd: root,
    env: environment({ PORT: String(port), DATA_DIR: dataDir, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  options.signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;

  while ((await getStatus(`http://127.0.0.1:${port}/readyz`)) !== 200) {
    if (!isRunning()) throw new Error(`the server ended at its start:\n${output}`);
    if (performance.now() - startedAt > READY_WITHIN_MS) {
      // Under npm the server is another process, which nobody would stop. Its database ends with it.
      const tree = process.platform === 'linux' ? getTree(child.pid!) : [child.pid!];
      for (const pid of tree.filter((one) => !/postgres/.test(getCommand(one)))) process.kill(pid, 'SIGKILL');
      throw new Error(`the server was not ready in time:\n${output}`);
    }
    await delay(POLL_MS);
  }
  const readyMs = performance.now() - startedAt;

  return {
    pid: child.pid!,
    port,
    base,
    readyMs,
    output: () => output,
    async stop() {
      const since = performance.now();
      child.kill('SIGTERM');
      const [code] = await ended;
      return { ms: performance.now() - since, code };
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    signal: (name) => void child.kill(name),
    isRunning,
  };
}
