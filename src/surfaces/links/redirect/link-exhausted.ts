/** Emits the update of a link that used up its `max_clicks`, in the transaction that granted the last click. */
import { presentLink } from '../records/link-present.ts';
import { lockLinks, readLinks } from '../records/link.store.ts';
import type { Exhaustion } from './budgets.ts';

export const createLinkExhausted = (baseUrl: string): Exhaustion => ({
  async lock(unit, workspaceId, linkId) {
    await lockLinks(unit.db, workspaceId, [linkId]);
  },
  async writeEvent(unit, workspaceId, linkId) {
    const [row] = await readLinks(unit.db, workspaceId, [linkId]);
    if (!row) return;
    const link = presentLink(row, baseUrl, unit.clock());
    // Archived or expired links do not change their state.
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
