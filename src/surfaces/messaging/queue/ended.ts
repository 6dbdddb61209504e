/**
 * What ended and is not settled yet, in order.
 *
 * All that ended is settled by the sender's turns, many connections at once. A turn waits for nobody's lock: what is of
 * an instance whose queue somebody else holds comes back here and is tried again by later turns. Whoever holds it may do
 * so for long, or hand it to the next at once for ever; so what was passed over for a while waits for it in a transaction
 * of its own, beside the turns, where it holds up no other instance.
 */
import { isLockTimeout, isRowError } from '../../../platform/db/database.ts';
import type { ConnectionSlot } from './connection-slot.ts';
import { type Done, withoutErrorText } from './outcome.ts';

export type Ending = Done & { lane: ConnectionSlot };

const MAX_SETTLED = 500;
/** Between two tries of turns. */
const TRY_AGAIN_MS = 5;
/** What was passed over for so long is settled apart. */
const APART_AFTER_MS = 20;
/** Transactions that may wait at once: they are of the connections that leases are renewed on, too. */
const MAX_APART = 2;
/** After a fault that is more than a lock that was not got. */
const FAULT_WAIT_MS = 1_000;

export interface CompletionQueueDeps {
  /** Settles what ended of one connection, waiting for its queue, but not for ever. @returns instances still held here */
  settleApart: (lane: ConnectionSlot, endings: Ending[]) => Promise<ReadonlySet<string>>;
  /** What was settled apart is committed. */
  onSettled: (endings: Ending[], held: ReadonlySet<string>) => void;
  onFault: (error: unknown) => void;
}

export interface Ended {
  add(ending: Ending): void;
  /** Takes those that a turn is to settle. */
  take(): Ending[];
  /** A turn took them, and somebody else holds their queues. */
  passOver(endings: readonly Ending[]): void;
  /** They are settled. */
  settled(endings: readonly Ending[]): void;
  /** Their transaction failed. */
  giveBack(endings: readonly Ending[], error: unknown): void;
  forget(lane: ConnectionSlot): void;
  /** Begins to settle apart what was passed over for long. */
  settleLate(): void;
  /** When a turn may be worth it again for what was passed over, by `performance.now()`. */
  nextTry(): number;
  /** Resolves once what is settled apart is over. */
  stop(): Promise<void>;
}

export function createCompletionQueue({ settleApart, onSettled, onFault }: CompletionQueueDeps): Ended {
  let list: Ending[] = [];
  /** After something that can't be written, so many are settled one by one. */
  let alone = 0;
  let stopped = false;
  const apart = new Set<Promise<void>>();

  const takeOf = (isWanted: (lane: ConnectionSlot) => boolean): Ending[] => {
    const max = alone ? 1 : MAX_SETTLED;
    const taken: Ending[] = [];
    const left: Ending[] = [];
    for (const one of list) (taken.length < max && isWanted(one.lane) ? taken : left).push(one);
    list = left;
    return taken;
  };
  const settled = (endings: readonly Ending[]): void => {
    for (const { lane } of endings) lane.busy = null;
    alone = Math.max(0, alone - endings.length);
  };
  const giveBack = (endings: readonly Ending[], error: unknown): void => {
    const isPoisoned = isRowError(error) || error instanceof TypeError || error instanceof RangeError;
    // What can't be stored of a channel's words is not worth that nothing is sent any more.
    if (isPoisoned && alone && endings.length === 1) list.push(...endings.map(withoutErrorText));
    else {
      list.unshift(...endings);
      if (isPoisoned) alone = Math.max(alone, endings.length);
    }
  };

  const runApart = async (lane: ConnectionSlot, busy: NonNullable<ConnectionSlot['busy']>): Promise<void> => {
    const endings = takeOf((one) => one === lane);
    try {
      const held = await settleApart(lane, endings);
      settled(endings);
      onSettled(endings, held);
    } catch (error) {
      giveBack(endings, error);
      const wait = isLockTimeout(error) ? 0 : FAULT_WAIT_MS;
      if (wait) onFault(error);
      // Others had no turn of it meanwhile.
      busy.since = performance.now() + wait;
      busy.tryAt = busy.since;
      busy.isApart = false;
    }
  };

  return {
    add: (ending) => void list.push(ending),
    take() {
      const now = performance.now();
      return takeOf(({ busy }) => busy === null || (!busy.isApart && busy.tryAt <= now));
    },
    passOver(endings) {
      const now = performance.now();
      for (const { lane } of endings) {
        lane.busy ??= { since: now, tryAt: now, isApart: false };
        lane.busy.tryAt = now + TRY_AGAIN_MS;
      }
      list.unshift(...endings);
    },
    settled,
    giveBack,
    forget(lane) {
      list = list.filter((one) => one.lane !== lane);
    },
    settleLate() {
      const now = performance.now();
      const late = [...new Set(list.map(({ lane }) => lane))]
        .filter(({ busy }) => busy && !busy.isApart && now - busy.since >= APART_AFTER_MS)
        .toSorted((a, b) => a.busy!.since - b.busy!.since);
      for (const lane of stopped ? [] : late.slice(0, MAX_APART - apart.size)) {
        lane.busy!.isApart = true;
        const run = runApart(lane, lane.busy!).finally(() => apart.delete(run));
        apart.add(run);
      }
    },
    nextTry: () =>
      list.reduce(
        (first, { lane: { busy } }) => (busy && !busy.isApart ? Math.min(first, busy.tryAt) : first),
        Number.POSITIVE_INFINITY,
      ),
    async stop() {
      stopped = true;
      await Promise.all(apart);
    },
  };
}
