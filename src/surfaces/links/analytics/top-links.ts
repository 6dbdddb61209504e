/**
 * The links with the most clicks in a range, among any number of links. A link's clicks of all time bound those of any
 * range from above, and an index has them in order: so links are compared from the top down, until the last of those
 * that are shown has more than the next one can have. Where many links are clicked alike that proves nothing; then
 * the 2,000 of ROUNDS are compared, and the answer says that it may not be complete.
 */
import type { Db } from '../../../platform/db/database.ts';
import { type NumberedSegment, sumScopes } from './analytics.store.ts';
import { type RankedLink, rankedLinks } from './analytics-scope.store.ts';
import type { Sums } from './raw-clicks.store.ts';

/** How many are compared at once, one after the other. */
const ROUNDS = [100, 400, 1_500];

export interface LinkSum extends Sums {
  id: string;
}

export interface TopLinks {
  links: LinkSum[];
  isComplete: boolean;
}

const byClicks = (a: LinkSum, b: LinkSum): number => b.clicks - a.clicks || (a.id < b.id ? 1 : -1);

/** Those of `ids` that were clicked by people, most first. */
export async function topOf(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  segments: readonly NumberedSegment[],
): Promise<LinkSum[]> {
  const sums = await sumScopes(db, workspaceId, ids, segments);
  return [...sums]
    .map(([id, sum]) => ({ id, ...sum }))
    .filter(({ clicks }) => clicks > 0)
    .toSorted(byClicks);
}

export async function topLinks(
  db: Db,
  workspaceId: string,
  segments: readonly NumberedSegment[],
  { since, domain, limit }: { since: Date; domain: string | null; limit: number },
): Promise<TopLinks> {
  let best: LinkSum[] = [];
  let after: RankedLink | null = null;
  for (const size of ROUNDS) {
    const ranked = await rankedLinks(db, workspaceId, { after, since, domain, limit: size });
    const ids = ranked.filter(({ fits }) => fits).map(({ id }) => id);
    if (ids.length)
      best = [...best, ...(await topOf(db, workspaceId, ids, segments))].toSorted(byClicks).slice(0, limit);
    after = ranked.at(-1) ?? after;
    const isLast = ranked.length < size;
    if (isLast || (best.length === limit && best.at(-1)!.clicks >= after!.clicks))
      return { links: best, isComplete: true };
  }
  return { links: best, isComplete: false };
}
