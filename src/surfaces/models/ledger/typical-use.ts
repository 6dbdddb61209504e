/**
 * Recent use of calls, for budgets that reserve it instead of the worst case.
 *
 * It is the largest share of the worst case that one of the last calls with the same key, operation and model used, so one
 * call that uses much raises the reservations of the next ones immediately. Each process keeps its own record; if it knows
 * too few calls, the worst case is reserved. It is never 0 unless the worst case is: a budget always has
 * room for 0, so callers with free calls on record could go on without end above its limit.
 */
import { LRUCache } from 'lru-cache';
import type { CallAmount, CallResult, NewCall } from '../contract/call-ledger.ts';

const MAX_KNOWN = 10_000;
const CALLS = 20;
/** With fewer, the worst case is reserved. */
const ENOUGH_CALLS = 5;

/** Shares of the worst case, newest last. */
interface Shares {
  tokens: number[];
  cost: number[];
}

export interface TypicalUse {
  /** Learns from a call that has ended. */
  add(call: NewCall, result: CallResult): void;
  /** @returns the expected usage of a call, based on the last ones; at most its worst case */
  get(call: NewCall): CallAmount;
}

const remember = (shares: number[], used: number, worst: number): void => {
  shares.push(worst > 0 ? Math.min(1, used / worst) : 1);
  if (shares.length > CALLS) shares.shift();
};

const apply = (shares: readonly number[], worst: number): number =>
  shares.length < ENOUGH_CALLS ? worst : Math.min(worst, Math.max(1, worst * Math.max(...shares)));

export function createTypicalUse(): TypicalUse {
  const known = new LRUCache<string, Shares>({ max: MAX_KNOWN });
  const toKey = ({ actor: { workspaceId, id }, operation, model }: NewCall): string =>
    `${workspaceId} ${id} ${operation} ${model}`;
  return {
    add(call, { outcome, usage, cost }) {
      // The usage of a failed or canceled call is not typical.
      if (outcome !== 'succeeded') return;
      const key = toKey(call);
      const shares = known.get(key) ?? { tokens: [], cost: [] };
      known.set(key, shares);
      remember(shares.tokens, usage.input + usage.output, call.worst.tokens);
      if (cost !== null && call.worst.cost !== null) remember(shares.cost, cost, call.worst.cost);
    },
    get(call) {
      const { tokens, cost, isCostOpen } = call.worst;
      const shares = known.get(toKey(call));
      if (!shares) return { tokens, cost };
      // If a cost stays unknown, the reservation counts as used, so it must not be less than the cost.
      return {
        tokens: apply(shares.tokens, tokens),
        cost: cost === null || isCostOpen ? cost : apply(shares.cost, cost),
      };
    },
  };
}
