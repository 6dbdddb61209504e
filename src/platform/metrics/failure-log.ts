/** Logs when something starts to fail and when it works again, however often it is tried in between. */

export type StateLog = Record<'info' | 'error', (details: object, message: string) => void>;

export interface FailureLog {
  failed(error: unknown): void;
  succeeded(): void;
}

export function createFailureLog(
  log: StateLog,
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
