/**
 * Receives a room's messages in order: first the archive entries after the last emitted one, then live messages, with
 * the room's changes in between. Messages beyond the buffer are left to the archive, if there is one.
 *
 * Invariant: the position moves with the signals, in the same transaction, so all missed messages follow it in the
 * archive.
 */
import type { Element } from '@xmpp/xml';
import type { Log } from '../../../platform/logging/log.ts';
import { DriverError } from '../../contract/driver-error.ts';
import type { Signal } from '../../contract/signal.ts';
import type { Archive, ArchivePage } from '../session/archive.ts';
import type { RoomPosition, XmppPosition } from '../session/position.ts';
import type { XmppStream } from '../session/stream.ts';
import type { Telling } from '../session/telling.ts';
import type { RoomAuthor } from '../stanza/room-view.ts';

export interface InboundStanza {
  stanza: Element;
  /** The ID that the room assigned; null if it assigns none. */
  stanzaId: string | null;
  at: Date;
  isArchived: boolean;
  /**
   * The occupant behind the nick at arrival; another person may have it when the message is emitted. null for archive
   * entries.
   */
  author: RoomAuthor | null;
}

export interface RoomInboundDeps {
  stream: Pick<XmppStream, 'hold'>;
  telling: Pick<Telling, 'emit' | 'position'>;
  room: string;
  read(stanza: InboundStanza): Signal[];
  /** Takes the room's changes that are not emitted yet. */
  takeChanges(): Signal[];
  log: Pick<Log, 'warn'>;
}

export interface RoomInbound {
  /** Starts emitting after the last emitted entry. @param archive null if the room has none */
  begin(archive: Archive | null): void;
  hear(stanza: InboundStanza): void;
  /** Called when there are changes. */
  wake(): void;
  /** Stops emitting until it is started again. */
  pause(): void;
  stop(): void;
}

const PAGE = 100;
/** Maximum messages waiting in memory, for a room with and without an archive. */
const MAX_WAITING = { archived: 100, other: 2000 };
const MAX_AT_ONCE = 50;
const MAX_FAILURES = 3;
const RETRY_MS = 5000;

