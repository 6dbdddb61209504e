/** Tells that a link with `max_clicks` has sent on as many as it may, in the transaction that granted the last one. */
import { presentLink } from './link-present.ts';
import { lockLinks, readLinks } from './link.store.ts';
import type { Exhaustion } from './redirect/budgets.ts';

export const createLinkExhausted = (baseUrl: string): Exhaustion => ({
  async lock(unit, workspaceId, linkId) {
    await lockLinks(unit.db, workspaceId, [linkId]);
  },
  async writeEvent(unit, workspaceId, linkId) {
    const [row] = await readLinks(unit.db, workspaceId, [linkId]);
    if (!row) return;
    const link = presentLink(row, baseUrl, unit.clock());
    // One that was archived meanwhile, or has expired, shows that, as before.
    if (link.state !== 'exhausted') return;
    await unit.events.write(unit, {
      workspaceId,
      type: 'link.updated',
      resourceId: link.id,
      object: link,
      previous: { state: 'active' },
    });
  },
});
