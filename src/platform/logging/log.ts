/**
 * Writes log entries; pino implements it. Code asks only for the levels that it uses: `Pick<Log, 'warn'>`.
 */
export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
