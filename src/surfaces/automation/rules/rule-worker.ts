/**
 * The loop that runs rules: any number of processes may run it at once. A turn claims what is due, workspaces in turns and
 * each within its bound; what was claimed then goes its own way, and whatever happens to it, its claim ends: it is done, put
 * back, or, with the lease, somebody else's.
 */
import { isSerializationFailure, type Database, isConnectionError } from '../../../platform/db/database.ts';
import { createPollLoop } from '../../../platform/db/poll-loop.ts';
import type { Unit, Units } from '../../../core/unit-of-work.ts';
import { FIRST_UUID } from '../../../platform/db/uuid-time.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Acceptance } from './run-acceptance.ts';
import { begin, FilterWaits, load, type Loaded } from './run-begin.ts';
import { cancelRun, type Recorded, recordFault, waitAfter } from './run-record.ts';
import { type ActiveRun, executeRun, type StepDeps } from './run-steps.ts';
import { createRuleLease } from './rule-lease.ts';
import * as queue from './rule-queue.system-store.ts';

/** Runs that a process has under way, and those of one workspace: what is slow there holds up nobody else. */
const CAPACITY = 96;
const MAX_OF_WORKSPACE = 24;
/** Workspaces that a turn looks at. */
const MAX_SPACES = 100;
const GATHER_MS = 3;
const DRAIN_MS = 4_000;
const DRAIN_LOOK_MS = 20;
/** Where the database, or what renders, can't be had for now. */
const AWAY_MS = 1_000;
/** Another transaction came first. */
const LATE_MS = 30;
const LAST_TRY_MS = 600_000;
const OVER: ReadonlySet<string> = new Set(['succeeded', 'failed', 'canceled']);
const OWN_FAULT = {
  code: 'internal_error',
  detail: 'The step could not be executed because of an internal error.',
};

