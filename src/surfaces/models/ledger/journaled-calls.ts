/**
 * Calls of this process that wait for no transaction: admitted from slices of budgets (slices.ts), recorded in a journal
 * (call-journal.ts), and loaded from there (call-loading.ts).
 */
import type { Units } from '../../../core/unit/unit-of-work.ts';
import type { Database } from '../../../platform/db/database.ts';
import { openJournal } from '../../../platform/journal/journals.system-store.ts';
import { createLoader } from '../../../platform/journal/loader.ts';
import { createOrphanRecovery } from '../../../platform/journal/orphan-recovery.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { type CallJournal, type CallRecord, callJournalsFolder, MODEL_CALLS } from './call-journal.ts';
import type { AdmittedCall, CallResult, OpenCall } from '../contract/call-ledger.ts';
import { type CallsLoaded, endCallsOf, loadCalls } from './call-loading.ts';
import { toCallRow } from './call-record.ts';
import { touchJournal } from './journaled-calls.system-store.ts';
import { createSlices } from './slices.ts';

const TICK_MS = 250;
const TOUCH_MS = 15_000;

export interface JournaledCalls {
  /** @returns null if the call has to be admitted by the database */
  admit(call: AdmittedCall): Promise<OpenCall | null>;
  /** Whether the call was admitted here. */
  has(id: string): boolean;
  /** Records how a call ended. @throws if it could not be recorded; it can be tried again */
  complete(call: OpenCall, result: CallResult): Promise<void>;
  /**
   * Writes this process's records to the database, and returns slices of a workspace.
   * @returns whether there were any
   */
  settle(workspaceId: string): Promise<boolean>;
  /** Has the next calls of a workspace look at its budgets again. */
  budgetsChanged(workspaceId: string): void;
  start(): void;
  stop(): Promise<void>;
}

export function createJournaledCalls(deps: {
  units: Units;
  control: Database;
  dataDir: string;
  journal: CallJournal;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  onInterrupted: (calls: number) => void;
}): JournaledCalls {
  const { units, control, dataDir, journal, log, onInterrupted } = deps;
  const slices = createSlices({ units, journalId: journal.id, log });
  const recovery = createOrphanRecovery({
    ...MODEL_CALLS,
    root: callJournalsFolder(dataDir),
    journal,
    db: units.read.db,
    log,
  });
  const loader = createLoader<CallRecord, CallsLoaded>({
    name: 'model call loader',
    db: units.read.db,
    log,
    sources: recovery.sources,
    load: (...batch) => loadCalls(units, ...batch),
    timeOf: ({ at }) => at,
    onLoaded({ dropped, rejected }) {
      if (dropped) log.warn({ calls: dropped }, 'model calls: ended after they were recorded as interrupted');
      if (rejected) log.error({ records: rejected }, 'model calls: the database rejected records');
    },
    async onFinished(source) {
      const interrupted = await endCallsOf(units, source.id);
      if (interrupted) {
        onInterrupted(interrupted);
        log.warn({ journal: source.id, calls: interrupted }, 'model calls: ended calls of a dead process');
      }
      await recovery.finished(source);
    },
  });
  /** IDs of calls that were admitted here and have not ended. */
  const open = new Set<string>();
  let isReady = false;
  let timer: NodeJS.Timeout | undefined;
  let touchedAt = performance.now();

  const append = (record: CallRecord): Promise<void> =>
    new Promise((resolve, reject) => {
      journal.append(JSON.stringify(record), (error) => (error ? reject(error) : resolve()));
    });

  const tick = (): void => {
    slices.tick();
    if (performance.now() - touchedAt < TOUCH_MS || (slices.isEmpty() && !open.size)) return;
    touchedAt = performance.now();
    void touchJournal(control, journal.id).catch((error: unknown) =>
      log.warn({ err: error }, 'model calls: could not show that this process is alive, retrying'),
    );
  };

  return {
    async admit(call) {
      if (!isReady || journal.state() !== 'ok') return null;
      const taken = slices.take(call);
      if (!taken) return null;
      const { actor, id, operation, model, route } = call;
      const { workspaceId } = actor;
      const at = units.read.clock().getTime();
      const { reservations, storesContent } = taken;
      try {
        await append({
          kind: 'opened',
          at,
          workspaceId,
          id,
          actor: actor.id,
          operation,
          model,
          route,
          reservations,
        });
      } catch (error) {
        slices.putBack(taken);
        log.warn({ err: error }, 'model calls: could not record a call in the journal, using the database');
        return null;
      }
      open.add(id);
      return { ...call, startedAt: performance.now(), storesContent };
    },
    has: (id) => open.has(id),
    async complete(call, result) {
      const { id, operation, route, actor } = call;
      const row = toCallRow({ id, operation, route, actor: actor.id, result });
      const at = units.read.clock().getTime();
      await append({ kind: 'ended', at, workspaceId: actor.workspaceId, row });
      open.delete(id);
    },
    async settle(workspaceId) {
      const isLoaded = journal.load().backlogBytes === 0;
      if (!isLoaded) await loader.drain();
      const hadSlices = await slices.giveBack(workspaceId);
      return hadSlices || !isLoaded;
    },
    budgetsChanged: slices.forget,
    start() {
      recovery.start();
      loader.start();
      timer = setInterval(tick, TICK_MS);
      // Slices need the journal's row, which identifies them after a crash.
      void openJournal(units.read.db, journal.id).then(
        () => {
          isReady = true;
        },
        (error: unknown) => log.warn({ err: error }, 'model calls: the journal is not used'),
      );
    },
    async stop() {
      isReady = false;
      clearInterval(timer);
      await loader.stop();
      try {
        await loader.drain();
        await slices.giveBack();
      } catch (error) {
        log.warn({ err: error }, 'model calls: the next start loads what is in the journal');
      }
      await recovery.stop();
      await journal.close();
    },
  };
}
