/**
 * Reads the account's own archive after the position, page by page. Each page is emitted before the next is requested.
 * If the archive has deleted the entry that the position names, reading starts from the entry's time; entries that were
 * emitted before are still stored once, because their names are the same.
 */
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Archive, ArchivedStanza, ArchivePage } from './session/archive.ts';
import type { XmppPosition } from './session/position.ts';
import type { Telling } from './session/telling.ts';

export interface CatchUpDeps {
  archive: Archive;
  telling: Pick<Telling, 'emit' | 'position'>;
  log: DriverContext['log'];
  /** Entries received live that are emitted after the catch-up, oldest first. */
  waiting(): readonly string[];
  /** Emits the entries of a page, and moves the position to the last one. */
  tellPage(entries: readonly ArchivedStanza[]): Promise<void>;
  isStopped(): boolean;
}

const PAGE = 50;
/** Subtracted from the time of the last emitted entry if the archive has deleted it, because clocks differ. */
const MARGIN_MS = 600_000;

export const moveTo =
  ({ id, at }: { id: string; at: Date }) =>
  (position: XmppPosition): void => {
    position.archive = id;
    position.archiveAt = at.toISOString();
  };

/** @returns a function that reads all entries after the position. @throws DriverError */
export function createCatchUp(deps: CatchUpDeps): () => Promise<void> {
  const { archive, telling, log, waiting, tellPage, isStopped } = deps;

  /** @returns null if there is no such entry: the sender of the waiting message may have invented its name */
  const before = async (oldest: string): Promise<ArchivedStanza[] | null> => {
    try {
      return (await archive.page({ before: oldest, max: 1 })).entries;
    } catch (error) {
      if (!(error instanceof DriverError) || error.code !== 'item_not_found') throw error;
      return null;
    }
  };

  /** The starting position: the end of the archive, before pending live entries. Earlier entries are not reported. */
  const begin = async (): Promise<void> => {
    let { entries } = await archive.page({ before: '', max: 1 });
    const [oldest] = waiting();
    if (oldest !== undefined && waiting().includes(entries.at(-1)?.id ?? ''))
      entries = (await before(oldest)) ?? entries;
    const newest = entries.at(-1);
    await telling.emit([], newest ? moveTo(newest) : (position) => void (position.archive = ''));
  };

  /** @returns null if the entries after it can't be determined */
  const pageAfter = async (
    after: string,
    start: Date | null,
  ): Promise<{ page: ArchivePage; start: Date | null } | null> => {
    const from = start === null ? {} : { start };
    if (after === '') return { page: await archive.page({ ...from, max: PAGE }), start };
    try {
      return { page: await archive.page({ ...from, after, max: PAGE }), start };
    } catch (error) {
      if (!(error instanceof DriverError) || error.code !== 'item_not_found') throw error;
      const emitted = Date.parse(telling.position.archiveAt ?? '');
      if (Number.isNaN(emitted)) return null;
      const since = new Date(emitted - MARGIN_MS);
      log.warn({ since: since.toISOString() }, 'The archive has forgotten what was told last');
      return { page: await archive.page({ start: since, max: PAGE }), start: since };
    }
  };

  return async () => {
    if (telling.position.archive === null) await begin();
    let after = telling.position.archive ?? '';
    let start: Date | null = null;
    while (!isStopped()) {
      const found = await pageAfter(after, start);
      // All of these entries may have been emitted long ago.
      if (found === null) return begin();
      const { entries, isComplete, last } = found.page;
      start = found.start;
      if (entries.length) await tellPage(entries);
      if (isComplete || last === null || last === after) return;
      after = last;
    }
  };
}
