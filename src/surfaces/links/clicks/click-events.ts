/**
 * `link.clicked`: made with the loading of the click, in its transaction, and only for workspaces where somebody wants
 * it: a flood of clicks that nobody asked about leaves nothing in the log.
 */
import type { Unit } from '../../../core/unit-of-work.ts';
import type { NewEvent } from '../../../core/events/event-writer.ts';
import type { InterestedWorkspaces } from '../../../core/events/wants.ts';
import { presentLink } from '../link-present.ts';
import type { LinkObject } from '../link.schema.ts';
import { readLinks } from '../link.store.ts';
import { presentClick } from './click-present.ts';
import type { LoadedClick } from './load-row.ts';
import type { ClickedLink } from './load.system-store.ts';

export interface ClickEventDeps {
  wantedBy: InterestedWorkspaces;
  /** Links of a workspace as the API shows them, by their ids of the database; those that are gone are left out. */
  describeLinks: (unit: Unit, workspaceId: string, linkIds: string[]) => Promise<Map<string, LinkObject>>;
}

export const describeLinks =
  (baseUrl: string): ClickEventDeps['describeLinks'] =>
  async (unit, workspaceId, linkIds) => {
    const rows = await readLinks(unit.db, workspaceId, linkIds);
    const now = unit.clock();
    return new Map(rows.map((row) => [row.id, presentLink(row, baseUrl, now)]));
  };

/** @param links of the clicks, by id */
export async function writeClickEvents(
  unit: Unit,
  deps: ClickEventDeps,
  clicks: readonly LoadedClick[],
  links: ReadonlyMap<string, ClickedLink>,
): Promise<void> {
  const ofWorkspace = Map.groupBy(clicks, (click) => click.workspace_id);
  const wanting = await deps.wantedBy(unit.db, [...ofWorkspace.keys()], 'link.clicked');
  for (const workspaceId of [...wanting].toSorted()) {
    const theirs = ofWorkspace.get(workspaceId)!;
    const described = await deps.describeLinks(unit, workspaceId, [
      ...new Set(theirs.map((click) => click.link_id)),
    ]);
    const events: NewEvent[] = [];
    for (const click of theirs) {
      const object = described.get(click.link_id);
      if (!object) continue;
      events.push({
        workspaceId,
        type: 'link.clicked',
        resourceId: object.id,
        object,
        also: { click: presentClick(click, links.get(click.link_id)!) },
      });
    }
    await unit.events.writeAll(unit, events);
  }
}
