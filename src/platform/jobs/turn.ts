/**
 * Long jobs are cut into turns: after some batches, a job for which others wait leaves the rest to a job of its own, which
 * runs when its share is next (turns.system-store.ts). So a job waits for one turn of each other share, however much they
 * have to do.
 */

/** After so many batches a job asks whether others are due. */
export const BATCHES_OF_TURN = 25;

export interface JobTurn {
  /** Aborts when the time is up or the process stops. */
  signal: AbortSignal;
  /**
   * To be asked after each batch.
   * @returns whether the rest is for the next turn: the handler then returns the payload that goes on behind this batch
   */
  isOver(): Promise<boolean>;
}

/** @param othersAreDue whether jobs of other shares wait */
export function createTurn(signal: AbortSignal, othersAreDue: () => Promise<boolean>): JobTurn {
  let batches = 0;
  return {
    signal,
    async isOver() {
      batches += 1;
      return batches % BATCHES_OF_TURN === 0 && (await othersAreDue());
    },
  };
}

/** The turn of work that nobody waits for. */
export const UNSHARED: JobTurn = createTurn(new AbortController().signal, async () => false);

/**
 * Performs batches until none is left or the turn is over.
 * @param batch returns whether there may be more
 * @returns whether all is done
 * @throws the reason of the turn's signal, between batches
 */
export async function performInTurn(turn: JobTurn, batch: () => Promise<boolean>): Promise<boolean> {
  for (;;) {
    turn.signal.throwIfAborted();
    if (!(await batch())) return true;
    if (await turn.isOver()) return false;
  }
}
