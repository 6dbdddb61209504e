/**
 * The call ledger: admits calls, renews the leases of those of this process, and completes them.
 *
 * Most calls of a process with a journal wait for no transaction (journaled-calls.ts). The others are admitted and completed in
 * the database. Completing never fails for the caller. Where the database is away, the result waits in bounded memory and is retried; if it
 * is dropped, or the process dies, the call ends as interrupted once its lease is over.
 */
import type { Registry } from 'prom-client';
import { createBatcher } from '../../../core/unit/batcher.ts';
import type { AppUnits } from '../../../core/unit/unit-of-work.ts';
import { type Database, isTransientError } from '../../../platform/db/database.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { createAdmissions } from './admission.ts';
import type { CallResult, Ledger, OpenCall } from '../contract/call-ledger.ts';
import type { CallJournal } from './call-journal.ts';
import { createCallSweeper } from './call-sweeper.ts';
import { completeCalls, completeOpenCalls } from './completion.ts';
import { createJournaledCalls } from './journaled-calls.ts';
import { createLedgerMetrics } from './ledger-metrics.ts';
import { RENEW_MS } from './lease-until.ts';
import { renewLeases } from './open-calls.system-store.ts';
import { createTypicalUse } from './typical-use.ts';

const MAX_TOGETHER = 100;
const RETRY_MS = 1_000;
/** Results that wait for the database. Of more, the oldest are dropped. */
const MAX_WAITING = 10_000;
/** Tries of a result that the database rejects. While it is away, tries don't count. */
const MAX_TRIES = 5;

export interface LedgerDeps {
  units: AppUnits;
  /** Database pool that does not queue behind requests. */
  control: Database;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  registry: Registry;
  /** Whether this process ends calls of dead processes. */
  inBackground: boolean;
  /** Records the calls of this process, so that they wait for no transaction. Without it, each waits for two. */
  journaled?: { journal: CallJournal; dataDir: string } | undefined;
  /** Overridden in tests. */
  maxWaiting?: number;
  retryMs?: number;
}

interface Waiting {
  call: OpenCall;
  result: CallResult;
  tries: number;
}

export function createCallLedger(deps: LedgerDeps): Ledger {
  const { units, control, log, maxWaiting = MAX_WAITING, retryMs = RETRY_MS } = deps;
  const typicalUse = createTypicalUse();
  const admissions = createAdmissions(units.forRequests);
  const completions = createBatcher<Pick<Waiting, 'call' | 'result'>, boolean>({
    units,
    max: MAX_TOGETHER,
    async statement(unit, items) {
      const { workspaceId } = items[0]!.call.actor;
      return (await completeOpenCalls(unit, workspaceId, items)) ? items.map(() => true) : null;
    },
    async work(unit, items) {
      const results = new Map(items.map(({ call, result }) => [call.id, result]));
      const done = new Set(await completeCalls(unit, items[0]!.call.actor.workspaceId, results));
      return items.map(({ call }) => done.has(call.id));
    },
  });
  /** Calls of this process that are not completed yet, whose leases it renews. */
  const open = new Map<string, OpenCall>();
  /** Results that could not be written yet, oldest first. */
  const waiting = new Map<string, Waiting>();
  const completing = new Set<string>();
  const metrics = createLedgerMetrics(deps.registry, {
    open: () => open.size,
    waiting: () => waiting.size,
  });
  const onInterrupted = (calls: number): void => metrics.completed('interrupted', calls);
  const journaled = deps.journaled
    ? createJournaledCalls({ units, control, log, onInterrupted, ...deps.journaled })
    : null;
  const sweeper = deps.inBackground ? createCallSweeper({ units, log, onInterrupted }) : null;
  let renewTimer: NodeJS.Timeout | undefined;
  let retryTimer: NodeJS.Timeout | undefined;
  let renewing: Promise<void> | null = null;
  let retrying: Promise<void> | null = null;
  let failures = 0;

  const forget = (id: string): void => {
    open.delete(id);
    waiting.delete(id);
    completing.delete(id);
  };

  const drop = ({ call }: Waiting, reason: string): void => {
    log.warn({ call: call.id, reason }, 'model calls: result dropped, the call ends as interrupted');
    forget(call.id);
  };

  const write = async (item: Waiting): Promise<void> => {
    const { call } = item;
    try {
      const isFirst = journaled?.has(call.id)
        ? await journaled.complete(call, item.result).then(() => true)
        : await completions.add(call.actor.workspaceId, item, () => {});
      if (isFirst) metrics.completed(item.result.outcome);
      // After an unknown commit, this is the call's own record. Else its lease was lost.
      if (!isFirst && item.tries === 0)
        log.warn({ call: call.id }, 'model calls: the lease was lost before the call ended');
      forget(call.id);
    } catch (error) {
      if (item.tries === 0) log.warn({ err: error }, 'model calls: could not record a result, retrying');
      item.tries += isTransientError(error) && item.tries > 0 ? 0 : 1;
      if (item.tries > MAX_TRIES) return drop(item, 'rejected by the database');
      waiting.set(call.id, item);
      const [oldest] = waiting.values();
      if (waiting.size > maxWaiting) drop(oldest!, 'too many results wait for the database');
    }
  };

  const retry = (): Promise<void> =>
    (retrying ??= Promise.all([...waiting.values()].map(write))
      .then(() => {})
      .finally(() => {
        retrying = null;
      }));

  const renew = (): Promise<void> =>
    (renewing ??= renewLeases(
      control,
      // Calls in the journal have no lease.
      [...open.values()]
        .filter(({ id }) => !journaled?.has(id))
        .map(({ id, actor: { workspaceId } }) => ({ workspaceId, id })),
    )
      .then(
        () => {
          failures = 0;
        },
        (error: unknown) => {
          if (failures++ === 0) log.warn({ err: error }, 'model calls: could not renew leases, retrying');
        },
      )
      .finally(() => {
        renewing = null;
      }));

  return {
    async admit(newCall) {
      const id = newCall.id ?? units.read.newUuid();
      const call = { ...newCall, id, typical: typicalUse.get(newCall) };
      const { workspaceId } = call.actor;
      const admitInDatabase = (): Promise<OpenCall> =>
        admissions
          .add(workspaceId, call, () => {})
          .catch(async (error: unknown) => {
            // Calls of this process that have ended and slices that it could do without may stand in the way.
            const isExceeded = error instanceof Problem && error.code === 'budget_exceeded';
            if (!isExceeded || !(await journaled?.settle(workspaceId))) throw error;
            return admissions.add(workspaceId, call, () => {});
          });
      const admitted = (await journaled?.admit(call)) ?? (await admitInDatabase());
      open.set(id, admitted);
      return admitted;
    },
    async complete(call, result) {
      if (!open.has(call.id) || completing.has(call.id)) return;
      completing.add(call.id);
      typicalUse.add(call, result);
      await write({ call, result, tries: 0 });
    },
    async settle(workspaceId) {
      await journaled?.settle(workspaceId);
    },
    budgetsChanged(workspaceId) {
      journaled?.budgetsChanged(workspaceId);
    },
    start() {
      journaled?.start();
      renewTimer = setInterval(() => {
        if (open.size) void renew();
      }, RENEW_MS);
      retryTimer = setInterval(() => {
        if (waiting.size) void retry();
      }, retryMs);
      sweeper?.start();
    },
    async stop() {
      clearInterval(renewTimer);
      clearInterval(retryTimer);
      await sweeper?.stop();
      await renewing;
      await retrying;
      if (waiting.size) await retry();
      await journaled?.stop();
    },
  };
}
