/**
 * Ephemeral events (typing, presence): sent to the open streams of this process and, by NOTIFY, of the others. They
 * have no ID and no sequence and may be lost; clients that aren't connected miss them.
 *
 * Limited for any channel: only the newest event per `key` counts, pending events are limited per workspace and cycle,
 * cycles are limited per process, and oversized events are dropped. A reader that doesn't read keeps the newest few.
 */
import { parseOwnJson } from '../../../platform/json/own-json.ts';
import type { Listener } from '../../../platform/db/listener.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { publicId } from '../../vocabulary/ids.ts';
import { API_VERSION } from '../event.schema.ts';
import type { LiveType } from '../../vocabulary/live-catalog.ts';
import { currentTime } from '../../../platform/time/clock.ts';

/** The first is sent immediately, further ones once per interval. */
const TURN_MS = 250;
export const MAX_PER_CYCLE = 10;
const MAX_WAITING = 100;
const MAX_A_TURN_IN_ALL = 500;
const MAX_UNREAD = 64;
/** A hint of PostgreSQL holds less than 8,000 bytes. */
const MAX_HINT_BYTES = 6_000;
const MAX_BYTES = 4_000;

interface Asked<About> {
  workspaceId: string;
  about: About;
}
/** Returns `data.object` of each, as the API shows it; null if there is nothing to report. */
type Describe<About> = (asked: Asked<About>[]) => Promise<(object | null)[]>;

export interface LiveEvents {
  /**
   * Registers the source of a type. The returned function emits an event; it never waits and never throws. `key`
   * identifies the subject within the workspace: only the newest event per key counts.
   */
  source<About>(
    type: LiveType,
    describe: Describe<About>,
  ): (workspaceId: string, key: string, about: About) => void;
  /** @param wake called when there is something to take */
  follow(workspaceId: string, types: readonly LiveType[], wake: () => void): LiveFollower;
  /** Stops emitting; resolves when pending work has ended. */
  stop(): Promise<void>;
}

export interface LiveFollower {
  /** New events, as server-sent events. */
  take(): string[];
  leave(): void;
}

interface Waiting {
  type: LiveType;
  describe: Describe<unknown>;
  about: unknown;
  at: Date;
}
/** Workspace, type, key, and the event as a stream sends it. */
type Told = [workspaceId: string, type: string, key: string, text: string];

interface Reader {
  types: ReadonlySet<string>;
  unread: Map<string, string>;
  wake: () => void;
}

const show = (workspaceId: string, type: LiveType, at: Date, object: object): string =>
  `data: ${JSON.stringify({
    id: null,
    object: 'event',
    type,
    created_at: at.toISOString(),
    workspace_id: publicId('workspace', workspaceId),
    sequence: null,
    api_version: API_VERSION,
    truncated: false,
    caused_by: null,
    data: { object },
  })}\n\n`;

export function createLiveEvents(deps: {
  listener: Pick<Listener, 'on' | 'notify'>;
  log: Pick<Log, 'debug'>;
}): LiveEvents {
  const { listener, log } = deps;
  const waiting = new Map<string, Map<string, Waiting>>();
  const readers = new Map<string, Set<Reader>>();
  let turn: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let turnedAt = Number.NEGATIVE_INFINITY;
  let stopped = false;

  const deliver = ([workspaceId, type, key, text]: Told): void => {
    for (const { types, unread, wake } of readers.get(workspaceId) ?? []) {
      if (!types.has(type)) continue;
      const about = `${type} ${key}`;
      unread.delete(about);
      if (unread.size >= MAX_UNREAD) unread.delete(unread.keys().next().value!);
      unread.set(about, text);
      wake();
    }
  };
  listener.on('live', (payload) => {
    // An empty payload is about the listener itself.
    if (payload !== '') for (const event of parseOwnJson<Told[]>(payload)) deliver(event);
  });

  /** In as few hints as hold them. */
  const tellOthers = (events: readonly Told[]): void => {
    let parts: string[] = [];
    let bytes = 0;
    const send = (): void => {
      if (parts.length) listener.notify('live', `[${parts.join(',')}]`);
      parts = [];
      bytes = 0;
    };
    for (const part of events.map((one) => JSON.stringify(one))) {
      const size = Buffer.byteLength(part) + 1;
      if (bytes + size > MAX_HINT_BYTES) send();
      parts.push(part);
      bytes += size;
    }
    send();
  };

  /** Takes a few of each workspace, round-robin. */
  const takeTurn = (): [workspaceId: string, key: string, one: Waiting][] => {
    const taken: [string, string, Waiting][] = [];
    const order = [...waiting.keys()];
    for (const workspaceId of order) {
      if (taken.length >= MAX_A_TURN_IN_ALL) break;
      const own = waiting.get(workspaceId)!;
      for (const [key, one] of [...own].slice(0, MAX_PER_CYCLE)) {
        own.delete(key);
        taken.push([workspaceId, key, one]);
      }
      waiting.delete(workspaceId);
      if (own.size) waiting.set(workspaceId, own);
    }
    return taken;
  };

  const run = async (): Promise<void> => {
    turnedAt = performance.now();
    const events: Told[] = [];
    for (const [describe, group] of Map.groupBy(takeTurn(), ([, , one]) => one.describe))
      try {
        const objects = await describe(group.map(([workspaceId, , { about }]) => ({ workspaceId, about })));
        for (const [index, [workspaceId, key, { type, at }]] of group.entries()) {
          const object = objects[index];
          if (!object) continue;
          const one: Told = [workspaceId, type, key, show(workspaceId, type, at, object)];
          if (Buffer.byteLength(JSON.stringify(one)) <= MAX_BYTES) events.push(one);
        }
      } catch (err) {
        log.debug({ err }, 'event streams: could not send stream-only events');
      }
    for (const one of events) deliver(one);
    tellOthers(events);
  };

  const schedule = (): void => {
    if (stopped || turn || timer || !waiting.size) return;
    const begin = (): void => {
      timer = undefined;
      turn = run().finally(() => {
        turn = null;
        schedule();
      });
    };
    timer = setTimeout(begin, Math.max(0, TURN_MS - (performance.now() - turnedAt)));
  };

  return {
    source: (type, describe) => (workspaceId, key, about) => {
      if (stopped) return;
      const own = waiting.get(workspaceId) ?? new Map<string, Waiting>();
      const inWorkspace = `${type} ${key}`;
      if (!own.has(inWorkspace) && own.size >= MAX_WAITING) return;
      own.set(inWorkspace, { type, describe: describe as Describe<unknown>, about, at: currentTime() });
      waiting.set(workspaceId, own);
      schedule();
    },
    follow(workspaceId, types, wake) {
      const reader: Reader = { types: new Set(types), unread: new Map(), wake };
      const own = readers.get(workspaceId) ?? new Set<Reader>();
      readers.set(workspaceId, own.add(reader));
      return {
        take() {
          const texts = [...reader.unread.values()];
          reader.unread.clear();
          return texts;
        },
        leave() {
          own.delete(reader);
          if (!own.size && readers.get(workspaceId) === own) readers.delete(workspaceId);
        },
      };
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      waiting.clear();
      await turn;
    },
  };
}
