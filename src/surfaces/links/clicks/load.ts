/**
 * Loading clicks: rows, visitors, counters, roll-ups, events and the position of the journal in one transaction, under
 * the lock of the journal's row. So a click is in all of them or in none, whatever dies when, and once.
 *
 * Locks are taken in one order over all loaders: the journal, visitors, counters, roll-ups, each sorted by its key.
 */
import type { Units } from '../../../core/unit-of-work.ts';
import { DAY_MS } from '../../../platform/db/partitions.ts';
import { isRowError } from '../../../platform/db/database.ts';
import { sql } from 'kysely';
import type { Unit } from '../../../core/unit-of-work.ts';
import { type ClickEventDeps, writeClickEvents } from './click-events.ts';
import type { ClickRecord } from './click-record.ts';
import type { LoadPace } from './load-pace.ts';
import { type LoadedClick, loadedClick } from './load-row.ts';
import * as store from './load.system-store.ts';
import { RollupAdditions } from './rollup.ts';
import { addRollups } from './rollup.system-store.ts';
import { DEFAULT_DOMAIN_SCOPE } from './scopes.ts';
import { uniqueClicks } from './visitors.ts';

/** Clicks that are worked on without letting others have their turn: some 2 ms. */
const PIECE = 200;

export interface LoadDeps extends ClickEventDeps {
  units: Units;
  /** Whole days that single clicks are kept: older ones are only summed up. */
  keptDays: number;
  pace: LoadPace;
}

export interface Loaded {
  loaded: number;
  /** Of links that are gone. */
  dropped: number;
  /** That the database would not take; a fault of ours. */
  refused: number;
}

async function inPieces<T>(pace: LoadPace, items: readonly T[], each: (item: T) => void): Promise<void> {
  for (let from = 0; from < items.length; from += PIECE) {
    pace.work(() => items.slice(from, from + PIECE).forEach(each));
    await pace.breathe();
  }
}

/** Null where the link is on one that is gone. */
const domainOf = (link: store.ClickedLink): string | null =>
  link.domain_is_gone ? null : (link.domain_id ?? DEFAULT_DOMAIN_SCOPE);

/** Clicks of links that are there, summed up in every place. */
async function enter(unit: Unit, deps: LoadDeps, clicks: readonly LoadedClick[]): Promise<number> {
  const { pace, keptDays } = deps;
  const tx = unit.db;
  const wanted = new Map(clicks.map((click) => [click.link_id, click]));
  const links = new Map(
    (
      await store.findLinks(
        tx,
        [...wanted.values()].sort((a, b) => (a.link_id < b.link_id ? -1 : 1)),
      )
    ).map((link) => [link.id, link]),
  );
  const there = clicks.filter(
    ({ link_id, workspace_id }) => links.get(link_id)?.workspace_id === workspace_id,
  );
  if (!there.length) return 0;

  const oldest = (Math.floor(unit.clock().getTime() / DAY_MS) - keptDays) * DAY_MS;
  await store.insertClicks(
    tx,
    there.filter(({ at }) => at >= oldest),
  );
  const uniques = await uniqueClicks(tx, there);

  const additions = new RollupAdditions();
  const sums = new Map<string, store.LinkSums>();
  await inPieces(pace, there, (click) => {
    const { workspace_id, link_id, at, bot } = click;
    const isUnique = uniques.has(click);
    additions.add(click, domainOf(links.get(link_id)!), isUnique);
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
  await writeClickEvents(unit, deps, there, links);
  await addRollups(tx, additions, pace);
  return there.length;
}

/** The same click by click, past those that the database will not take. */
async function enterEach(unit: Unit, deps: LoadDeps, clicks: readonly LoadedClick[]): Promise<Loaded> {
  const sum: Loaded = { loaded: 0, dropped: 0, refused: 0 };
  for (const click of clicks) {
    await sql`savepoint click`.execute(unit.db);
    try {
      const entered = await enter(unit, deps, [click]);
      sum.loaded += entered;
      sum.dropped += 1 - entered;
    } catch (error) {
      if (!isRowError(error)) throw error;
      await sql`rollback to savepoint click`.execute(unit.db);
      sum.refused++;
    }
    await sql`release savepoint click`.execute(unit.db);
  }
  return sum;
}

/**
 * Loads what was read of a journal from `from` to `to`.
 * @returns 'elsewhere' where somebody else loads the journal, or has loaded it beyond `from`: nothing was done
 */
export async function loadClicks(
  deps: LoadDeps,
  journalId: string,
  from: store.JournalPosition,
  to: store.JournalPosition,
  records: readonly ClickRecord[],
): Promise<Loaded | 'elsewhere'> {
  const clicks: LoadedClick[] = [];
  await inPieces(deps.pace, records, (record) => clicks.push(loadedClick(record)));

  const attempt = (work: (unit: Unit) => Promise<Loaded>): Promise<Loaded | 'elsewhere'> =>
    deps.units.write(async (unit) => {
      const tx = unit.db;
      const at = await store.lockJournal(tx, journalId);
      if (at === null || at.segment !== from.segment || at.position !== from.position) return 'elsewhere';
      const result = await work(unit);
      await store.saveJournal(tx, journalId, to);
      return result;
    });
  try {
    return await attempt(async (unit) => {
      const loaded = clicks.length ? await enter(unit, deps, clicks) : 0;
      return { loaded, dropped: clicks.length - loaded, refused: 0 };
    });
  } catch (error) {
    if (!isRowError(error)) throw error;
    return await attempt((unit) => enterEach(unit, deps, clicks));
  }
}
