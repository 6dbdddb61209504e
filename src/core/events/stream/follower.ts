/**
 * Follows the log for one reader: from its position to the newest event, then waits for new ones. Near the end it uses
 * the live tail's buffer; further back it reads pages from the database, limited in size and concurrency. The next page
 * is requested only when the last one was consumed, so a slow reader costs one page.
 */
import type { Database } from '../../../platform/db/database.ts';
import { createFairGate } from '../../../platform/limits/fair-gate.ts';
import type { GetPerson } from '../../auth/person-lookup.ts';
import { assertRetained } from '../event.service.ts';
import { listAfter } from '../event.store.ts';
import type { LiveTail, Tail } from './live-tail.ts';
import { showEvent, type ShownEvent } from './shown-event.ts';

const MAX_ROWS = 64;
const MIN_ROWS = 4;
const MAX_CHARACTERS = 256 * 1024;
const READERS_AT_ONCE = 2;

export interface Follower {
  /** Position up to which all events were returned or are not of the wanted types. */
  position(): number;
  /**
   * The next events, or none after `waitMs`, when it is interrupted, or when `signal` aborts.
   * @throws Problem sequence_expired where events were dropped that were not read yet
   */
  next(waitMs: number, signal: AbortSignal): Promise<ShownEvent[]>;
  /** Makes `next` return soon, possibly without events. */
  interrupt(): void;
  leave(): void;
}

/** Few large pages are in memory at a time, however many readers catch up; persons take turns, then their workspaces. */
const readInTurn = createFairGate({ capacity: READERS_AT_ONCE });

function changed(
  tail: Tail,
  ms: number,
  signal: AbortSignal,
  begun: (resume: () => void) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      tail.waiting.delete(done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    tail.waiting.add(done);
    begun(done);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}

/**
 * @param after begin behind this sequence; null for behind the newest there is
 * @param types null for all
 */
export async function follow(
  deps: { db: Database; liveTail: LiveTail; getPerson: GetPerson },
  options: { workspaceId: string; after: number | null; types: readonly string[] | null },
): Promise<Follower> {
  const { db, liveTail, getPerson } = deps;
  const { workspaceId, after, types } = options;
  const wanted = types && new Set(types);
  const { tail, leave } = await liveTail.join(workspaceId);
  let position = after ?? tail.last;
  let rowsAtOnce = MAX_ROWS;
  let interrupted = false;
  let resume = (): void => {};

  const fromTail = (): ShownEvent[] => {
    const fresh = tail.events.filter(
      ({ sequence, type }) => sequence > position && (!wanted || wanted.has(type)),
    );
    position = tail.last;
    return fresh;
  };

  const fromDatabase = async (): Promise<ShownEvent[]> => {
    const end = tail.last;
    const rows = await listAfter(db, workspaceId, position, rowsAtOnce, { types });
    await assertRetained(db, workspaceId, position);
    const page: ShownEvent[] = [];
    let characters = 0;
    for (const row of rows) {
      if (characters > MAX_CHARACTERS) break;
      page.push(showEvent(row));
      characters += page.at(-1)!.text.length;
    }
    const whole = page.length === rows.length;
    position =
      whole && rows.length < rowsAtOnce ? Math.max(end, page.at(-1)?.sequence ?? 0) : page.at(-1)!.sequence;
    rowsAtOnce = whole ? Math.min(rowsAtOnce * 2, MAX_ROWS) : Math.max(page.length, MIN_ROWS);
    return page;
  };

  const readPage = async (): Promise<ShownEvent[]> =>
    readInTurn([await getPerson(workspaceId), workspaceId], fromDatabase);

  return {
    position: () => position,
    async next(waitMs, signal) {
      const end = performance.now() + waitMs;
      while (!signal.aborted) {
        const behind = position < tail.last;
        const kept = behind && (tail.events[0]?.sequence ?? Infinity) <= position + 1;
        const events = !behind ? [] : kept ? fromTail() : await readPage();
        if (events.length) return events;
        if (position < tail.last) continue;
        const left = end - performance.now();
        if (left <= 0 || interrupted) {
          interrupted = false;
          return [];
        }
        await changed(tail, left, signal, (begun) => (resume = begun));
      }
      return [];
    },
    interrupt() {
      interrupted = true;
      resume();
    },
    leave,
  };
}