export function createRoomInbound(deps: RoomInboundDeps): RoomInbound {
  const { telling, room, log } = deps;
  let archive: Archive | null = null;
  let isOn = false;
  let isStopped = false;
  let isBehind = false;
  let isOverrun = false;
  let failures = 0;
  /** Whether the archive could not be read. Live messages must then not move the position past missing ones. */
  let isBlind = false;
  let waiting: (InboundStanza & { release?: (() => void) | undefined })[] = [];
  /** IDs of archive entries that were emitted during the current catch-up. */
  let known = new Set<string>();
  let isPumping = false;
  let retry: NodeJS.Timeout | null = null;

  const move = (change: Partial<RoomPosition>) => (position: XmppPosition) => {
    const own = position.rooms[room];
    if (own) Object.assign(own, change);
  };
  const read = (stanza: InboundStanza): Signal[] => {
    try {
      return deps.read(stanza);
    } catch (error) {
      // A message that can't be read must not block the others.
      log.warn({ room, error: String(error) }, 'A message of a room could not be read');
      return [];
    }
  };

  const readArchive = async (source: Archive): Promise<void> => {
    const after = telling.position.rooms[room]?.archive ?? null;
    if (after === null) {
      const { last } = await source.page({ before: '', max: 1 });
      await telling.emit([], move({ archive: last ?? '' }));
      isBehind = false;
      return;
    }
    const { entries, isComplete, last } = await pageAfter(source, after);
    const goesOn = last !== null && last !== after;
    if (goesOn) {
      const signals = entries.flatMap(({ id, at, stanza }) =>
        read({ stanza, stanzaId: id, at, isArchived: true, author: null }),
      );
      await telling.emit(signals, move({ archive: last }));
      for (const { id } of entries) known.add(id);
      if (known.size > 10 * PAGE) known = new Set([...known].slice(-PAGE));
    }
    if (!isComplete && goesOn) return;
    isBehind = isOverrun;
    isOverrun = false;
  };

  const catchUp = async (source: Archive): Promise<boolean> => {
    try {
      await readArchive(source);
      failures = 0;
      return true;
    } catch (error) {
      if (!(error instanceof DriverError) || error.kind === 'lost' || isStopped) throw error;
      failures += 1;
      if (error.kind !== 'rejected' && failures < MAX_FAILURES) {
        retry = setTimeout(wake, RETRY_MS).unref();
        return false;
      }
      log.warn({ room, code: error.code }, "A room's archive could not be read");
      [isBehind, isBlind, isOverrun] = [false, true, false];
      return true;
    }
  };

  const tellWaiting = async (): Promise<void> => {
    const batch = waiting.splice(0, MAX_AT_ONCE);
    const fresh = batch.filter(({ stanzaId }) => stanzaId === null || !known.has(stanzaId));
    const last = fresh.findLast(({ stanzaId }) => stanzaId !== null)?.stanzaId ?? null;
    const newest = fresh.at(-1)?.at;
    const signals = fresh.flatMap(read);
    if (archive !== null) {
      await telling.emit(signals, last === null || isBlind ? undefined : move({ archive: last }));
    } else if (newest) await telling.emit(signals, move({ heardAt: newest.toISOString() }));
    for (const { release } of batch) release?.();
  };

  const pump = async (): Promise<void> => {
    isPumping = true;
    try {
      while (isOn && !isStopped) {
        const changes = deps.takeChanges();
        if (changes.length > 0) await telling.emit(changes);
        else if (isBehind && archive !== null) {
          if (!(await catchUp(archive))) return;
        } else if (waiting.length > 0) await tellWaiting();
        else return known.clear();
      }
    } finally {
      isPumping = false;
    }
  };

  function wake(): void {
    if (retry) clearTimeout(retry);
    retry = null;
    if (isPumping) return;
    pump().catch((error: unknown) => {
      // `telling` ends the connection if the engine can't store a signal, so the error is not awaited here.
      isStopped = true;
      if (!(error instanceof DriverError) || error.code !== 'closed')
        log.warn({ room, error: String(error) }, 'xmpp: stopped receiving a room on this connection');
    });
  }

  return {
    begin(given) {
      [archive, isOn, isBehind, failures, isBlind] = [given, true, given !== null, 0, false];
      wake();
    },
    hear(stanza) {
      if (isStopped) return;
      const max = archive !== null && !isBlind ? MAX_WAITING.archived : MAX_WAITING.other;
      // Without an archive, the stanza is held back from acknowledgement, but not while responses are awaited.
      const release = isOn && archive === null ? deps.stream.hold() : undefined;
      if (waiting.length < max) waiting.push({ ...stanza, release });
      else if (archive !== null && !isBlind) {
        // The archive has all of them after the last emitted entry.
        waiting = [];
        isOverrun = isBehind;
        isBehind = true;
      } else {
        release?.();
        log.warn({ room }, 'xmpp: dropped messages of a busy room without an archive');
      }
      if (isOn && !retry) wake();
    },
    wake() {
      if (isOn && !retry) wake();
    },
    pause() {
      isOn = false;
      for (const one of waiting) one.release?.();
    },
    stop() {
      isStopped = true;
      if (retry) clearTimeout(retry);
      for (const { release } of waiting.splice(0)) release?.();
    },
  };
}

/** Returns the page after an entry. If the archive has deleted that entry, everything that it still has is new. */
async function pageAfter(source: Archive, after: string): Promise<ArchivePage> {
  if (after === '') return source.page({ max: PAGE });
  try {
    return await source.page({ after, max: PAGE });
  } catch (error) {
    if (!(error instanceof DriverError) || error.code !== 'item_not_found') throw error;
    return source.page({ max: PAGE });
  }
}
