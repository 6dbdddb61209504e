/**
 * Emits `link.listed` (filter, sort and number of links of a page listed with an API key) to workspaces with a webhook
 * or stream subscribed to it. Identical listings within a second are merged into one event. Events that are not written when the
 * process dies are lost, because listing changes no data.
 */
import type { Units } from '../../../core/unit/unit-of-work.ts';
import type { InterestedWorkspaces } from '../../../core/events/wants.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { LinkFilterQuery, LinkSort } from '../records/link.schema.ts';

const FLUSH_INTERVAL_MS = 1_000;
/** Distinct listings that are buffered; further ones within the same second are dropped. */
const MAX_BUFFERED = 5_000;

export interface Listing {
  filter: LinkFilterQuery;
  sort: LinkSort;
  /** Number of links on the page. */
  count: number;
}

interface BufferedListing extends Listing {
  workspaceId: string;
  times: number;
}

export interface LinkListed {
  /** Records that a page was returned. Never throws; the event is written later. */
  record(workspaceId: string, listing: Listing): void;
  /** Flushes buffered events. */
  stop(): Promise<void>;
}

export function createLinkListed(deps: {
  units: Units;
  interestedWorkspaces: InterestedWorkspaces;
  log: Pick<Log, 'warn'>;
}): LinkListed {
  const { units, interestedWorkspaces, log } = deps;
  let buffered = new Map<string, BufferedListing>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (all: readonly BufferedListing[]): Promise<void> => {
    const workspaces = [...new Set(all.map(({ workspaceId }) => workspaceId))];
    const interested = await interestedWorkspaces(units.read.db, workspaces, 'link.listed');
    const listed = all.filter(({ workspaceId }) => interested.has(workspaceId));
    if (!listed.length) return;
    await units.write((unit) =>
      unit.events.writeAll(
        unit,
        listed.map(({ workspaceId, filter, sort, count, times }) => ({
          workspaceId,
          type: 'link.listed',
          resourceId: null,
          object: { object: 'list', of: 'link', filter, sort, count, times },
        })),
      ),
    );
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const all = [...buffered.values()];
    buffered = new Map();
    if (all.length)
      writing = writing
        .then(() => write(all))
        .catch((error: unknown) => log.warn({ err: error }, 'link.listed: could not write events'));
    return writing;
  };

  return {
    record(workspaceId, listing) {
      const key = JSON.stringify([workspaceId, listing.filter, listing.sort]);
      const same = buffered.get(key);
      if (same) {
        same.times += 1;
        same.count = listing.count;
      } else if (buffered.size < MAX_BUFFERED) buffered.set(key, { workspaceId, ...listing, times: 1 });
      timer ??= setTimeout(() => void flush(), FLUSH_INTERVAL_MS).unref();
    },
    stop: flush,
  };
}
