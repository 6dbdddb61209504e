/**
 * Writes `link.clicked` events in the transaction that loads the clicks, only for workspaces with a subscriber: a flood
 * of clicks without a subscriber adds nothing to the event log.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import type { NewEvent } from '../../../core/unit/event-writer.ts';
import type { InterestedWorkspaces } from '../../../core/events/wants.ts';
import { presentLink } from '../records/link-present.ts';
import type { LinkObject } from '../records/link.schema.ts';
import { readLinks } from '../records/link.store.ts';
import { presentClick } from './click-present.ts';
import type { LoadedClick } from './load-row.ts';
import type { ClickedLink } from './load.system-store.ts';

export interface ClickEventDeps {
  interestedWorkspaces: InterestedWorkspaces;
  /** Returns API representations of a workspace's links by database ID, without deleted ones. */
  describeLinks: (unit: Unit, workspaceId: string, linkIds: string[]) => Promise<Map<string, LinkObject>>;
}

export const describeLinks =
  (baseUrl: string): ClickEventDeps['describeLinks'] =>
  async (unit, workspaceId, linkIds) => {
    const rows = await readLinks(unit.db, workspaceId, linkIds);
    const now = unit.clock();
    return new Map(rows.map((row) => [row.id, presentLink(row, baseUrl, now)]));
  };

/** Writes the events of clicks. @param links of the clicks, by ID; @param spans traceparents of clicks in a trace */
export async function writeClickEvents(
  unit: Unit,
  deps: ClickEventDeps,
  clicks: readonly LoadedClick[],
  links: ReadonlyMap<string, ClickedLink>,
  spans: ReadonlyMap<LoadedClick, string>,
): Promise<void> {
  const byWorkspace = Map.groupBy(clicks, (click) => click.workspace_id);
  const interested = await deps.interestedWorkspaces(unit.db, [...byWorkspace.keys()], 'link.clicked');
  for (const workspaceId of [...interested].toSorted()) {
    const ownClicks = byWorkspace.get(workspaceId)!;
    const described = await deps.describeLinks(unit, workspaceId, [
      ...new Set(ownClicks.map((click) => click.link_id)),
    ]);
    const events: NewEvent[] = [];
    for (const click of ownClicks) {
      const object = described.get(click.link_id);
      if (!object) continue;
      events.push({
        workspaceId,
        type: 'link.clicked',
        resourceId: object.id,
        object,
        also: { click: presentClick(click, links.get(click.link_id)!) },
        // Never the batch: it has clicks of several workspaces, whose receivers would see one trace.
        traceparent: spans.get(click) ?? null,
      });
    }
    await unit.events.writeAll(unit, events);
  }
}
