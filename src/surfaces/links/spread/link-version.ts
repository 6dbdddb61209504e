/** Bumps the version of links that show data changed elsewhere, such as a tag or a contact. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { computeFingerprint } from '../records/link-fingerprint.ts';
import { presentLink } from '../records/link-present.ts';
import type { LinkObject } from '../records/link.schema.ts';
import { readLinks } from '../records/link.store.ts';
import { raiseVersions } from './link-version.store.ts';
import { toLinkValues } from '../records/link-values.ts';

/**
 * Updates version and fingerprint of links and writes their `link.updated` events.
 * @param ids links whose rows the caller has locked
 * @param before returns the previous values of a link; null: no events are written
 */
export async function bumpLinkVersions(
  unit: Unit,
  baseUrl: string,
  workspaceId: string,
  ids: readonly string[],
  before: ((link: LinkObject) => Partial<LinkObject>) | null,
  at: Date = unit.clock(),
): Promise<void> {
  const rows = await readLinks(unit.db, workspaceId, ids);
  const found = rows.map((row) => ({
    id: row.id,
    fingerprint: computeFingerprint(toLinkValues(row), {
      messageId: row.message_id,
      contactId: row.contact_id,
    }),
  }));
  await raiseVersions(unit.db, workspaceId, found, at);
  if (before === null) return;
  const links = rows.map((row) => presentLink({ ...row, updated_at: at }, baseUrl, at));
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
