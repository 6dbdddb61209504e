/**
 * `link.listed`: tells that links were listed, by which filter and with how many found, where a webhook or stream wants
 * to know. A burst of the same is folded into one a second; what is not told yet when a process dies is lost, as nothing
 * was changed.
 */
import type { Units } from '../../core/unit-of-work.ts';
import type { InterestedWorkspaces } from '../../core/events/wants.ts';
import type { LinkFilterQuery, LinkSort } from './link.schema.ts';

const EVERY_MS = 1_000;
/** Kinds of lists that wait to be told of; of further ones in the same second nothing is told. */
const MAX_WAITING = 5_000;

export interface Listing {
  filter: LinkFilterQuery;
  sort: LinkSort;
  /** How many links the page has. */
  count: number;
}

interface Waiting extends Listing {
  workspaceId: string;
  times: number;
}

export interface LinkListed {
  /** Says that a page was answered. Never fails, and is waited for by nobody. */
  record(workspaceId: string, listing: Listing): void;
  /** Tells what waits. */
  stop(): Promise<void>;
}

export function createLinkListed(deps: {
  units: Units;
  wantedBy: InterestedWorkspaces;
  log: { warn(details: object, message: string): void };
}): LinkListed {
  const { units, wantedBy, log } = deps;
  let waiting = new Map<string, Waiting>();
  let timer: NodeJS.Timeout | undefined;
  let telling: Promise<void> = Promise.resolve();

  const write = async (all: readonly Waiting[]): Promise<void> => {
    const workspaces = [...new Set(all.map(({ workspaceId }) => workspaceId))];
    const wanted = await wantedBy(units.read.db, workspaces, 'link.listed');
    const listed = all.filter(({ workspaceId }) => wanted.has(workspaceId));
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
    const all = [...waiting.values()];
    waiting = new Map();
    if (all.length)
      telling = telling
        .then(() => write(all))
        .catch((error: unknown) => log.warn({ err: error }, 'link.listed could not be told'));
    return telling;
  };

  return {
    record(workspaceId, listing) {
      const key = JSON.stringify([workspaceId, listing.filter, listing.sort]);
      const same = waiting.get(key);
      if (same) {
        same.times += 1;
        same.count = listing.count;
      } else if (waiting.size < MAX_WAITING) waiting.set(key, { workspaceId, ...listing, times: 1 });
      timer ??= setTimeout(() => void flush(), EVERY_MS).unref();
    },
    stop: flush,
  };
}
