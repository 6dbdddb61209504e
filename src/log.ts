/** The log: JSON lines on standard output. Whatever object is logged, its secrets are not. */
import { pino } from 'pino';
import type { Config } from './config.ts';

const SECRET_NAME = /^(authorization|cookie|set-cookie|.*password|.*secret|.*token|connectionstring)$/i;
const MOST_DEPTH = 4;
const REDACTED = '[redacted]';

function withoutSecrets(value: unknown, depth: number): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Error) return value;
  if (depth > MOST_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      SECRET_NAME.test(name) ? REDACTED : withoutSecrets(item, depth + 1),
    ]),
  );
}

/** `destination`: where lines go instead of standard output; for tests. */
export function createLog(
  { LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>,
  destination?: { write(line: string): void },
) {
  const options = {
    level: LOG_LEVEL,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: (details: object) => withoutSecrets(details, 0) as Record<string, unknown> },
  };
  return destination ? pino(options, destination) : pino(options);
}
