/**
 * Shared parts of operator commands: arguments and one-line errors; for long-running commands also progress and Ctrl-C.
 */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { AdminError, describe } from './connect.ts';
import { harmless, processTerminal as plainTerminal, type Terminal as PlainTerminal } from './terminal.ts';

const REDRAW_MS = 200;

/** The terminal of a long-running command. */
export interface Terminal extends Pick<PlainTerminal, 'out' | 'error'> {
  /** Replaces the current progress line; null removes it. Undefined if the output is not a terminal. */
  progress?: (line: string | null) => void;
  /** Aborts on SIGINT and SIGTERM. */
  signal: AbortSignal;
}

/** 1500 → "1.5 kB". */
export function humanBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** 83000 → "1 min 23 s". */
export const humanTime = (ms: number): string =>
  ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;

/** 1200, 'row' → "1,200 rows". */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

/** Updates the progress line, but not faster than can be read. */
export function progressLine({ progress }: Terminal): (line: string) => void {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return (line) => {
    if (!progress || performance.now() - drawnAt < REDRAW_MS) return;
    drawnAt = performance.now();
    progress(line);
  };
}

/**
 * Reads the arguments of `fairlead <name>`.
 * @throws AdminError that names an unknown argument
 */
export function parse<T extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: T,
  name: string,
) {
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new AdminError(`${(error as Error).message.split('. ')[0]}. See fairlead ${name} --help`);
  }
}

/** @throws AdminError if there are more arguments than the command takes */
export function assertNoMore(rest: string[], name: string): void {
  if (rest.length) throw new AdminError(`Too much: ${rest.join(' ')}. See fairlead ${name} --help`);
}

/** @throws AdminError unless exactly one file is given */
export function onlyFile([file, ...rest]: string[], name: string): string {
  if (!file) throw new AdminError(`Specify the file: fairlead ${name} FILE`);
  if (file === '-') throw new AdminError("Specify a file. Backups can't be written to or read from a pipe.");
  assertNoMore(rest, name);
  return file;
}

/** Runs `work` and prints its error. @returns the exit code: the result of `work` or 0, and 1 if it throws */
export async function performed(
  terminal: Pick<Terminal, 'error' | 'progress'>,
  work: () => Promise<number | void>,
): Promise<number> {
  try {
    return (await work()) ?? 0;
  } catch (error) {
    terminal.progress?.(null);
    terminal.error(describe(error));
    return 1;
  }
}

/** The process's terminal. Its text may come from an untrusted file or server. */
export function processTerminal(): Terminal {
  const stopping = new AbortController();
  // npm sends the signal of Ctrl-C twice.
  const stop = (): void => stopping.abort(new AdminError('Stopped.'));
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const { out, error } = plainTerminal(process);
  return {
    out,
    error,
    progress: process.stderr.isTTY
      ? (line) =>
          void process.stderr.write(`\r\x1b[2K${harmless(line ?? '').slice(0, process.stderr.columns - 1)}`)
      : undefined,
    signal: stopping.signal,
  };
}