export interface RuleWorkerDeps extends StepDeps {
  /** Connections that don't wait behind requests. */
  control: Database;
  units: Units;
  admission: Acceptance;
  /** Runs that had begun, by how they ended. */
  onEnded: (status: string, count: number) => void;
  log: {
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

export interface RuleWorker {
  start(): void;
  /** There may be something to do. */
  wake(): void;
  /** Lets what is under way end, for a few seconds; the rest is put back. */
  stop(): Promise<void>;
  active(): number;
}

export function createRuleWorker(deps: RuleWorkerDeps): RuleWorker {
  const { control: db, units, log } = deps;
  const active = new Map<string, queue.Claimed>();
  let after = FIRST_UUID;
  let started = false;
  let draining = false;
  /** Whether this worker may hold a claim that nobody works at: its commit was not heard of, or it could not be put back. */
  let isUncertain = false;
  const lease = createRuleLease({
    db,
    log,
    onTakenOver: () => loop.wake(),
    onLost: () => active.clear(),
  });

  const putBack = (worker: string, claimed: queue.Claimed, waitMs: number, tries = claimed.tries) =>
    queue.release(db, worker, [claimed.id], { tries, waitMs });

  /** What is no step's fault and no other's: tried again like a step, then given up. */
  const giveUp = async (worker: string, loaded: Loaded): Promise<void> => {
    const { claimed, rule, event, run } = loaded;
    const waitMs = waitAfter(claimed.tries + 1);
    if (waitMs !== null) return putBack(worker, claimed, waitMs, claimed.tries + 1);
    if (run)
      await units.write(async (unit) => {
        if (!(await queue.lockClaims(unit.db, worker, [claimed.id])).has(claimed.id)) return;
        const step = run.steps.find(({ status }) => status === 'pending');
        await recordFault(unit, worker, { claimed, run }, step, { fault: OWN_FAULT, mayPass: false });
      });
    else if (rule && event)
      await deps.admission.admit(worker, { claimed, rule, event, verdict: { failed: OWN_FAULT } });
  };

  /** Nothing can be done for it any more: its rule or its event is gone. */
  const drop = (worker: string, { claimed, run }: Loaded): Promise<Recorded> =>
    units.write(async (unit: Unit) => {
      if (!(await queue.lockClaims(unit.db, worker, [claimed.id])).has(claimed.id)) return 'lost';
      if (run) return cancelRun(unit, { claimed, run });
      await queue.removeRows(unit.db, [claimed.id]);
      return 'canceled';
    });

  const runOne = async (worker: string, loaded: Loaded, signal: AbortSignal): Promise<void> => {
    const { claimed, rule, event } = loaded;
    let run: ActiveRun | null = null;
    try {
      if (!rule || !event || (claimed.started && !loaded.run)) return void (await drop(worker, loaded));
      run = await begin(deps, worker, { ...loaded, rule, event });
      if (!run) return;
      const recorded = await executeRun(deps, worker, run, signal);
      if (OVER.has(recorded)) deps.onEnded(recorded, 1);
    } catch (error) {
      if (lease.id() !== worker) return; // with the lease it is somebody else's
      if (signal.aborted) {
        // The lease was renewed too late. Where nobody was there to take over it goes on, and the claim with it.
        isUncertain = true;
        return;
      }
      const isAway =
        isConnectionError(error) ||
        (error instanceof Problem && error.status >= 500) ||
        isSerializationFailure(error);
      try {
        if (error instanceof FilterWaits)
          await putBack(worker, claimed, waitAfter(claimed.tries + 1)!, claimed.tries + 1);
        else if (isAway) await putBack(worker, claimed, isSerializationFailure(error) ? LATE_MS : AWAY_MS);
        else {
          log.error({ err: error, run: claimed.id }, 'rule engine: run failed with an internal error');
          await giveUp(worker, { ...loaded, run: run?.run ?? loaded.run });
        }
      } catch (second) {
        log.error({ err: second, run: claimed.id }, 'rule engine: could not release run, retrying');
        await putBack(worker, claimed, LAST_TRY_MS).catch(() => {
          isUncertain = true;
        });
      }
    }
  };

  const dispatch = async (claimed: queue.Claimed[], worker: string): Promise<void> => {
    const signal = lease.signal();
    for (const one of claimed) active.set(one.id, one);
    const over = (id: string): void => {
      if (lease.id() === worker) active.delete(id);
      loop.wake();
    };
    try {
      for (const loaded of await load(db, claimed))
        void runOne(worker, loaded, signal).finally(() => over(loaded.claimed.id));
    } catch (error) {
      log.warn({ err: error, runs: claimed.length }, 'rule engine: could not load runs, releasing them');
      isUncertain = true;
      for (const { id } of claimed) over(id);
    }
  };

  /** Puts back what this worker has claimed and nobody works at. */
  const findLost = async (): Promise<void> => {
    const worker = lease.id();
    // What is lost meanwhile is looked for again.
    isUncertain = false;
    try {
      const lost = (await queue.claimedBy(db, worker)).filter((id) => !active.has(id));
      await queue.release(db, worker, lost, { waitMs: LATE_MS });
    } catch (error) {
      isUncertain = true;
      throw error;
    }
  };

  /** How much each may get, by what it has under way and by what is free in all. */
  const roomFor = (due: readonly string[]): { workspaceId: string; most: number }[] => {
    const held = Map.groupBy(active.values(), (one) => one.workspace_id);
    const free = CAPACITY - active.size;
    const ready = due.flatMap((workspaceId) => {
      const most = MAX_OF_WORKSPACE - (held.get(workspaceId)?.length ?? 0);
      return most > 0 ? [{ workspaceId, most }] : [];
    });
    const share = Math.max(1, Math.floor(free / Math.max(1, ready.length)));
    return ready
      .slice(0, free)
      .map(({ workspaceId, most }) => ({ workspaceId, most: Math.min(most, share) }));
  };

  const turn = async (): Promise<'idle' | 'busy' | 'more'> => {
    if (draining || !lease.isHeld()) return 'idle';
    if (isUncertain) await findLost();
    if (active.size >= CAPACITY) return 'idle';
    const found = await queue.workspacesDue(db, after, MAX_SPACES);
    const wrapped = found.length < MAX_SPACES;
    const looked = after;
    after = wrapped ? FIRST_UUID : found.at(-1)!.workspace_id;
    const room = roomFor(found.flatMap((one) => (one.due ? [one.workspace_id] : [])));
    const beyond = wrapped && looked === FIRST_UUID ? 'idle' : 'more';
    if (!room.length) return beyond;
    const worker = lease.id();
    try {
      const claimed = await queue.claim(db, worker, room);
      if (claimed === null) return 'busy';
      if (lease.id() !== worker || !claimed.length) return beyond;
      void dispatch(claimed, worker);
      return 'more';
    } catch (error) {
      isUncertain = true;
      throw error;
    }
  };

  const loop = createPollLoop({
    turn,
    gatherMs: GATHER_MS,
    onFault: (error, failures) => log.error({ err: error, failures }, 'rule engine: cycle failed, retrying'),
  });

  return {
    wake: loop.wake,
    active: () => active.size,
    start() {
      if (started) return;
      started = true;
      lease.start();
      loop.start();
    },
    async stop() {
      if (!started) return;
      draining = true;
      const giveUpAt = performance.now() + DRAIN_MS;
      while (active.size && lease.isHeld() && performance.now() < giveUpAt)
        await new Promise((resolve) => setTimeout(resolve, DRAIN_LOOK_MS));
      started = false;
      await loop.stop();
      // What is still under way is broken off, and put back with the lease.
      await lease
        .stop()
        .catch((error: unknown) =>
          log.warn({ err: error }, 'rule engine: could not release claims, they expire with their lease'),
        );
    },
  };
}
