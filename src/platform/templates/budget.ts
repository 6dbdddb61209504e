/**
 * The worker time that a workspace may use, in memory of this process: a token bucket of milliseconds. A workspace
 * below half of its budget runs one request at a time on a shared worker; one without budget is rejected until some is
 * refilled. A forced termination costs more than its time, and repeated ones add a pause that doubles.
 */
import { LRUCache } from 'lru-cache';
import type { TemplateError } from './templates.ts';

/** Milliseconds of worker time that come back each second, and that may be saved up. */
export const BUDGET_PER_SECOND = 500;
export const BUDGET_BURST = 3000;
/** What it costs to be ended by force, beside the time: a worker starts anew. */
const COST_OF_STOP = 200;
/** A stop is forgotten after so many milliseconds. */
const STOP_FORGOTTEN_AFTER = 20_000;
const STOPS_FORGIVEN = 3;
const MAX_PAUSE = 60_000;
/** Milliseconds that are expected of who is not known, and what is left of an expectation after a request. */
const EXPECTED_AT_FIRST = 5;
const EXPECTED_DECAY = 0.8;
const MAX_KNOWN = 10_000;

interface Account {
  left: number;
  at: number;
  /** Milliseconds that its next request may be expected to take. */
  expected: number;
  stops: number;
  stoppedAt: number;
  pausedUntil: number;
}

export function createTemplateBudget(now: () => number = () => performance.now()) {
  const accounts = new LRUCache<string, Account>({ maxSize: MAX_KNOWN, sizeCalculation: () => 1 });

  function of(workspaceId: string): Account {
    const at = now();
    let account = accounts.get(workspaceId);
    if (account) {
      account.left = Math.min(BUDGET_BURST, account.left + ((at - account.at) * BUDGET_PER_SECOND) / 1000);
      account.at = at;
      return account;
    }
    account = { left: BUDGET_BURST, at, expected: EXPECTED_AT_FIRST, stops: 0, stoppedAt: 0, pausedUntil: 0 };
    accounts.set(workspaceId, account);
    return account;
  }

  return {
    /** Why a workspace renders nothing now; null where it may. */
    refusal(workspaceId: string): TemplateError | null {
      const account = of(workspaceId);
      const wait = Math.max(
        account.pausedUntil - account.at,
        account.left > 0 ? 0 : (-account.left * 1000) / BUDGET_PER_SECOND + 1,
      );
      if (wait <= 0) return null;
      return {
        code: 'template_budget',
        detail: `The templates of this workspace have used up their rendering time. Try again in ${Math.ceil(wait / 1000)} s.`,
      };
    },
    /** Whether its requests go alone, and only while no other such runs. */
    isSlow: (workspaceId: string): boolean => of(workspaceId).left < BUDGET_BURST / 2,
    spend(workspaceId: string, milliseconds: number): void {
      const account = of(workspaceId);
      account.left -= milliseconds;
      account.expected = Math.max(milliseconds, account.expected * EXPECTED_DECAY);
    },
    /** Milliseconds that its next request may be expected to take, by those before. */
    expected: (workspaceId: string): number => of(workspaceId).expected,
    /** One of its requests was ended by force. */
    stopped(workspaceId: string, milliseconds: number): void {
      const account = of(workspaceId);
      account.left -= milliseconds + COST_OF_STOP;
      const forgotten = Math.floor((account.at - account.stoppedAt) / STOP_FORGOTTEN_AFTER);
      account.stops = Math.max(0, account.stops - forgotten) + 1;
      account.stoppedAt = account.at;
      const over = account.stops - STOPS_FORGIVEN;
      if (over > 0) account.pausedUntil = account.at + Math.min(MAX_PAUSE, 1000 * 2 ** over);
    },
  };
}
