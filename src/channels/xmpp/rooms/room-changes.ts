/**
 * Emits changes of a room at most once per second, so that a room that keeps adding and removing people or changing its
 * subject costs one transaction and one event of each per second. After a quiet second a change is emitted immediately;
 * of changes within a second, the last state counts.
 */
import type { GroupSignal, Signal } from '../../contract/signal.ts';
import type { Occupants } from './occupants.ts';
import type { KnownAbout } from './room-about.ts';

export const GATHER_MS = 1000;

export interface RoomChanges {
  /**
   * Records that the room's information changed.
   * @param by the actor; undefined keeps the one recorded before, if any
   */
  onAbout(by?: string | null): void;
  /** Takes the changes to emit now. `wake` is called again for the rest. */
  take(): Signal[];
  stop(): void;
}

export function createRoomChanges(deps: {
  occupants: Pick<Occupants, 'takeChanges'>;
  known: Pick<KnownAbout, 'about'>;
  group(signal: Partial<GroupSignal>): GroupSignal;
  /** Called when there are changes to take. */
  wake(): void;
}): RoomChanges {
  const { occupants, known, group, wake } = deps;
  /** The actor of a change to the room's information that is not emitted yet; undefined if there is none. */
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
