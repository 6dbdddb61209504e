/** What becomes of a step when it is its turn. */
import { Problem } from '../../../../platform/http/problem.ts';

export interface StepError {
  /** Stable. */
  code: string;
  detail: string;
}

/** `mayPass`: another time it may go well, so it is tried again. */
export type StepOutcome =
  | { output: Record<string, unknown>; fault: null }
  | { output: null; fault: StepError; mayPass: boolean };

export const done = (output: Record<string, unknown>): StepOutcome => ({ output, fault: null });
export const failed = (fault: StepError, mayPass = false): StepOutcome => ({ output: null, fault, mayPass });

/** Refusals that somebody may have put right by the next try. */
const PASSING: ReadonlySet<string> = new Set(['instance_disconnected', 'quota_exceeded']);
const MAX_DETAILS = 3;

/** What another surface refused. */
export function failedBy(problem: Problem): StepOutcome {
  const more = problem.errors.slice(0, MAX_DETAILS).map(({ pointer, detail }) => `${pointer} ${detail}`);
  const mayPass = problem.status >= 500 || problem.status === 429 || PASSING.has(problem.code);
  return failed({ code: problem.code, detail: [problem.message, ...more].join('; ') }, mayPass);
}

/** Runs it; what it is refused by is an outcome, anything else is thrown. */
export async function outcomeOf(work: () => Promise<Record<string, unknown>>): Promise<StepOutcome> {
  try {
    return done(await work());
  } catch (error) {
    if (error instanceof Problem) return failedBy(error);
    throw error;
  }
}
