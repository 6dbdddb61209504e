/** What the tests of the embedded database share: folders, server processes to kill, and a look at what runs. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionSettings } from '../../../src/platform/embedded-postgres/embedded.ts';

export const IS_ROOT = process.geteuid?.() === 0;
export const IS_LINUX = process.platform === 'linux';

/** A plain user that every system has, and that is not `nobody`: daemon. */
export const USER = 1;

const PROGRAM = join(import.meta.dirname, 'server-process.ts');

/** What `canServeAs` asks for, in words. */
export const AS_ANOTHER = 'root, and a folder that other users may read';

/** Whether test servers can be run under a user id: by root, and where that user can read this folder. */
export function canServeAs(uid: number): boolean {
  const look = 'require("fs").accessSync(process.argv[1], 4)';
  return (
    IS_ROOT && spawnSync(process.execPath, ['-e', look, PROGRAM], { uid, gid: uid, cwd: '/' }).status === 0
  );
}

/** Whether file systems can be mounted: by root, but in most containers not even by it. */
export function canMount(): boolean {
  const folder = mkdtempSync('/tmp/fl-');
  const mounted = IS_ROOT && IS_LINUX && spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status === 0;
  if (mounted) spawnSync('umount', [folder]);
  rmdirSync(folder);
  return mounted;
}

/** A logger that keeps what it was told. */
export function keepingLogger() {
  const entries: { level: string; message: string; details: object }[] = [];
  const at = (level: string) => (details: object, message: string) =>
    void entries.push({ level, message, details });
  return { entries, info: at('info'), warn: at('warn'), error: at('error') };
}

/** Folders that are removed by `clean`. They are short, and open to all for passing through. */
export function folders() {
  const made: string[] = [];
  return {
    make(): string {
      const folder = mkdtempSync('/tmp/fl-');
      chmodSync(folder, 0o755);
      made.push(folder);
      return folder;
    },
    clean(): void {
      for (const folder of made.splice(0))
        rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

export interface ServerEvent {
  event: 'ready' | 'failed' | 'stopped' | 'log' | 'acknowledged' | 'interrupted';
  milliseconds: number;
  connection: ConnectionSettings;
  dataDir: string;
  firstStart: boolean;
  name: string;
  message: string;
  level: string;
  n: number;
}

export interface Server {
  pid: number;
  events: ServerEvent[];
  /** The first event that matches, past or to come; throws when the process ends without. */
  sees(matches: (event: ServerEvent) => boolean): Promise<ServerEvent>;
  /** `ready` or `failed`. */
  outcome(): Promise<ServerEvent>;
  signal(name: NodeJS.Signals): void;
  ended: Promise<void>;
  /** Stops it properly. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** Starts server-process.ts, `through` a command that runs another one. */
export function startServer(
  dataDir: string,
  options: { writers?: number; uid?: number; cwd?: string; through?: string[] } = {},
): Server {
  const [command, ...words] = [
    ...(options.through ?? []),
    process.execPath,
    PROGRAM,
    dataDir,
    String(options.writers ?? 0),
  ];
  const child: ChildProcess = spawn(command, words, {
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    cwd: options.cwd ?? '/',
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const events: ServerEvent[] = [];
  const watchers = new Set<() => void>();
  let over = false;
  const lines = createInterface(child.stdout!);
  lines.on('line', (line) => {
    // A line that the kill cut off says nothing.
    if (line.endsWith('}')) events.push(JSON.parse(line) as ServerEvent);
    for (const watcher of watchers) watcher();
  });
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]).then(() => {
    over = true;
    for (const watcher of watchers) watcher();
  });
  const sees: Server['sees'] = async (matches) => {
    for (;;) {
      const found = events.find(matches);
      if (found) return found;
      if (over) throw new Error(`the server ended first: ${JSON.stringify(events.slice(-3))}`);
      await new Promise<void>((resolve) => watchers.add(resolve));
    }
  };
  const finish = async (name: NodeJS.Signals): Promise<void> => {
    child.kill('SIGCONT');
    child.kill(name);
    await ended;
  };
  return {
    pid: child.pid!,
    events,
    sees,
    outcome: () => sees(({ event }) => event === 'ready' || event === 'failed'),
    signal: (name) => void child.kill(name),
    ended,
    stop: () => finish('SIGTERM'),
    kill: () => finish('SIGKILL'),
  };
}

/** Process ID of the PostgreSQL server of a cluster. */
export function getPostmaster(data: string): number {
  return Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10);
}

/**
 * Processes that have to do with a folder: PostgreSQL's, watchdogs, initdb. Test servers are not among them.
 * Linux only; what has ended but wasn't waited for (a zombie) is not counted.
 */
export function getProcesses(folder: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const works = readlinkSync(`/proc/${name}/cwd`);
        const concerns = command.includes(folder) || works.startsWith(folder);
        return command && concerns && !command.includes('server-process.ts')
          ? [{ pid: Number(name), command }]
          : [];
      } catch {
        return []; // ended meanwhile, or another user's
      }
    });
}

/** Waits until no process has to do with a folder; returns those that still do after `milliseconds`. */
export async function leftOver(folder: string, milliseconds = 5000): Promise<string[]> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const left = getProcesses(folder);
    if (left.length === 0 || performance.now() > deadline)
      return left.map(({ command }) => command.slice(0, 200));
    await delay(20);
  }
}
