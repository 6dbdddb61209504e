/** Links that show something else because of a change elsewhere, as of a tag or a contact: a new version, and an event. */
import type { Unit } from '../db/unit.ts';
import { presentLink } from './link-present.ts';
import type { LinkObject } from './link.schema.ts';
import { readLinks } from './link.store.ts';
import { raiseVersions } from './link-touch.store.ts';

/**
 * @param ids links whose rows are locked
 * @param before what of a link, as it is now, was another; null: nobody is told
 */
export async function touchLinks(
  unit: Unit,
  baseUrl: string,
  workspaceId: string,
  ids: readonly string[],
  before: ((link: LinkObject) => Partial<LinkObject>) | null,
  at: Date = unit.clock(),
): Promise<void> {
  await raiseVersions(unit.db, workspaceId, ids, at);
  if (before === null) return;
  const links = (await readLinks(unit.db, workspaceId, ids)).map((row) => presentLink(row, baseUrl, at));
  await unit.events.writeAll(
    unit,
    links.map((link) => ({
      workspaceId,
      type: 'link.updated',
      resourceId: link.id,
      object: link,
      previous: before(link),
    })),
  );
}
