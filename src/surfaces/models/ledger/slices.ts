/**
 * Slices of budgets: amounts that this process has drawn ahead, so that a call needs no transaction.
 *
 * A slice counts as reserved from its drawing on, so calls of all processes together never exceed a budget. It is at most a
 * sixteenth of what is left. Where too little is left for that, where nothing is known of the caller yet, and where a window
 * is over, `take` takes nothing, and the call is admitted by the database.
 *
 * Only a caller who calls often is known here. What is known of it counts for half a second, in which a lower limit, a new
 * budget, or a deleted workspace is noticed. A slice that nobody uses goes back after a second, and so does one that is much
 * of what is left.
 *
 * What a call has reserved stays part of the slice in the database until the call's end is loaded (call-loading.ts).
 */
import { LRUCache } from 'lru-cache';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { AdmittedCall } from '../contract/call-ledger.ts';
import type { Reservation } from './completion.store.ts';
import * as store from './slice.store.ts';

/** A caller is known if it calls again within this time. */
const OFTEN_MS = 1_000;
const REFRESH_MS = 200;
const TRUSTED_MS = 500;
const IDLE_MS = 1_000;
/** After a request that was not granted. */
const RETRY_MS = 500;
const MAX_CALLERS = 10_000;
/** Calls that the first slice is for. One that is used up within OFTEN_MS is followed by one of twice the size. */
const FIRST_CALLS = 32;
/** A slice goes back if less than this multiple of it is left for others. */
const MIN_LEFT = 2;

interface Caller {
  workspaceId: string;
  keyId: string | null;
  calledAt: number;
  /** Start of the read that it is known from. */
  readAt: number;
  profile: store.CallerProfile | null;
  isRefreshing: boolean;
}

interface Slice {
  budgetId: string;
  workspaceId: string;
  /** Of its budget. */
  windowStart: string;
  /** Milliseconds since 1970. */
  resetsAt: number;
  available: number;
  /** The amount to draw next time. */
  target: number;
  drawnAt: number;
  usedAt: number;
}

export interface Taken {
  reservations: Reservation[];
  storesContent: boolean;
}

export interface Slices {
  /**
   * Takes a call's reservation from slices.
   * @returns null if the database must admit the call
   */
  take(call: AdmittedCall): Taken | null;
  /** Returns the reservation of a call that was not recorded. */
  putBack(taken: Taken): void;
  /**
   * Drops cached budgets and callers of a workspace, and returns its slices.
   * @returns whether there were any
   */
  giveBack(workspaceId?: string): Promise<boolean>;
  /** Drops cached callers of a workspace. */
  forget(workspaceId: string): void;
  /** Gives unused slices back. Call it every quarter of a second. */
  tick(): void;
  /** Whether this process holds anything. */
  isEmpty(): boolean;
}

/** Returns what a call reserves of a budget, in its unit; null if that is not known. */
function getAmount(
  { unit, reservation }: store.CallerBudget,
  { worst, typical }: AdmittedCall,
): number | null {
  if (unit === 'calls') return 1;
  const { tokens, cost } = reservation === 'typical' ? typical : worst;
  return unit === 'tokens' ? Math.ceil(tokens) : cost && Math.ceil(cost);
}

/** Gives back what is left of slices. */
async function giveRestsBack(units: Units, journalId: string, returned: readonly Slice[]): Promise<void> {
  const byWorkspace = Map.groupBy(returned, ({ workspaceId }) => workspaceId);
  for (const [workspaceId, ofWorkspace] of byWorkspace) {
    const rests = ofWorkspace
      .filter(({ available }) => available > 0)
      .map(({ budgetId, windowStart, available }) => ({
        budget_id: budgetId,
        window_start: windowStart,
        amount: available,
      }));
    if (rests.length) await units.write((unit) => store.giveBack(unit.db, workspaceId, journalId, rests));
  }
}

