/**
 * Loads clicks: writes rows, visitors, counters, roll-ups, events and the journal's position in one transaction that
 * locks the journal's row. A click is therefore counted everywhere or nowhere, and exactly once, after any crash.
 *
 * All loaders lock in the same order: journal, visitors, counters, roll-ups, each sorted by its key.
 */
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import { DAY_MS } from '../../../platform/db/partitions.ts';
import type { JournalPosition } from '../../../platform/journal/journals.system-store.ts';
import { loadEach, loadOnce } from '../../../platform/journal/load-once.ts';
import { type ClickEventDeps, writeClickEvents } from './click-events.ts';
import type { ClickRecord } from './click-record.ts';
import type { LoadPace } from './load-pace.ts';
import { type LoadedClick, loadedClick } from './load-row.ts';
import * as store from './load.system-store.ts';
import { RollupAdditions } from './rollup.ts';
import { addRollups } from './rollup.system-store.ts';
import { DEFAULT_DOMAIN_SCOPE } from './scopes.ts';
import { traceClicks } from './click-spans.ts';
import { uniqueClicks } from './visitors.ts';

/** Clicks that are processed before yielding to the event loop: about 2 ms. */
const PIECE_SIZE = 200;

export interface LoadDeps extends ClickEventDeps {
  units: Units;
  /** Full days for which single clicks are stored; older clicks are only aggregated. */
  retentionDays: number;
  pace: LoadPace;
}

export interface LoadResult {
  loaded: number;
  /** Clicks of deleted links. */
  dropped: number;
  /** Clicks that the database rejected, which indicates a bug. */
  rejected: number;
}

async function forEachYielding<T>(
  pace: LoadPace,
  items: readonly T[],
  each: (item: T) => void,
): Promise<void> {
  for (let from = 0; from < items.length; from += PIECE_SIZE) {
    pace.work(() => items.slice(from, from + PIECE_SIZE).forEach(each));
    await pace.yieldToOthers();
  }
}

/** Returns the domain's ID in roll-ups; null if the link's domain is deleted. */
const getDomainScope = (link: store.ClickedLink): string | null =>
  link.domain_is_gone ? null : (link.domain_id ?? DEFAULT_DOMAIN_SCOPE);

/** Stores and counts the clicks of existing links. @returns how many there were */
async function recordClicks(unit: Unit, deps: LoadDeps, clicks: readonly LoadedClick[]): Promise<number> {
  const { pace, retentionDays } = deps;
  const tx = unit.db;
  const requested = new Map(clicks.map((click) => [click.link_id, click]));
  const links = new Map(
    (
      await store.findLinks(
        tx,
        [...requested.values()].sort((a, b) => (a.link_id < b.link_id ? -1 : 1)),
      )
    ).map((link) => [link.id, link]),
  );
  const existing = clicks.filter(
    ({ link_id, workspace_id }) => links.get(link_id)?.workspace_id === workspace_id,
  );
  if (!existing.length) return 0;

  const oldest = (Math.floor(unit.clock().getTime() / DAY_MS) - retentionDays) * DAY_MS;
  await store.insertClicks(
    tx,
    existing.filter(({ at }) => at >= oldest),
  );
  const uniques = await uniqueClicks(tx, existing);

  const additions = new RollupAdditions();
  const sums = new Map<string, store.LinkSums>();
  await forEachYielding(pace, existing, (click) => {
    const { workspace_id, link_id, at, bot } = click;
    const isUnique = uniques.has(click);
    additions.add(click, getDomainScope(links.get(link_id)!), isUnique);
    let sum = sums.get(link_id);
    if (!sum)
      sums.set(
        link_id,
        (sum = { workspace_id, link_id, clicks: 0, uniques: 0, bots: 0, lastClickedAt: null }),
      );
    if (bot) {
      sum.bots++;
      return;
    }
    sum.clicks++;
    if (isUnique) sum.uniques++;
    sum.lastClickedAt = Math.max(sum.lastClickedAt ?? 0, at);
  });
  await store.addToCounters(tx, [...sums.values()]);
  await writeClickEvents(unit, deps, existing, links, await traceClicks(unit, existing));
  await addRollups(tx, additions, pace);
  return existing.length;
}

/** Records clicks one by one and skips those that the database rejects. */
async function recordIndividually(
  unit: Unit,
  deps: LoadDeps,
  clicks: readonly LoadedClick[],
): Promise<LoadResult> {
  let loaded = 0;
  const rejected = await loadEach(unit, clicks, async (click) => {
    loaded += await recordClicks(unit, deps, [click]);
  });
  return { loaded, dropped: clicks.length - loaded - rejected, rejected };
}

/** Loads the clicks that were read from a journal between `from` and `to`. @returns 'elsewhere' as `loadOnce` */
export async function loadClicks(
  deps: LoadDeps,
  journalId: string,
  from: JournalPosition,
  to: JournalPosition,
  records: readonly ClickRecord[],
): Promise<LoadResult | 'elsewhere'> {
  const clicks: LoadedClick[] = [];
  await forEachYielding(deps.pace, records, (record) => clicks.push(loadedClick(record)));
  return loadOnce({
    write: deps.units.write,
    journalId,
    from,
    to,
    async all(unit) {
      const loaded = clicks.length ? await recordClicks(unit, deps, clicks) : 0;
      return { loaded, dropped: clicks.length - loaded, rejected: 0 };
    },
    each: (unit) => recordIndividually(unit, deps, clicks),
  });
}
