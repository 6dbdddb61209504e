/**
 * PostgreSQL's log: read from its standard error, the last lines kept for messages, what matters passed on to our
 * own log. Never more than a bounded amount, so that no fault of the database fills a disk.
 *
 * Each line begins with the kind of process in brackets (`log_line_prefix`), then the severity; following lines of
 * one entry begin with a tab.
 */
import type { Readable } from 'node:stream';
import type { Log } from '../logging/log.ts';

export const LOG_LINE_PREFIX = '[%b] ';

const LINES_KEPT = 40;
const LINE_LENGTH = 1000;
const BURST = 60;
const PER_SECOND = 2;
/** Entries of severity LOG that an operator wants to see: a process that crashed, a folder pulled away. */
const NOTEWORTHY =
  /was terminated by signal|exited with exit code [2-9]|because data directory|corrupt|checksum/;

/** Messages to each connection when the server stops or returns; the supervisor logs this once. */
const EXPECTED = /FATAL: {2}(terminating connection due to|the database system is)/;

export interface PostgresLog {
  /** The newest lines, oldest first. */
  lines: readonly string[];
  /** Resolves when a matching line has been read; never, if there is none. */
  saw(pattern: RegExp): Promise<void>;
}

type Level = 'warn' | 'error' | null;

function getLevel(line: string): Level {
  const severity = /(?:^|\] )(LOG|WARNING|ERROR|FATAL|PANIC): {2}/.exec(line)?.[1];
  if (severity === 'LOG') return NOTEWORTHY.test(line) ? 'warn' : null;
  if (severity === 'FATAL' || severity === 'PANIC') return 'error';
  // Messages of the dynamic linker or the shell before PostgreSQL runs have no severity.
  return severity || !/^\[|^\t/.test(line) ? 'warn' : null;
}

/** Follows the log until the stream ends. */
export function followLog(stream: Readable, log: Pick<Log, 'info' | 'warn' | 'error'>): PostgresLog {
  const lines: string[] = [];
  const awaited: { pattern: RegExp; resolve: () => void }[] = [];
  let rest = '';
  let tokens = BURST;
  let refilled = performance.now();
  let withheld = 0;

  const pass = (level: Exclude<Level, null>, line: string): void => {
    const now = performance.now();
    tokens = Math.min(BURST, tokens + ((now - refilled) / 1000) * PER_SECOND);
    refilled = now;
    if (tokens < 1) {
      withheld += 1;
      return;
    }
    tokens -= 1;
    const details = withheld ? { withheld } : {};
    withheld = 0;
    log[level](details, `PostgreSQL: ${line}`);
  };
  const take = (line: string): void => {
    lines.push(line);
    if (lines.length > LINES_KEPT) lines.shift();
    for (const { pattern, resolve } of awaited) if (pattern.test(line)) resolve();
    const level = getLevel(line);
    if (level && !EXPECTED.test(line)) pass(level, line);
  };

  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop()!.slice(0, LINE_LENGTH);
    for (const part of parts) take(part.slice(0, LINE_LENGTH));
  });
  stream.on('end', () => rest && take(rest));

  return {
    lines,
    saw: (pattern) =>
      new Promise((resolve) => {
        if (lines.some((line) => pattern.test(line))) resolve();
        else awaited.push({ pattern, resolve });
      }),
  };
}
