/**
 * How the slots of a process are shared for rule runs: among persons, with a reserve for those that hold none
 * (fair-slots.ts), and evenly among the workspaces of each.
 */
import type { FairSlots } from '../../../platform/limits/fair-slots.ts';
import { divideMaxMin } from '../../../platform/limits/max-min.ts';

export interface WorkspaceShare {
  workspaceId: string;
  /** Maximum runs to claim. */
  limit: number;
}

export function countByWorkspace(active: Iterable<{ workspace_id: string }>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { workspace_id: id } of active) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/**
 * @param persons of the workspaces with due runs
 * @param active runs per workspace
 * @returns how many each may claim now, where any
 */
export function shareSlots(
  slots: FairSlots,
  persons: ReadonlyMap<string, string>,
  active: ReadonlyMap<string, number>,
): WorkspaceShare[] {
  const owned = Map.groupBy(persons.keys(), (workspaceId) => persons.get(workspaceId)!);
  const free = slots.free();
  const shares = slots.divide(new Map([...owned.keys()].map((person) => [person, free])));
  return [...shares].flatMap(([person, share]) => {
    const workspaces = owned.get(person)!;
    const parties = workspaces.map((id) => ({ held: active.get(id) ?? 0, wanted: share }));
    return divideMaxMin(share, parties).flatMap((limit, n) =>
      limit > 0 ? [{ workspaceId: workspaces[n]!, limit }] : [],
    );
  });
}
