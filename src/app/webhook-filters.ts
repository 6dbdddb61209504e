/** Looks up what the filters of webhooks name, on the surfaces that have it. */
import type { FindFilterTargets } from '../core/webhooks/webhook-filters.ts';
import { toUuid } from '../platform/http/ids.ts';
import { getLink } from '../surfaces/links/link.store.ts';
import { findTagsByName } from '../surfaces/links/tags/tag.store.ts';
import { instancesById } from '../surfaces/messaging/messages/accept.store.ts';

export const findFilterTargets: FindFilterTargets = {
  async instance_id(db, workspaceId, id) {
    const uuid = toUuid('instance', id);
    return uuid !== null && (await instancesById(db, workspaceId, [uuid])).has(uuid);
  },
  async link_id(db, workspaceId, id) {
    const uuid = toUuid('link', id);
    return uuid !== null && (await getLink(db, workspaceId, uuid)) !== undefined;
  },
  // Filters compare names exactly, so another spelling would let nothing pass.
  tag: async (db, workspaceId, name) =>
    (await findTagsByName(db, workspaceId, [name])).get(name)?.name === name,
};
