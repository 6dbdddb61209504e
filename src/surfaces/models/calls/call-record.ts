/** Collects the details of a call and records its end, once. */
import type { Log } from '../../../platform/logging/log.ts';
import type { CallResult, OpenCall } from '../contract/call-ledger.ts';
import { type Attempt, sumUsage } from './attempts.ts';

export interface CallRecord {
  add(attempt: Attempt): void;
  /** Sets how the last attempt ended. */
  setOutcome(code: string): void;
  markFirstByte(): void;
  /** Has no effect after the first time. Never throws: the caller has a response already, or gets an earlier error. */
  complete(end: Pick<CallResult, 'outcome' | 'status' | 'errorCode'>): Promise<void>;
}

export function createCallRecord(
  call: OpenCall,
  deps: {
    complete: (result: CallResult) => Promise<void>;
    log: Pick<Log, 'error'>;
  },
): CallRecord {
  const attempts: Attempt[] = [];
  const outcomes: string[] = [];
  let firstByteMs: number | null = null;
  let isComplete = false;
  const elapsed = (): number => Math.max(0, Math.round(performance.now() - call.startedAt));

  return {
    add(attempt) {
      attempts.push(attempt);
    },
    setOutcome(code) {
      outcomes[attempts.length - 1] = `${attempts.at(-1)!.target.model}:${code}`;
    },
    markFirstByte() {
      firstByteMs ??= elapsed();
    },
    async complete(end) {
      if (isComplete) return;
      isComplete = true;
      const last = attempts.at(-1);
      try {
        await deps.complete({
          ...end,
          ...sumUsage(attempts),
          model: last?.target.model ?? call.model,
          providerId: last?.target.providerId ?? null,
          attempts: call.route === null ? null : outcomes,
          firstByteMs,
          durationMs: elapsed(),
          isTest: call.isTest,
        });
      } catch (error) {
        deps.log.error({ err: error, call_id: call.id }, 'models: could not record a call');
      }
    },
  };
}
