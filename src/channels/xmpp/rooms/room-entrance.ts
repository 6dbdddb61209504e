/** What the account waits for while it enters one room: to be let in, and for the subject, which rooms send last. */
import type { XmppStream } from '../session/stream.ts';
import type { RoomPosition } from '../session/position.ts';
import { enterAs, getSince } from './join-leave.ts';
import type { Entry } from './room.ts';
import { within } from './within.ts';

/** Rooms send their subject last, but some send none. */
const SUBJECT_MS = 3000;

export interface RoomEntrance {
  /** It enters anew: an earlier subject doesn't count. */
  begin(): void;
  /**
   * Asks to be let in. @param position up to where the room was heard; undefined where its history isn't wanted
   * @returns whether the room did not exist before. @throws DriverError
   */
  knock(entry: Entry, position: RoomPosition | undefined, signal: AbortSignal | undefined): Promise<boolean>;
  /** The room let it in. */
  onEntered(isNew: boolean): void;
  /** The room did not, or nobody waits for it any more. */
  onRefused(fault: Error): void;
  onSubject(): void;
  /** Resolves once the subject has come, or doesn't come in time. @throws DriverError if the call was given up */
  waitForSubject(signal: AbortSignal | undefined): Promise<void>;
}

/** @param awaitAs called with each nick that it tries; throws where the account is to enter no more */
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
