/**
 * The states of a job that a caller can watch.
 *
 *     queued ──▶ running ──▶ succeeded
 *       │           ├──────▶ failed
 *       └───────────┴──────▶ canceled
 *
 * A job whose process died is begun again: `running` may follow `running`. The last three are final.
 */
export const JOB_STATES = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const;
export type JobState = (typeof JOB_STATES)[number];

const MAY_FOLLOW: Record<JobState, readonly JobState[]> = {
  queued: ['running', 'failed', 'canceled'],
  running: ['running', 'succeeded', 'failed', 'canceled'],
  succeeded: [],
  failed: [],
  canceled: [],
};

export const isFinal = (state: JobState): boolean => MAY_FOLLOW[state].length === 0;

/** @throws Error for a move that the table above has not: a fault of the program. */
export function assertMayFollow(from: JobState, to: JobState): void {
  if (!MAY_FOLLOW[from].includes(to)) throw new Error(`a job that is ${from} cannot become ${to}`);
}
