/**
 * Loads model calls from journals: rows, totals, budgets, events and the journal's position in one transaction that locks
 * the journal's row. A call is therefore counted everywhere or nowhere, and once, after any crash.
 *
 * A call whose end is not in the same batch is in `model_open_calls` until it is loaded. Those that a dead process left
 * there end as interrupted once its journal is loaded, and what is left of its slices goes back to the budgets.
 */
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import { type JournalPosition, lockJournal } from '../../../platform/journal/journals.system-store.ts';
import { loadEach, loadOnce } from '../../../platform/journal/load-once.ts';
import type { CallRecord, EndedRecord, OpenedRecord } from './call-journal.ts';
import { completeCalls, type Ended, recordEnded } from './completion.ts';
import { closeCalls, insertOpenCalls } from './completion.store.ts';
import * as store from './journaled-calls.system-store.ts';

export interface CallsLoaded {
  /** Ends of calls that were recorded as interrupted in the meantime, or whose workspace is gone. */
  dropped: number;
  /** Records that the database rejected, which indicates a bug. */
  rejected: number;
}

function groupByWorkspace(records: readonly CallRecord[]): [string, CallRecord[]][] {
  const groups = new Map<string, CallRecord[]>();
  for (const record of records) {
    const group = groups.get(record.workspaceId);
    if (group) group.push(record);
    else groups.set(record.workspaceId, [record]);
  }
  // The order in which budgets are locked.
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** @returns how many ends were dropped */
async function loadWorkspace(
  unit: Unit,
  journalId: string,
  workspaceId: string,
  records: readonly CallRecord[],
): Promise<number> {
  const opened = new Map<string, OpenedRecord>();
  const ends = new Map<string, EndedRecord>();
  for (const record of records)
    if (record.kind === 'opened') opened.set(record.id, record);
    else ends.set(record.row.id, record);
  const before = [...ends.keys()].filter((id) => !opened.has(id));
  const closed = before.length ? await closeCalls(unit.db, workspaceId, before) : [];
  const reserved = new Map(closed.map(({ id, reservations }) => [id, reservations]));
  const ended: Ended[] = [];
  for (const [id, { row }] of ends) {
    const reservations = opened.get(id)?.reservations ?? reserved.get(id);
    if (reservations) ended.push({ row, reservations, journalId });
  }
  const open = [...opened.values()].filter(({ id }) => !ends.has(id));
  await insertOpenCalls(unit.db, workspaceId, journalId, open);
  if (ended.length) await recordEnded(unit, workspaceId, ended);
  return ends.size - ended.length;
}

async function loadAll(
  unit: Unit,
  journalId: string,
  groups: readonly [string, CallRecord[]][],
): Promise<CallsLoaded> {
  const existing = await store.findWorkspaces(
    unit.db,
    groups.map(([id]) => id),
  );
  let dropped = 0;
  for (const [workspaceId, records] of groups)
    dropped += existing.has(workspaceId)
      ? await loadWorkspace(unit, journalId, workspaceId, records)
      : records.filter(({ kind }) => kind === 'ended').length;
  return { dropped, rejected: 0 };
}

/** Loads records one by one and skips those that the database rejects. */
async function loadIndividually(
  unit: Unit,
  journalId: string,
  records: readonly CallRecord[],
): Promise<CallsLoaded> {
  let dropped = 0;
  const rejected = await loadEach(unit, records, async (record) => {
    dropped += (await loadAll(unit, journalId, [[record.workspaceId, [record]]])).dropped;
  });
  return { dropped, rejected };
}

/** Loads the records of a journal between `from` and `to`. @returns 'elsewhere' as `loadOnce` */
export const loadCalls = (
  { write }: Units,
  journalId: string,
  from: JournalPosition,
  to: JournalPosition,
  records: readonly CallRecord[],
): Promise<CallsLoaded | 'elsewhere'> =>
  loadOnce({
    write,
    journalId,
    from,
    to,
    all: (unit) => loadAll(unit, journalId, groupByWorkspace(records)),
    each: (unit) => loadIndividually(unit, journalId, records),
  });

/**
 * Ends the open calls of a dead process as interrupted and returns its slices. Its journal is loaded, or unreachable.
 * Can be repeated.
 * @returns the number of calls that were interrupted
 */
export const endCallsOf = (units: Units, journalId: string): Promise<number> =>
  units.write(async (unit) => {
    if ((await lockJournal(unit.db, journalId)) === null) return 0;
    let interrupted = 0;
    for (const [workspaceId, ids] of await store.findCallsOf(unit.db, journalId)) {
      const ended = await completeCalls(unit, workspaceId, new Map(ids.map((id) => [id, null])));
      interrupted += ended.length;
    }
    await store.giveBackAll(unit.db, journalId);
    return interrupted;
  });

/**
 * Does the same for processes whose journals have not been active for an hour.
 * @returns interrupted calls
 */
export async function endAbandoned(units: Units): Promise<number> {
  let interrupted = 0;
  for (const journalId of await store.findAbandoned(units.read.db))
    interrupted += await endCallsOf(units, journalId);
  return interrupted;
}
