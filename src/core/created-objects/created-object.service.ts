/**
 * Lists and disables the objects that a key or member created. Objects belong to the workspace and stay when their
 * creator ends, unless the caller, or the key itself, asks to disable them. The objects of a key include those of the
 * keys that it created.
 */
import type { WorkspaceActor } from '../auth/actor.ts';
import { mayDo } from '../vocabulary/scopes.ts';
import type { Unit, ReadUnit, Units } from '../unit/unit-of-work.ts';
import { publicId } from '../vocabulary/ids.ts';
import { type List, toList, getPage } from '../../platform/http/pagination.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { JobPayloads } from '../../platform/jobs/job-queue.ts';
import { performInTurn, UNSHARED } from '../../platform/jobs/turn.ts';
import type { CreatedKind, EndReason } from './created-kind.ts';
import type { CreatedObjectEntry, CreatedObjectQuery } from './created-object.schema.ts';
import * as store from './created-object.store.ts';

/** Objects that one transaction disables. The rest follow by the job. */
const MAX_IN_CALL = 1_000;
/** Entries in the response of the call that ends a creator. */
const MAX_SHOWN = 100;
const BATCH = 100;
/** A call that began before its key or member ended may commit within a second after it. */
const COMMITS_WITHIN_SECONDS = 5;

/** A key or member that ends. */
export interface Ending {
  workspaceId: string;
  /** Public ID. */
  createdBy: string;
  reason: EndReason;
}

const present = ({ type, id, created_at, ...row }: store.CreatedRow): CreatedObjectEntry => ({
  object: 'created_object',
  id: publicId(type, id),
  type,
  name: row.name,
  enabled: row.enabled,
  created_by: row.created_by,
  created_at: created_at.toISOString(),
});

const readableBy = (kinds: readonly CreatedKind[], actor: WorkspaceActor): CreatedKind[] =>
  kinds.filter(({ scopes }) => mayDo(actor.scopes, scopes.read));

/** Returns a creator with all keys that it created, that those created, and so on. */
async function withCreatedKeys(unit: ReadUnit, workspaceId: string, createdBy: string): Promise<string[]> {
  const creators = new Set([createdBy]);
  for (let latest = [createdBy]; latest.length > 0;) {
    const keys = await store.keysCreatedBy(unit.db, workspaceId, latest);
    latest = keys.map((id) => publicId('api_key', id)).filter((id) => !creators.has(id));
    for (const id of latest) creators.add(id);
  }
  return [...creators];
}

const toDate = (time: string | undefined): Date | undefined =>
  time === undefined ? undefined : new Date(time);

/**
 * Lists the objects that a key or person created, of the kinds that the actor may read.
 * @param createdBy public ID
 */
export async function listCreatedObjects(
  unit: ReadUnit,
  kinds: readonly CreatedKind[],
  actor: WorkspaceActor,
  createdBy: string,
  query: CreatedObjectQuery,
): Promise<List<CreatedObjectEntry>> {
  const { workspaceId } = actor;
  const page = getPage(query);
  const creators = await withCreatedKeys(unit, workspaceId, createdBy);
  const rows = await store.listCreatedBy(unit.db, workspaceId, readableBy(kinds, actor), creators, page, {
    enabled: query.enabled,
    createdAfter: toDate(query.created_after),
    createdBefore: toDate(query.created_before),
  });
  return toList(rows, page, ({ id }) => id, present);
}

/** @throws Problem insufficient_scope, escalation */
async function assertMayDisable(
  unit: Unit,
  actor: WorkspaceActor,
  kinds: readonly CreatedKind[],
  rows: readonly store.CreatedRow[],
): Promise<void> {
  const types = new Set(rows.map(({ type }) => type));
  const disabled = kinds.filter(({ type }) => types.has(type));
  const needed = new Set(disabled.map(({ scopes }) => scopes.write));
  const lacking = [...needed].filter((scope) => !mayDo(actor.scopes, scope));
  if (lacking.length)
    throw new Problem(
      'insufficient_scope',
      `Disabling the created objects also requires ${lacking.join(', ')}.`,
    );
  for (const { type, assertMayDisable: assertMore } of disabled)
    await assertMore?.(
      unit,
      actor,
      rows.filter((row) => row.type === type).map(({ id }) => id),
    );
}

