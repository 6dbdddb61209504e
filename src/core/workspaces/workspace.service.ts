/** Operations on workspaces. A deleted workspace is inaccessible immediately; a job deletes its rows. */
import type { SessionActor, UserActor, WorkspaceActor } from '../auth/actor.ts';
import { raiseEpoch } from '../auth/epoch.ts';
import type { Role } from '../vocabulary/scopes.ts';
import { brokenConstraint } from '../../platform/db/database.ts';
import type { Unit, ReadUnit } from '../unit/unit-of-work.ts';
import { changedFields } from '../unit/event-writer.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../platform/http/etag.ts';
import { publicId } from '../vocabulary/ids.ts';
import { type List, toList, type Page } from '../../platform/http/pagination.ts';
import { invalid, notFound, Problem } from '../../platform/http/problem.ts';
import { getZone } from '../../platform/time/zone.ts';
import { ERASE_AFTER_SECONDS } from './erasure.ts';
import { addMember } from './membership.ts';
import { getRolePolicy } from './role-policy.ts';
import { assertSlugFree, insertWithSlug, slugTaken } from './workspace-slug.service.ts';
import type { CreateWorkspaceBody, UpdateWorkspaceBody, WorkspaceObject } from './workspace.schema.ts';
import * as store from './workspace.store.ts';
import * as system from './workspace.system-store.ts';

