/** Outcome of a step of a rule, or of a question for a model. */
import { Problem } from '../../../platform/http/problem.ts';

export interface StepError {
  /** Stable error code. */
  code: string;
  detail: string;
}

/** `mayPass`: the error may be transient, so the step is retried. */
export type StepOutcome =
  | { output: Record<string, unknown>; failure: null }
  | { output: null; failure: StepError; mayPass: boolean };

export const done = (output: Record<string, unknown>): StepOutcome => ({ output, failure: null });
export const failed = (failure: StepError, mayPass = false): StepOutcome => ({
  output: null,
  failure,
  mayPass,
});

/** Rejections that a user may have fixed by the next attempt. */
const PASSING: ReadonlySet<string> = new Set(['instance_disconnected', 'quota_exceeded']);
const MAX_DETAILS = 3;

/** Converts a rejection of another surface to an outcome. */
export function failedBy(problem: Problem): StepOutcome {
  const more = problem.errors
    .filter(({ detail }) => !problem.message.includes(detail))
    .slice(0, MAX_DETAILS)
    .map(({ pointer, detail }) => `${pointer} ${detail}`);
  const message = more.length > 0 ? problem.message.replace(/\.$/, '') : problem.message;
  const mayPass = problem.status >= 500 || problem.status === 429 || PASSING.has(problem.code);
  return failed({ code: problem.code, detail: [message, ...more].join('; ') }, mayPass);
}

/** Executes work. Rejections become outcomes; other errors are thrown. */
export async function toOutcome(work: () => Promise<Record<string, unknown>>): Promise<StepOutcome> {
  try {
    return done(await work());
  } catch (error) {
    if (error instanceof Problem) return failedBy(error);
    throw error;
  }
}