async function disableRows(
  unit: Unit,
  kinds: readonly CreatedKind[],
  { workspaceId, reason }: Ending,
  rows: readonly store.CreatedRow[],
): Promise<void> {
  for (const { type, id } of rows)
    await kinds.find((kind) => kind.type === type)!.disable(unit, workspaceId, id, reason);
}

/** Enqueues a job that disables the remaining objects, in the transaction in which the creator ends. */
export const disableLater = (unit: Unit, { workspaceId, createdBy, reason }: Ending): Promise<void> =>
  unit.jobs.enqueue(
    unit.db,
    'created-objects.disable',
    {
      workspaceId,
      createdBy,
      reason,
      createdBefore: new Date(unit.clock().getTime() + COMMITS_WITHIN_SECONDS * 1_000).toISOString(),
    },
    { afterSeconds: COMMITS_WITHIN_SECONDS },
  );

/**
 * What to do with the objects of a creator that ends: `disable` requires the actor's own scopes, `disable_anyway` does
 * not.
 */
export type Fate = 'keep' | 'disable' | 'disable_anyway';

/**
 * Disables the creator's objects, or keeps them, in the transaction in which the creator ends.
 * @returns the objects that were enabled, of the kinds that the actor may read: `enabled` is their new state
 * @throws Problem insufficient_scope, escalation
 */
export async function endCreatedObjects(
  unit: Unit,
  kinds: readonly CreatedKind[],
  actor: WorkspaceActor,
  ending: Ending,
  fate: Fate,
): Promise<List<CreatedObjectEntry>> {
  const { workspaceId, createdBy } = ending;
  const creators = await withCreatedKeys(unit, workspaceId, createdBy);
  const page = { limit: MAX_SHOWN, after: null };
  const filter = { enabled: true };
  const shown = await store.listCreatedBy(
    unit.db,
    workspaceId,
    readableBy(kinds, actor),
    creators,
    page,
    filter,
  );
  const isKept = fate === 'keep';
  if (!isKept) {
    const rows = await store.listCreatedBy(
      unit.db,
      workspaceId,
      kinds,
      creators,
      { limit: MAX_IN_CALL, after: null },
      filter,
    );
    if (fate === 'disable') await assertMayDisable(unit, actor, kinds, rows);
    await disableRows(unit, kinds, ending, rows.slice(0, MAX_IN_CALL));
    await disableLater(unit, ending);
  }
  return toList(
    shown,
    page,
    ({ id }) => id,
    (row) => ({ ...present(row), enabled: isKept }),
  );
}

/** Returns the IDs of the objects that the call disabled, for the audit log. */
export const disabledIds = ({ data }: List<CreatedObjectEntry>): string[] =>
  data.filter(({ enabled }) => !enabled).map(({ id }) => id);

/**
 * Executes the job: disables the objects of a creator that has ended, one batch per transaction. May run twice.
 *
 * The creator may return (a person who joins again), so later objects stay. A key that it created works until this job
 * ends it, so everything by such a key counts, and the job follows once more for calls under way.
 */
export async function performDisable(
  units: Units,
  kinds: readonly CreatedKind[],
  payload: JobPayloads['created-objects.disable'],
  turn = UNSHARED,
): Promise<typeof payload | void> {
  const { createdBefore, ...ending } = payload;
  const before = { creator: ending.createdBy, time: new Date(createdBefore) };
  let follows = false;
  let after: string | null = null;
  const disableBatch = async (): Promise<boolean> => {
    const page = { limit: BATCH, after };
    const rows = await units.write(async (unit) => {
      const creators = await withCreatedKeys(unit, ending.workspaceId, ending.createdBy);
      const filter = { enabled: true, before };
      const found = await store.listCreatedBy(unit.db, ending.workspaceId, kinds, creators, page, filter);
      await disableRows(unit, kinds, ending, found);
      if (!follows && found.some(({ type }) => type === 'api_key'))
        await unit.jobs.enqueue(unit.db, 'created-objects.disable', payload, {
          afterSeconds: COMMITS_WITHIN_SECONDS,
        });
      return found;
    });
    follows ||= rows.some(({ type }) => type === 'api_key');
    after = rows.at(-1)?.id ?? null;
    return rows.length > BATCH;
  };
  // Disabled objects are no longer found, so the next turn continues after them.
  if (!(await performInTurn(turn, disableBatch))) return payload;
}
