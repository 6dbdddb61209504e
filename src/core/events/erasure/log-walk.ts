/**
 * Redacts an erased contact in the event log. Rows stay, so that sequences have no gaps; an event about the contact
 * keeps only the ID of its object, and other events lose the values that identify it.
 *
 * Each window commits together with the progress, so an interrupted walk resumes. Redaction is idempotent: a window may
 * be repeated.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Units } from '../../unit/unit-of-work.ts';
import { toUuid } from '../../vocabulary/ids.ts';
import { getBounds } from '../event.store.ts';
import { getBucket } from '../../unit/event-writer.ts';
import { type Erasure, findErasedAmong, recordErasedEvents, saveProgress } from './erasure.store.ts';
import { UNSHARED } from '../../../platform/jobs/turn.ts';
import * as store from './log-walk.store.ts';
import { idsAlone, getPatterns, type PersonalData, getPersonalData } from './person.ts';
import { erasedObject, redactData } from './redact.ts';

/** Sequences of a transaction. */
const WINDOW = 2_000;
/** The sequencer takes milliseconds. */
const MAX_WAIT_MS = 20_000;
const LOOK_MS = 50;

/** Waits until all committed events of a workspace are sequenced. @throws Error after 20 seconds */
async function waitForLog(units: Units, workspaceId: string, signal?: AbortSignal): Promise<void> {
  const { db } = units.read;
  const bucket = getBucket(workspaceId);
  const newest = await store.newestWaiting(db, bucket, workspaceId);
  if (newest === null) return;
  const until = performance.now() + MAX_WAIT_MS;
  while (await store.waits(db, bucket, workspaceId, newest)) {
    signal?.throwIfAborted();
    if (performance.now() > until)
      throw new Error(`events of workspace ${workspaceId} are not sequenced yet`);
    await sleep(LOOK_MS);
  }
}

/** The event that a run of a rule was about. */
function getCause({ type, data }: store.LogRow): string | null {
  if (type !== 'rule.run' && type !== 'rule.failed') return null;
  const id = (data['object'] as { event_id?: unknown } | undefined)?.event_id;
  return typeof id === 'string' ? toUuid('event', id) : null;
}

/**
 * Redacts the rows that concern the contact.
 * @param rows in log order: events of a run follow the event that triggered it
 * @param about IDs of events about the contact; those found are added
 */
function redacted(
  rows: readonly store.LogRow[],
  about: Set<string>,
  { erasedAt }: Erasure,
  traces: PersonalData,
): { id: string; data: object }[] {
  const later = idsAlone(traces);
  return rows.flatMap((row) => {
    const cause = getCause(row);
    const data =
      cause !== null && about.has(cause)
        ? { object: erasedObject(row.data['object'] as Record<string, unknown>) }
        : redactData(row.data, row.created_at <= erasedAt ? traces : later);
    if (!data) return [];
    about.add(row.id);
    return [{ id: row.id, data }];
  });
}

/**
 * Walks from the position in the erasure's row to the current end of the log.
 * @returns whether it reached the end; false if the turn is over
 * @throws the reason of the turn's signal
 */
export async function walkLog(units: Units, erasure: Erasure, turn = UNSHARED): Promise<boolean> {
  const { workspaceId, erasureId } = erasure;
  const traces = getPersonalData(erasure);
  const patterns = getPatterns(traces);
  await waitForLog(units, workspaceId, turn.signal);
  const { last, expiredThrough } = await getBounds(units.read.db, workspaceId);
  for (let after = Math.max(erasure.walkedThrough, expiredThrough); after < last;) {
    turn.signal.throwIfAborted();
    const from = after;
    const through = Math.min(after + WINDOW, last);
    const isStillThere = await units.write(async ({ db }) => {
      // Runs first, because it locks the erasure: if the erasure is gone, for example with its workspace, no rows are
      // added that would never be removed.
      if (!(await saveProgress(db, workspaceId, erasureId, { walked_through: through }))) return false;
      const rows = await store.candidates(db, workspaceId, from, through, patterns);
      const about = await findErasedAmong(
        db,
        erasure,
        rows.flatMap((row) => getCause(row) ?? []),
      );
      const left = redacted(rows, about, erasure, traces);
      await recordErasedEvents(
        db,
        erasure,
        left.map(({ id }) => id),
      );
      await store.replaceData(db, workspaceId, left);
      return true;
    });
    if (!isStillThere) return true;
    after = through;
    if (await turn.isOver()) return false;
  }
  for (const row of await store.rejectedCandidates(units.read.db, workspaceId, patterns)) {
    const [left] = redacted([row], new Set(), erasure, traces);
    if (left) await store.replaceRejected(units.read.db, workspaceId, row.n, left.data);
  }
  return true;
}
