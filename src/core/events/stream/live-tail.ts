/**
 * The newest events of the workspaces followed in this process. One poller serves all of them: it asks only for the
 * sequences of followed workspaces, and reads events only where one has risen. Each workspace keeps a short stretch of
 * its newest events; followers that lag behind it read from the database (follower.ts), so that memory use never
 * depends on slow readers.
 *
 * Invariant: the kept stretch is contiguous and ends with `last`.
 */
import type { Database } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/logging/log.ts';
import * as store from './live-tail.system-store.ts';
import { showEvent, type ShownEvent } from './shown-event.ts';

const BUSY_MS = 25;
const IDLE_MS = 250;
const GATHER_MS = 4;
const MAX_EVENTS = 256;
const MAX_CHARACTERS = 256 * 1024;

/** The newest stretch of one workspace's log. */
export interface Tail {
  /** The newest sequence seen. */
  last: number;
  events: ShownEvent[];
  characters: number;
  followers: number;
  waiting: Set<() => void>;
}

export interface LiveTail {
  /** Begins following; the workspace is polled until `leave`. */
  join(workspaceId: string): Promise<{ tail: Tail; leave: () => void }>;
  /** There may be new events. */
  wake(): void;
  stop(): void;
}

function append(tail: Tail, events: ShownEvent[]): void {
  for (const event of events) {
    tail.events.push(event);
    tail.characters += event.text.length;
    tail.last = event.sequence;
  }
  let drop = 0;
  while (
    tail.events.length - drop > MAX_EVENTS ||
    (tail.characters > MAX_CHARACTERS && tail.events.length - drop > 1)
  )
    tail.characters -= tail.events[drop++]!.text.length;
  if (drop) tail.events.splice(0, drop);
}

/** Restarts the buffer if it would have a gap. */
function skipTo(tail: Tail, last: number): void {
  tail.events = [];
  tail.characters = 0;
  tail.last = last;
}

export function createLiveTail({ db, log }: { db: Database; log: Pick<Log, 'warn'> }): LiveTail {
  const tails = new Map<string, Tail>();
  let timer: NodeJS.Timeout | undefined;
  let polling = false;
  let hinted = false;
  let stopped = false;
  let failing = false;
  let delay = IDLE_MS;
  let polledAt = Number.NEGATIVE_INFINITY;

  /** @returns whether more events may be available immediately */
  const poll = async (): Promise<boolean> => {
    const risen = (await store.lastSequences(db, [...tails.keys()])).filter(
      ({ workspaceId, sequence }) => sequence > (tails.get(workspaceId)?.last ?? Infinity),
    );
    if (!risen.length) return false;
    const from = risen.map(({ workspaceId }) => ({ workspaceId, sequence: tails.get(workspaceId)!.last }));
    const rows = Map.groupBy(await store.rowsBeyond(db, from, MAX_EVENTS), (row) => row.workspace_id);
    let more = false;
    for (const { workspaceId, sequence } of risen) {
      const tail = tails.get(workspaceId);
      if (!tail) continue;
      const events = (rows.get(workspaceId) ?? []).map(showEvent);
      if (events[0]?.sequence === tail.last + 1) append(tail, events);
      else skipTo(tail, sequence);
      more ||= tail.last < sequence;
      for (const resume of tail.waiting) resume();
    }
    return more || rows.size > 0;
  };

  const run = async (): Promise<void> => {
    polling = true;
    hinted = false;
    polledAt = performance.now();
    try {
      const busy = await poll();
      delay = busy ? BUSY_MS : Math.min(delay * 2, IDLE_MS);
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'event streams: could not read new events, retrying');
      failing = true;
      hinted = false;
      delay = IDLE_MS;
    } finally {
      polling = false;
      schedule();
    }
  };

  const schedule = (): void => {
    clearTimeout(timer);
    if (stopped || polling || !tails.size) return;
    const wait = hinted ? GATHER_MS - (performance.now() - polledAt) : delay;
    timer = setTimeout(() => void run(), Math.max(0, wait));
  };

  return {
    async join(workspaceId) {
      let tail = tails.get(workspaceId);
      if (!tail) {
        const [found] = await store.lastSequences(db, [workspaceId]);
        tail = tails.get(workspaceId) ?? {
          last: found?.sequence ?? 0,
          events: [],
          characters: 0,
          followers: 0,
          waiting: new Set(),
        };
        tails.set(workspaceId, tail);
      }
      tail.followers++;
      schedule();
      const joined = tail;
      return {
        tail: joined,
        leave() {
          if (--joined.followers === 0) tails.delete(workspaceId);
        },
      };
    },
    wake() {
      if (hinted || !tails.size) return;
      hinted = true;
      schedule();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
