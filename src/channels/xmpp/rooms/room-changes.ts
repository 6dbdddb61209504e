/**
 * Emits changes of a room at most once per second, so that a room that adds and removes somebody or changes its subject
 * without end costs one transaction and one event of each per second. After a quiet second a change is emitted
 * immediately; of changes within a second, the last state counts.
 */
import type { GroupSignal, Signal } from '../../contract/signal.ts';
import type { Occupants } from './occupants.ts';
import type { KnownAbout } from './room-about.ts';

export const GATHER_MS = 1000;

export interface RoomChanges {
  /** What the room says of itself is another. @param by undefined: as was said before, else nobody */
  onAbout(by?: string | null): void;
  /** Takes the changes to emit now. For the rest it wakes again. */
  take(): Signal[];
  stop(): void;
}

export function createRoomChanges(deps: {
  occupants: Pick<Occupants, 'takeChanges'>;
  known: Pick<KnownAbout, 'about'>;
  group(signal: Partial<GroupSignal>): GroupSignal;
  /** There is something to take. */
  wake(): void;
}): RoomChanges {
  const { occupants, known, group, wake } = deps;
  /** Who changed what it says of itself, since that was told; undefined: nobody did. */
  let aboutBy: string | null | undefined;
  let toldAt = -GATHER_MS;
  let timer: NodeJS.Timeout | null = null;

  return {
    onAbout(by) {
      aboutBy = by === undefined ? (aboutBy ?? null) : by;
      wake();
    },
    take() {
      if (timer) return [];
      const rest = toldAt + GATHER_MS - performance.now();
      if (rest > 0) {
        timer = setTimeout(() => {
          timer = null;
          wake();
        }, Math.ceil(rest)).unref();
        return [];
      }
      const changes: Signal[] = occupants
        .takeChanges()
        .map(({ by, changed }) => group({ participants: { changed }, by }));
      if (aboutBy !== undefined) changes.push(group({ about: known.about(), by: aboutBy }));
      aboutBy = undefined;
      if (changes.length > 0) toldAt = performance.now();
      return changes;
    },
    stop() {
      if (timer) clearTimeout(timer);
      timer = null;
    },
  };
}
