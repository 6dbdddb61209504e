/** The log: JSON lines on standard output. Secrets are removed from every object and error that is logged. */
import { pino, stdSerializers } from 'pino';
import type { Config } from './config/config.ts';
import { redactText, REMOVED } from './http/redaction.ts';

const SECRET_NAME = /^((proxy-)?authorization|(set-)?cookie|.*password|.*secret|.*token|connectionstring)$/i;
const MAX_DEPTH = 4;

/** PostgreSQL shows the whole row that breaks a constraint. */
const FAILING_ROW = /^Failing row contains/;

function withoutSecrets(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return FAILING_ROW.test(value) ? REMOVED : redactText(value);
  if (value === null || typeof value !== 'object' || value instanceof Error) return value;
  if (depth > MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      SECRET_NAME.test(name) ? REMOVED : withoutSecrets(item, depth + 1),
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
    // An error may carry the request that failed, with its headers.
    serializers: { err: (error: Error) => withoutSecrets(stdSerializers.err(error), 0) },
  };
  return destination ? pino(options, destination) : pino(options);
}
