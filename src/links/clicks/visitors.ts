/**
 * Distinct visitors: a click of a person is unique where it is its visitor's first on the link on a UTC day. Who was
 * there is remembered for as long as clicks of that day may still come; `unique_clicks` is the sum over days.
 */
import { DAY_MS } from '../../db/partitions.ts';
import type { Transaction } from '../../db/database.ts';
import { firstUuidAt } from '../../db/uuid-time.ts';
import type { LoadedClick } from './load-row.ts';
import { addVisits, type Visit } from './visitors.system-store.ts';

/** A key of `link_visitors`: 48 bits of the day, 16 of nothing, 64 of the visitor. */
function visitId(at: number, visitor: bigint): string {
  const day = firstUuidAt(new Date(at - (at % DAY_MS)));
  const hash = BigInt.asUintN(64, visitor).toString(16).padStart(16, '0');
  return `${day.slice(0, 19)}${hash.slice(0, 4)}-${hash.slice(4)}`;
}

/** Of the clicks those that are their visitor's first; bots have no visits. Each visitor counts once in `clicks` too. */
export async function uniqueClicks(
  tx: Transaction,
  clicks: readonly LoadedClick[],
): Promise<Set<LoadedClick>> {
  const firsts = new Map<string, { click: LoadedClick; visit: Visit }>();
  for (const click of clicks) {
    if (click.bot) continue;
    const { workspace_id, link_id } = click;
    const id = visitId(click.at, click.visitor);
    const key = `${workspace_id}${link_id}${id}`;
    if (!firsts.has(key)) firsts.set(key, { click, visit: { workspace_id, link_id, id } });
  }
  const added = await addVisits(
    tx,
    [...firsts.values()].map(({ visit }) => visit),
  );
  return new Set(
    added.map(({ workspace_id, link_id, id }) => firsts.get(`${workspace_id}${link_id}${id}`)!.click),
  );
}
