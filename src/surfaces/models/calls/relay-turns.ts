/**
 * Shares the event loop between the responses that are relayed and everything else. A provider that sends as fast as it is
 * read would otherwise keep this process busy with its pieces alone: each turn of the loop would be as long as all streams
 * together need, and an API call takes several turns.
 */

/** Bytes that all relays together read in one turn of the event loop: some milliseconds of work for small frames. */
const TURN_BYTES = 64 * 1024;

export interface RelayTurns {
  /**
   * Waits until `bytes` may be read in this turn, synchronously if that is already the case. The longest waiting relay
   * goes first.
   */
  take(bytes: number): Promise<void> | null;
}

/** @param nextTurn calls back in the next turn of the event loop */
export function createRelayTurns(nextTurn: (begin: () => void) => void = setImmediate): RelayTurns {
  const waiting: { bytes: number; resolve: () => void }[] = [];
  let left = TURN_BYTES;
  let isBooked = false;

  const book = (): void => {
    if (isBooked) return;
    isBooked = true;
    nextTurn(begin);
  };
  function begin(): void {
    isBooked = false;
    left = TURN_BYTES;
    while (left > 0 && waiting.length > 0) {
      const { bytes, resolve } = waiting.shift()!;
      left -= bytes;
      resolve();
    }
    if (left < TURN_BYTES) book();
  }

  return {
    take(bytes) {
      book();
      if (left > 0 && waiting.length === 0) {
        left -= bytes;
        return null;
      }
      return new Promise((resolve) => waiting.push({ bytes, resolve }));
    },
  };
}

/** Of this process. */
export const relayTurns = createRelayTurns();
