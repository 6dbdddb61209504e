/**
 * Finds the links with the most clicks in a range, among any number of links. The clicks of a link in a range cannot
 * exceed its clicks of all time, by which an index is sorted. Links are therefore compared in this order until the last
 * link of the result has more clicks than any further link can have. If too many links have similar clicks, only the
 * first 2,000 (ROUNDS) are compared, and the result is marked as possibly incomplete.
 */
import type { Db } from '../../../platform/db/database.ts';
import { type NumberedSegment, sumScopes } from './analytics.store.ts';
import { type RankedLink, rankedLinks } from './analytics-scope.store.ts';
import type { Sums } from './raw-clicks.store.ts';

/** Numbers of links that are compared in each round. */
const ROUNDS = [100, 400, 1_500];

export interface LinkSum extends Sums {
  id: string;
}

export interface TopLinks {
  links: LinkSum[];
  isComplete: boolean;
}

const byClicks = (a: LinkSum, b: LinkSum): number => b.clicks - a.clicks || (a.id < b.id ? 1 : -1);

/** Returns the links that were clicked by people, highest first. */
export async function rankByClicks(
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
      best = [...best, ...(await rankByClicks(db, workspaceId, ids, segments))]
        .toSorted(byClicks)
        .slice(0, limit);
    after = ranked.at(-1) ?? after;
    const isLast = ranked.length < size;
    if (isLast || (best.length === limit && best.at(-1)!.clicks >= after!.clicks))
      return { links: best, isComplete: true };
  }
  return { links: best, isComplete: false };
}
