/** Deletes short links permanently and frees their addresses immediately. A job deletes their click data. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { assertMatches, type IfMatch } from '../../../platform/http/etag.ts';
import { notFound, type Problem } from '../../../platform/http/problem.ts';
import type { LinkDeps } from '../creation/link-deps.ts';
import { presentLink } from '../records/link-present.ts';
import type { LinkObject } from '../records/link.schema.ts';
import { lockLinks, type LinkRow } from '../records/link.store.ts';
import { deleteLinks } from '../creation/link-write.store.ts';
import { appendRouteChanges } from '../redirect/route-change.store.ts';

/** Deletes rows that the caller has locked. @param writeEvent builds the event's object from the deleted link */
async function removeLocked(
  unit: Unit,
  { baseUrl, linksDeleted }: Pick<LinkDeps, 'baseUrl' | 'linksDeleted'>,
  workspaceId: string,
  rows: readonly LinkRow[],
  writeEvent: (link: LinkObject) => object,
): Promise<Map<string, LinkObject>> {
  const now = unit.clock();
  const links = new Map(rows.map((row) => [row.id, presentLink(row, baseUrl, now)]));
  await deleteLinks(
    unit.db,
    workspaceId,
    rows.map(({ id }) => id),
  );
  await appendRouteChanges(
    unit.db,
    workspaceId,
    rows.map(({ domain, slug }) => ({ domain, slug })),
  );
  await unit.events.writeAll(
    unit,
    [...links.values()].map((link) => ({
      workspaceId,
      type: 'link.deleted',
      resourceId: link.id,
      object: writeEvent(link),
    })),
  );
  if (rows.length)
    await linksDeleted(
      unit,
      workspaceId,
      rows.map(({ id }) => id),
    );
  return links;
}

const wholeLink = (link: LinkObject): object => link;

/**
 * Deletes links by ID.
 * @param writeEvent builds the event's object from the deleted link; default: the whole link
 * @returns for each ID, in the same order, the deleted link or the problem
 */
export async function removeLinks(
  unit: Unit,
  deps: Pick<LinkDeps, 'baseUrl' | 'linksDeleted'>,
  workspaceId: string,
  ids: readonly string[],
  writeEvent = wholeLink,
): Promise<(LinkObject | Problem)[]> {
  const rows = await lockLinks(unit.db, workspaceId, ids);
  const links = await removeLocked(unit, deps, workspaceId, rows, writeEvent);
  return ids.map((id) => links.get(id) ?? notFound('link'));
}

/** Deletes one link. @throws Problem not_found, precondition_failed */
export async function removeLink(
  unit: Unit,
  deps: Pick<LinkDeps, 'baseUrl' | 'linksDeleted'>,
  workspaceId: string,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  const [row] = await lockLinks(unit.db, workspaceId, [id]);
  if (!row) throw notFound('link');
  assertMatches(ifMatch, row, 'link');
  await removeLocked(unit, deps, workspaceId, [row], wholeLink);
}
