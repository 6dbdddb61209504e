/**
 * Counts unique visitors: a click by a person is unique if it is the visitor's first on the link on a UTC day. Visitors
 * are remembered as long as clicks of that day may still arrive. `unique_clicks` is the sum over days.
 */
import { DAY_MS } from '../../../platform/db/partitions.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { firstUuidAt } from '../../../platform/db/uuid-time.ts';
import type { LoadedClick } from './load-row.ts';
import { addVisits, type Visit } from './visitors.system-store.ts';

/** ID prefix of the last requested day, cached because batches span one or two days. */
let lastDay: [day: number, text: string] = [-1, ''];

/** Builds the key of `link_visitors`: 48 bits for the day, 16 fixed bits, 64 bits for the visitor. */
function visitId(at: number, visitor: bigint): string {
  const day = at - (at % DAY_MS);
  if (lastDay[0] !== day) lastDay = [day, firstUuidAt(new Date(day)).slice(0, 19)];
  const hash = BigInt.asUintN(64, visitor).toString(16).padStart(16, '0');
  return `${lastDay[1]}${hash.slice(0, 4)}-${hash.slice(4)}`;
}

/** Returns the clicks that are their visitor's first, also within `clicks`. Clicks by bots are never unique. */
export async function uniqueClicks(tx: Tx, clicks: readonly LoadedClick[]): Promise<Set<LoadedClick>> {
  const firsts = new Map<string, LoadedClick>();
  const visits: Visit[] = [];
  for (const click of clicks) {
    if (click.bot) continue;
    const { workspace_id, link_id } = click;
    const id = visitId(click.at, click.visitor);
    const key = `${link_id}${id}`;
    if (firsts.has(key)) continue;
    firsts.set(key, click);
    visits.push({ workspace_id, link_id, id });
  }
  return new Set((await addVisits(tx, visits)).map((key) => firsts.get(key)!));
}
