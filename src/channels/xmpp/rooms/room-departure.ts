/** Leaves one room permanently. The account is out once the room shows it, or does not respond in time. */
import type { XmppStream } from '../session/stream.ts';
import { ENTER_MS, leavePermanently } from './join-leave.ts';
import { leavePresence } from './muc.ts';
import type { Self } from './people.ts';
import { within } from './within.ts';

export interface RoomDeparture {
  /** @param isIn whether the account is in the room. @returns whether the room showed it. @throws DriverError */
  leave(isIn: () => boolean, signal: AbortSignal): Promise<boolean>;
  /**
   * Returns the pending departure once, for reporting that the account is out; null if the account didn't initiate it.
   */
  take(): PromiseWithResolvers<void> | null;
}

export function createRoomDeparture(
  stream: XmppStream,
  address: string,
  self: Readonly<Self>,
): RoomDeparture {
  let left: PromiseWithResolvers<void> | null = null;
  return {
    async leave(isIn, signal) {
      left = Promise.withResolvers();
      const reported = left.promise.then(() => true);
      reported.catch(() => {}); // unhandled if writing fails first
      await leavePermanently(stream, address, self.affiliation, signal);
      if (isIn()) await stream.send(leavePresence(`${address}/${self.nick}`));
      return (await within(reported, ENTER_MS, signal, () => null)) ?? false;
    },
    take() {
      const waits = left;
      left = null;
      return waits;
    },
  };
}