/** The row as the API shows it; `role` is the reader's, null for a key and in events. */
export const presentWorkspace = (row: store.WorkspaceRow, role: Role | null): WorkspaceObject => ({
  id: publicId('workspace', row.id),
  object: 'workspace',
  name: row.name,
  slug: row.slug,
  role,
  media_retention_days: row.media_retention_days,
  message_retention_days: row.message_retention_days,
  click_addresses: row.click_addresses,
  time_zone: row.time_zone,
  store_model_calls: row.store_model_calls,
  metadata: row.metadata as Record<string, string>,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

const getRole = (actor: WorkspaceActor): Role | null => (actor.kind === 'session' ? actor.role : null);

export async function listWorkspaces(
  unit: ReadUnit,
  actor: WorkspaceActor | UserActor,
  page: Page,
  filter: system.WorkspaceFilter,
): Promise<List<WorkspaceObject>> {
  if (actor.kind === 'api_key') {
    const row = await store.getWorkspace(unit.db, actor.workspaceId);
    const shown = row && !page.after && isWithin(row.created_at, filter) ? [row] : [];
    return toList(
      shown,
      page,
      ({ id }) => id,
      (only) => presentWorkspace(only, null),
    );
  }
  const rows = await system.listWorkspacesFor(unit.db, actor.userId, page, filter);
  return toList(
    rows,
    page,
    ({ id }) => id,
    (row) => presentWorkspace(row, row.role as Role),
  );
}

const isWithin = (time: Date, { createdAfter, createdBefore }: system.WorkspaceFilter): boolean =>
  (!createdAfter || time > new Date(createdAfter)) && (!createdBefore || time < new Date(createdBefore));

/**
 * Creates a workspace. The caller becomes its owner.
 *
 * @param limit how many workspaces one person may own; 0 for any number
 * @throws Problem slug_taken, quota_exceeded
 */
export async function createWorkspace(
  unit: Unit,
  maker: UserActor | SessionActor,
  body: CreateWorkspaceBody,
  limit: number,
): Promise<WithVersion<{ workspace: WorkspaceObject }> & { workspaceId: string }> {
  const owned = limit === 0 ? 0 : await system.countOwnedWorkspaces(unit.db, maker.userId);
  if (limit !== 0 && owned >= limit)
    throw new Problem('quota_exceeded', `You own ${owned} of ${limit} workspaces.`);
  const workspaceId = unit.newUuid();
  const row = await insertWithSlug(unit, workspaceId, body);
  const id = publicId('workspace', workspaceId);
  await unit.events.write(unit, {
    workspaceId,
    type: 'workspace.created',
    resourceId: id,
    object: presentWorkspace(row, null),
  });
  await addMember(unit, workspaceId, maker.userId, 'owner');
  return { workspace: presentWorkspace(row, 'owner'), version: row.version, workspaceId };
}

/** @throws Problem not_found for any workspace but the actor's own. */
function assertOwn(actor: WorkspaceActor, workspaceId: string): void {
  if (actor.workspaceId !== workspaceId) throw notFound('workspace');
}

export async function getWorkspace(
  unit: ReadUnit,
  actor: WorkspaceActor,
  workspaceId: string,
): Promise<WithVersion<{ workspace: WorkspaceObject }>> {
  assertOwn(actor, workspaceId);
  const row = await store.getWorkspace(unit.db, workspaceId);
  if (!row) throw notFound('workspace');
  return { workspace: presentWorkspace(row, getRole(actor)), version: row.version };
}

/** Notifies redirect processes whether click addresses are stored, in the transaction that changes it. */
export type ClickAddressesChanged = (unit: Unit, workspaceId: string) => Promise<void>;

/**
 * Returns the usual spelling of a time zone that this process and the database know: statements compute with it.
 * @throws Problem invalid_request
 */
async function readTimeZone(unit: Unit, name: string): Promise<string> {
  const known = getZone(name) && (await store.findTimeZone(unit.db, name));
  if (known) return known;
  throw invalid([
    {
      pointer: '/time_zone',
      code: 'invalid_time_zone',
      detail: 'must be an IANA name such as Europe/Berlin',
    },
  ]);
}

/** @throws Problem invalid_request, not_found, precondition_failed, slug_taken */
export async function updateWorkspace(
  unit: Unit,
  actor: WorkspaceActor,
  workspaceId: string,
  body: UpdateWorkspaceBody,
  ifMatch: IfMatch,
  clickAddressesChanged: ClickAddressesChanged,
): Promise<WithVersion<{ workspace: WorkspaceObject }>> {
  assertOwn(actor, workspaceId);
  const row = await store.lockWorkspace(unit.db, workspaceId);
  if (!row) throw notFound('workspace');
  assertMatches(ifMatch, row, 'workspace');
  const changes = {
    ...body,
    ...(body.name === undefined ? {} : { name: body.name.trim() }),
    ...(body.time_zone === undefined ? {} : { time_zone: await readTimeZone(unit, body.time_zone) }),
  };
  const before = presentWorkspace(row, null);
  if (!Object.keys(changedFields({ ...before, ...changes }, before)).length)
    return { workspace: presentWorkspace(row, getRole(actor)), version: row.version };
  if (changes.slug !== undefined && changes.slug !== row.slug) await assertSlugFree(unit, changes.slug);
  const updated = await store
    .updateWorkspace(unit.db, workspaceId, changes, unit.clock())
    .catch((error: unknown) => {
      if (brokenConstraint(error) !== 'workspaces_slug_key') throw error;
      throw slugTaken(changes.slug!);
    });
  if (updated.click_addresses !== row.click_addresses) await clickAddressesChanged(unit, workspaceId);
  const after = presentWorkspace(updated, null);
  await unit.events.write(unit, {
    workspaceId,
    type: 'workspace.updated',
    resourceId: after.id,
    object: after,
    previous: changedFields(before, after),
  });
  await raiseEpoch(unit);
  return { workspace: presentWorkspace(updated, getRole(actor)), version: updated.version };
}

/** Further cleanup, in the same transaction. */
export type WorkspaceDeleted = (unit: Unit, workspaceId: string) => Promise<void>;

/**
 * Deletes the workspace for everyone, and frees its slug; `workspaces.erase` deletes its data.
 * @throws Problem session_required for a key, owner_required, not_found, precondition_failed, confirmation_mismatch
 */
export async function deleteWorkspace(
  unit: Unit,
  actor: WorkspaceActor,
  workspaceId: string,
  confirmation: string,
  ifMatch: IfMatch,
  workspaceDeleted: WorkspaceDeleted,
): Promise<void> {
  if (actor.kind === 'api_key')
    throw new Problem('session_required', 'Only a signed-in owner can delete a workspace.');
  assertOwn(actor, workspaceId);
  const row = await store.lockWorkspace(unit.db, workspaceId);
  if (!row) throw notFound('workspace');
  const power = await getRolePolicy(unit, actor);
  if (power.kind !== 'role' || power.role !== 'owner')
    throw new Problem('owner_required', 'Only an owner can delete the workspace.');
  assertMatches(ifMatch, row, 'workspace');
  if (confirmation !== row.slug)
    throw new Problem('confirmation_mismatch', `To delete this workspace, send ?slug=${row.slug}.`);
  const now = unit.clock();
  await store.markDeleted(unit.db, workspaceId, now);
  await workspaceDeleted(unit, workspaceId);
  const object = { ...presentWorkspace(row, null), updated_at: now.toISOString() };
  await unit.events.write(unit, { workspaceId, type: 'workspace.deleted', resourceId: object.id, object });
  await unit.jobs.enqueue(
    unit.db,
    'workspaces.erase',
    { workspaceId },
    { afterSeconds: ERASE_AFTER_SECONDS },
  );
  await raiseEpoch(unit);
}
