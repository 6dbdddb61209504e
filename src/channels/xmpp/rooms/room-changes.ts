/**
 * What changes in a room, told at most once a second: a room that takes somebody in and puts him out without end, or turns
 * its subject to and fro, costs no more than one transaction and one event of each in that time. What comes after a quiet
 * second is told at once; of what comes meanwhile, the last state counts.
 */
import type { GroupSignal, Signal } from '../../contract/signal.ts';
import type { Occupants } from './occupants.ts';
import type { KnownAbout } from './room-about.ts';

export const GATHER_MS = 1000;

export interface RoomChanges {
  /** What the room says of itself is another. @param by undefined: as was said before, else nobody */
  onAbout(by?: string | null): void;
  /** What is to be told now; it counts as told then. For the rest it wakes again. */
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