export function createSlices(deps: { units: Units; journalId: string; log: Pick<Log, 'warn'> }): Slices {
  const { units, journalId, log } = deps;
  const callers = new LRUCache<string, Caller>({ max: MAX_CALLERS });
  /** Budget ID → slice. */
  const slices = new Map<string, Slice>();
  /** Budget ID → when to request it again. */
  const refused = new Map<string, number>();
  /** Workspace → the drawing that is under way. */
  const drawing = new Map<string, Promise<void>>();
  /** Workspace → requests of the next drawing. */
  const requests = new Map<string, Map<string, store.SliceRequest>>();
  /** Incremented when results of running queries must not be cached. */
  let generation = 0;

  /** Takes slices out, so that nothing more is taken from them, and gives them back. */
  const end = (ended: readonly Slice[]): Promise<void> => {
    for (const slice of ended) if (slices.get(slice.budgetId) === slice) slices.delete(slice.budgetId);
    return giveRestsBack(units, journalId, ended);
  };
  const endInBackground = (ended: readonly Slice[]): void => {
    if (ended.length)
      void end(ended).catch((error: unknown) =>
        log.warn({ err: error }, 'model calls: could not give budget slices back, they stay reserved'),
      );
  };

  const refresh = async (caller: Caller): Promise<void> => {
    if (caller.isRefreshing) return;
    caller.isRefreshing = true;
    const startedAt = performance.now();
    const began = generation;
    const { workspaceId, keyId } = caller;
    try {
      const { db, clock } = units.read;
      const profile = await store.readProfile(db, workspaceId, keyId, journalId, clock());
      if (began !== generation) return;
      caller.profile = profile;
      caller.readAt = startedAt;
      const returned: Slice[] = [];
      for (const { id, left, slice: held } of profile?.budgets ?? []) {
        const slice = slices.get(id);
        if (!slice || slice.drawnAt > startedAt) continue;
        // Its process was taken for dead.
        if (held === null) slices.delete(id);
        else if (left < slice.available * MIN_LEFT) returned.push(slice);
      }
      endInBackground(returned);
    } finally {
      caller.isRefreshing = false;
    }
  };

  const drawRequested = async (
    workspaceId: string,
    requested: readonly store.SliceRequest[],
  ): Promise<void> => {
    const began = generation;
    const now = performance.now();
    const grants = await units.write((unit) =>
      store.drawSlices(unit.db, workspaceId, journalId, requested, unit.clock()),
    );
    const drawnAt = performance.now();
    for (const { budget_id: id } of requested) refused.set(id, now + RETRY_MS);
    const made: Slice[] = [];
    for (const { budget_id: budgetId, window_start: start, resets_at: resetsAt, amount } of grants) {
      refused.delete(budgetId);
      const known = slices.get(budgetId);
      const windowStart = start.toISOString();
      const isSame = known?.windowStart === windowStart;
      const request = requested.find((one) => one.budget_id === budgetId)!;
      const isFast = known !== undefined && now - known.drawnAt < OFTEN_MS;
      const slice: Slice = {
        budgetId,
        workspaceId,
        windowStart,
        resetsAt: resetsAt?.getTime() ?? Infinity,
        available: amount + (isSame ? known.available : 0),
        target: isFast ? request.most * 2 : request.most,
        drawnAt,
        usedAt: drawnAt,
      };
      made.push(slice);
      slices.set(budgetId, slice);
    }
    // These must go back: the budget changed while they were drawn.
    if (began !== generation) await end(made);
  };
  const draw = async (workspaceId: string): Promise<void> => {
    const requested = [...(requests.get(workspaceId)?.values() ?? [])];
    requests.delete(workspaceId);
    if (!requested.length || drawing.has(workspaceId)) return;
    const drawn = drawRequested(workspaceId, requested).finally(() => drawing.delete(workspaceId));
    drawing.set(workspaceId, drawn);
    await drawn;
  };
  const run = (work: Promise<void>): void =>
    void work.catch((error: unknown) =>
      log.warn({ err: error }, 'model calls: could not draw slices of budgets, calls wait for the database'),
    );

  const requestSlice = (workspaceId: string, budgetId: string, amount: number): void => {
    if ((refused.get(budgetId) ?? 0) > performance.now()) return;
    const most = Math.max(slices.get(budgetId)?.target ?? 0, amount * FIRST_CALLS);
    const ofWorkspace = requests.get(workspaceId) ?? new Map<string, store.SliceRequest>();
    requests.set(workspaceId, ofWorkspace);
    ofWorkspace.set(budgetId, { budget_id: budgetId, most, least: amount * 2 });
    if (!drawing.has(workspaceId)) setImmediate(() => run(draw(workspaceId)));
  };

  return {
    take(call) {
      const { workspaceId, id: actorId } = call.actor;
      const now = performance.now();
      const key = `${workspaceId} ${actorId}`;
      const caller = callers.get(key);
      if (!caller) {
        const keyId = toUuid('api_key', actorId);
        callers.set(key, {
          workspaceId,
          keyId,
          calledAt: now,
          readAt: Number.NEGATIVE_INFINITY,
          profile: null,
          isRefreshing: false,
        });
        return null;
      }
      const isOften = now - caller.calledAt < OFTEN_MS;
      caller.calledAt = now;
      if (isOften && now - caller.readAt > REFRESH_MS) run(refresh(caller));
      const { profile } = caller;
      if (!profile || now - caller.readAt > TRUSTED_MS) return null;

      const time = units.read.clock().getTime();
      const parts: { budget: store.CallerBudget; slice: Slice | null; amount: number }[] = [];
      let isEnough = true;
      for (const budget of profile.budgets) {
        const amount = getAmount(budget, call);
        const isOver = budget.is_over || (budget.resets_at !== null && time >= budget.resets_at.getTime());
        if (amount === null || !Number.isSafeInteger(amount) || isOver) return null;
        const slice = slices.get(budget.id) ?? null;
        const isUsable =
          slice !== null && slice.windowStart === budget.window_start.toISOString() && time < slice.resetsAt;
        if (amount > 0 && !(isUsable && slice.available >= amount)) isEnough = false;
        if (amount > 0 && (!isUsable || slice.available - amount < slice.target / 2))
          requestSlice(workspaceId, budget.id, amount);
        parts.push({ budget, slice: isUsable ? slice : null, amount });
      }
      if (!isEnough) return null;
      for (const { slice, amount } of parts) {
        if (!slice) continue;
        slice.available -= amount;
        slice.usedAt = now;
      }
      const reservations = parts.map(({ budget, amount }) => ({
        budget_id: budget.id,
        window_start: budget.window_start.toISOString(),
        amount,
      }));
      return { reservations, storesContent: profile.storesContent };
    },
    putBack({ reservations }) {
      for (const { budget_id: id, window_start: start, amount } of reservations) {
        const slice = slices.get(id);
        if (slice?.windowStart === start) slice.available += amount;
      }
    },
    async giveBack(workspaceId) {
      generation += 1;
      const isAffected = (id: string): boolean => workspaceId === undefined || id === workspaceId;
      for (const id of requests.keys()) if (isAffected(id)) requests.delete(id);
      // Slices that these draw are returned by drawRequested.
      const underWay = [...drawing].filter(([id]) => isAffected(id)).map(([, drawn]) => drawn);
      await Promise.allSettled(underWay);
      const ended = [...slices.values()].filter((slice) => isAffected(slice.workspaceId));
      await end(ended);
      return underWay.length > 0 || ended.some(({ available }) => available > 0);
    },
    forget(workspaceId) {
      generation += 1;
      for (const caller of callers.values())
        if (caller.workspaceId === workspaceId) caller.readAt = Number.NEGATIVE_INFINITY;
    },
    tick() {
      const now = performance.now();
      endInBackground([...slices.values()].filter(({ usedAt }) => now - usedAt > IDLE_MS));
      for (const [id, until] of refused) if (until < now) refused.delete(id);
    },
    isEmpty: () => slices.size === 0,
  };
}
