/**
 * The status of a rule's run, and the one table of its moves.
 *
 *   (queued) ──filter holds──▶ running ──▶ succeeded
 *      │                        │    └──▶ failed      a step was given up
 *      │                        └───────▶ canceled    the rule was disabled or deleted meanwhile
 *      ├──filter doesn't hold──▶ no run, only counted
 *      └──guard──▶ stopped      by the loop guard, or the rate
 *
 * What waits to be looked at is a row of `rule_queue` and no run yet. A run goes on after a crash at the step that it was at:
 * what a step wrote to the database and that it was done are one transaction; a call of a webhook or a model may come twice.
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

/** @throws Error for a move that is none */
export function moveTo(from: RunStatus, to: RunStatus): RunStatus {
  if (!NEXT[from].includes(to)) throw new Error(`invalid run status transition: ${from} to ${to}`);
  return to;
}

/** Why a run was stopped: the rule caused the event itself, rules caused each other too often, or the rate is used up. */
export const STOPS = ['loop', 'depth', 'rate_limited'] as const;
export type Stop = (typeof STOPS)[number];

/** Rules in a row, each started by what the one before did. */
export const MAX_DEPTH = 5;

export const STEP_STATUSES = ['pending', 'succeeded', 'failed', 'skipped'] as const;
