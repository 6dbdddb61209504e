/** Waits while the account enters a room: to be admitted, and for the subject, which rooms send last. */
import type { XmppStream } from '../session/stream.ts';
import type { RoomPosition } from '../session/position.ts';
import { enterAs, getSince } from './join-leave.ts';
import type { Entry } from './room.ts';
import { within } from './within.ts';

/** Rooms send their subject last, but some send none. */
const SUBJECT_MS = 3000;

export interface RoomEntrance {
  /** Starts a new entry, for which an earlier subject doesn't count. */
  begin(): void;
  /**
   * Asks to be admitted.
   * @param position how far the room was received; undefined if no history is wanted
   * @returns whether the room was created
   * @throws DriverError
   */
  knock(entry: Entry, position: RoomPosition | undefined, signal: AbortSignal | undefined): Promise<boolean>;
  /** Called when the room admits the account. */
  onEntered(isNew: boolean): void;
  /** Called when the room rejects the account, or the entry is abandoned. */
  onRefused(fault: Error): void;
  onSubject(): void;
  /** Resolves once the subject arrives or the wait times out. @throws DriverError if the call was canceled */
  waitForSubject(signal: AbortSignal | undefined): Promise<void>;
}

/** @param awaitAs called with each attempted nick; throws if the account must not enter anymore */
export function createRoomEntrance(
  stream: XmppStream,
  address: string,
  awaitAs: (nick: string) => void,
): RoomEntrance {
  let entered: PromiseWithResolvers<boolean> | null = null;
  let hasSubject = Promise.withResolvers<void>();
  return {
    begin() {
      hasSubject = Promise.withResolvers();
    },
    async knock(entry, position, signal) {
      try {
        return await enterAs(stream, address, { ...entry, since: getSince(position) }, signal, (nick) => {
          awaitAs(nick);
          return (entered = Promise.withResolvers()).promise;
        });
      } finally {
        entered = null;
      }
    },
    onEntered: (isNew) => entered?.resolve(isNew),
    onRefused: (fault) => entered?.reject(fault),
    onSubject: () => hasSubject.resolve(),
    async waitForSubject(signal) {
      await within(hasSubject.promise, SUBJECT_MS, signal, () => null);
    },
  };
}
