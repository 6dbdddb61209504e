/**
 * Completions that are not stored yet, in order.
 *
 * Cycles of the sender store them, for many connections at once. A cycle waits for no lock: completions of an instance
 * whose queue is locked return here and are retried by later cycles. The lock may be held for long, or pass from holder
 * to holder, so completions that were postponed for a while wait for it in a transaction of their own, where they delay
 * no other instance.
 */
import { isLockTimeout, isRowError } from '../../../platform/db/database.ts';
import type { ConnectionSlot } from './connection-slot.ts';
import { type Done, withoutErrorText } from './outcome.ts';

export type Completion = Done & { slot: ConnectionSlot };

const MAX_COMPLETED = 500;
/** Delay between two attempts of cycles. */
const RETRY_MS = 5;
/** Completions that were postponed for this long are stored separately. */
const SEPARATE_AFTER_MS = 20;
/** Maximum concurrent separate transactions: leases are renewed on the same connections. */
const MAX_SEPARATE = 2;
/** Delay after an error other than a lock time-out. */
const ERROR_WAIT_MS = 1_000;

export interface CompletionQueueDeps {
  /** Stores completions of one connection, waiting for its queue's lock. @returns instances still held by this node */
  completeSeparately: (slot: ConnectionSlot, completions: Completion[]) => Promise<ReadonlySet<string>>;
  /** Called after separate completions were committed. */
  onCompleted: (completions: Completion[], held: ReadonlySet<string>) => void;
  onError: (error: unknown) => void;
}

export interface CompletionQueue {
  add(completion: Completion): void;
  /** Takes those that a cycle is to store. */
  take(): Completion[];
  /** Returns those whose queue was locked. */
  postpone(completions: readonly Completion[]): void;
  /** Reports those that were stored. */
  stored(completions: readonly Completion[]): void;
  /** Returns those whose transaction failed. */
  restore(completions: readonly Completion[], error: unknown): void;
  forget(slot: ConnectionSlot): void;
  /** Starts to store separately what was postponed for long. */
  completeOverdue(): void;
  /** When a cycle should retry what was postponed, by `performance.now()`. */
  nextTryAt(): number;
  /** Resolves after separate transactions have ended. */
  stop(): Promise<void>;
}

export function createCompletionQueue({
  completeSeparately,
  onCompleted,
  onError,
}: CompletionQueueDeps): CompletionQueue {
  let list: Completion[] = [];
  /** How many are stored individually, after the database rejected a row among several. */
  let individually = 0;
  let stopped = false;
  const separate = new Set<Promise<void>>();

  const takeWhere = (isWanted: (slot: ConnectionSlot) => boolean): Completion[] => {
    const max = individually ? 1 : MAX_COMPLETED;
    const taken: Completion[] = [];
    const left: Completion[] = [];
    for (const one of list) (taken.length < max && isWanted(one.slot) ? taken : left).push(one);
    list = left;
    return taken;
  };
  const stored = (completions: readonly Completion[]): void => {
    for (const { slot } of completions) slot.busy = null;
    individually = Math.max(0, individually - completions.length);
  };
  const restore = (completions: readonly Completion[], error: unknown): void => {
    const isPoisoned = isRowError(error) || error instanceof TypeError || error instanceof RangeError;
    // Losing an error text of a channel is better than a queue that stops.
    if (isPoisoned && individually && completions.length === 1)
      list.push(...completions.map(withoutErrorText));
    else {
      list.unshift(...completions);
      if (isPoisoned) individually = Math.max(individually, completions.length);
    }
  };

  const runSeparately = async (
    slot: ConnectionSlot,
    busy: NonNullable<ConnectionSlot['busy']>,
  ): Promise<void> => {
    const completions = takeWhere((one) => one === slot);
    try {
      const held = await completeSeparately(slot, completions);
      stored(completions);
      onCompleted(completions, held);
    } catch (error) {
      restore(completions, error);
      const wait = isLockTimeout(error) ? 0 : ERROR_WAIT_MS;
      if (wait) onError(error);
      busy.since = performance.now() + wait;
      busy.tryAt = busy.since;
      busy.isSeparate = false;
    }
  };

  return {
    add: (completion) => void list.push(completion),
    take() {
      const now = performance.now();
      return takeWhere(({ busy }) => busy === null || (!busy.isSeparate && busy.tryAt <= now));
    },
    postpone(completions) {
      const now = performance.now();
      for (const { slot } of completions) {
        slot.busy ??= { since: now, tryAt: now, isSeparate: false };
        slot.busy.tryAt = now + RETRY_MS;
      }
      list.unshift(...completions);
    },
    stored,
    restore,
    forget(slot) {
      list = list.filter((one) => one.slot !== slot);
    },
    completeOverdue() {
      const now = performance.now();
      const late = [...new Set(list.map(({ slot }) => slot))]
        .filter(({ busy }) => busy && !busy.isSeparate && now - busy.since >= SEPARATE_AFTER_MS)
        .toSorted((a, b) => a.busy!.since - b.busy!.since);
      for (const slot of stopped ? [] : late.slice(0, MAX_SEPARATE - separate.size)) {
        slot.busy!.isSeparate = true;
        const run = runSeparately(slot, slot.busy!).finally(() => separate.delete(run));
        separate.add(run);
      }
    },
    nextTryAt: () =>
      list.reduce(
        (first, { slot: { busy } }) => (busy && !busy.isSeparate ? Math.min(first, busy.tryAt) : first),
        Number.POSITIVE_INFINITY,
      ),
    async stop() {
      stopped = true;
      await Promise.all(separate);
    },
  };
}
