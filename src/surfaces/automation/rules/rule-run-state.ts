/**
 * Statuses of a rule run and the transitions between them.
 *
 *   (queued) ──filter match──▶ running ──▶ succeeded
 *      │                        │    └──▶ failed      a step failed finally
 *      │                        └───────▶ canceled    the rule was disabled or deleted
 *      ├──no filter match─────▶ no run, only counted
 *      └──guard──▶ stopped      by the loop guard or the rate limit
 *
 * A queued event is a row of `rule_queue`, not yet a run. After a crash, a run resumes at its current step: a step and its
 * database writes share a transaction. A call of a webhook or a model may be repeated.
 */
export const RUN_STATUSES = ['running', 'succeeded', 'failed', 'stopped', 'canceled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

const NEXT: Record<RunStatus, readonly RunStatus[]> = {
  running: ['succeeded', 'failed', 'canceled'],
  succeeded: [],
  failed: [],
  stopped: [],
  canceled: [],
};

/**
 * Returns the new status.
 * @throws Error for an invalid transition
 */
export function moveTo(from: RunStatus, to: RunStatus): RunStatus {
  if (!NEXT[from].includes(to)) throw new Error(`invalid run status transition: ${from} to ${to}`);
  return to;
}

/**
 * Reasons for a stop: the rule caused the event itself, the chain of rules is too deep, or the rate limit is used up.
 */
export const STOPS = ['loop', 'depth', 'rate_limited'] as const;
export type Stop = (typeof STOPS)[number];

/** Maximum length of a chain of rules that trigger each other. */
export const MAX_DEPTH = 5;

export const STEP_STATUSES = ['pending', 'succeeded', 'failed', 'skipped'] as const;
