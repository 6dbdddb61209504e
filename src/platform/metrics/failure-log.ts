/** Logs when something starts to fail and when it works again, however often it is tried in between. */
import type { Log } from '../logging/log.ts';

export interface FailureLog {
  failed(error: unknown): void;
  succeeded(): void;
}

export function createFailureLog(
  log: Pick<Log, 'info' | 'error'>,
  { details, failed, recovered }: { details: object; failed: string; recovered: string },
): FailureLog {
  let isFailing = false;
  return {
    failed(error) {
      if (!isFailing) log.error({ ...details, err: error }, failed);
      isFailing = true;
    },
    succeeded() {
      if (isFailing) log.info(details, recovered);
      isFailing = false;
    },
  };
}
