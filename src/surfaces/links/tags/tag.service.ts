/**
 * Creates, reads, updates and deletes tags. Links refer to tags by ID, so a new name or a deletion shows on links
 * immediately. A job then bumps the versions of these links and writes their events (tag-spread.ts).
 */
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../../platform/http/etag.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { type List, toList, type Page } from '../../../platform/http/pagination.ts';
import { notFound, Problem } from '../../../platform/http/problem.ts';
import type { TagColor } from './tag-colors.ts';
import { colorFor, normalizeTagName } from './tag-names.ts';
import type { CreateTagBody, TagObject, UpdateTagBody } from './tag.schema.ts';
import * as store from './tag.store.ts';

const presentTag = (row: store.TagRow): TagObject => ({
  id: publicId('tag', row.id),
  object: 'tag',
  name: row.name,
  color: row.color as TagColor,
  link_count: row.link_count,
  metadata: row.metadata as Record<string, string>,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

const nameTaken = (name: string): Problem =>
  new Problem('conflict', `There is already a tag ${JSON.stringify(name)}.`, {
    errors: [{ pointer: '/name', code: 'taken', detail: 'is already used by another tag' }],
  });

export async function listTags(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  filter: store.TagFilter,
): Promise<List<TagObject>> {
  const { rows, windowEnd } = await store.listTags(unit.db, workspaceId, page, filter);
  return toList(rows, page, ({ id }) => id, presentTag, windowEnd);
}

/** Gets a tag. @throws Problem not_found */
export async function getTag(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ tag: TagObject }>> {
  const row = await store.getTag(unit.db, workspaceId, id);
  if (!row) throw notFound('tag');
  return { tag: presentTag(row), version: row.version };
}

/** Creates a tag. @throws Problem conflict if the name is taken */
export async function createTag(
  unit: Unit,
  actor: WorkspaceActor,
  body: CreateTagBody,
): Promise<WithVersion<{ tag: TagObject }>> {
  const name = normalizeTagName(body.name);
  const id = unit.newUuid();
  const row = {
    id,
    name,
    color: body.color ?? colorFor(name),
    metadata: body.metadata ?? {},
    created_by: actor.id,
    // The time in the ID, because lists filter by ID.
    created_at: timeOfUuid(id),
  };
  const made = await store.insertTags(unit.db, actor.workspaceId, [row]);
  if (!made.length) throw nameTaken(name);
  return getTag(unit, actor.workspaceId, row.id);
}

/** Updates a tag. @throws Problem not_found, precondition_failed, conflict if the name is taken */
export async function updateTag(
  unit: Unit,
  actor: WorkspaceActor,
  id: string,
  body: UpdateTagBody,
  ifMatch: IfMatch,
): Promise<WithVersion<{ tag: TagObject }>> {
  const { workspaceId } = actor;
  const row = await store.lockTag(unit.db, workspaceId, id);
  if (!row) throw notFound('tag');
  assertMatches(ifMatch, row, 'tag');
  const name = body.name === undefined ? row.name : normalizeTagName(body.name);
  const now = unit.clock();
  const changes = {
    name,
    color: body.color ?? row.color,
    metadata: body.metadata ?? (row.metadata as object),
  };
  if (!(await store.updateTag(unit.db, workspaceId, id, changes, now))) throw nameTaken(name);
  if (name !== row.name)
    await unit.jobs.enqueue(unit.db, 'tags.spread', {
      workspaceId,
      tagId: id,
      before: row.name,
      after: name,
      at: now.toISOString(),
    });
  return getTag(unit, workspaceId, id);
}

/** Deletes a tag and removes it from all links. @throws Problem not_found, precondition_failed */
export async function deleteTag(
  unit: Unit,
  actor: WorkspaceActor,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  const { workspaceId } = actor;
  const row = await store.lockTag(unit.db, workspaceId, id);
  if (!row) throw notFound('tag');
  assertMatches(ifMatch, row, 'tag');
  await store.deleteTag(unit.db, workspaceId, id);
  await unit.jobs.enqueue(unit.db, 'tags.spread', {
    workspaceId,
    tagId: id,
    before: row.name,
    after: null,
    at: unit.clock().toISOString(),
  });
}
