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
  return (await walkInTurn(turn, '', async () => ((await batch()) ? '' : undefined))) === undefined;
}

/**
 * Performs the windows of a walk until it is at its end or the turn is over.
 * @param position where the walk begins, in a form of its own
 * @param performWindow performs what follows a position, and returns the position behind it; undefined at the end
 * @returns the position at which the next turn continues; undefined at the end
 * @throws the reason of the turn's signal, between windows
 */
export async function walkInTurn(
  turn: JobTurn,
  position: string,
  performWindow: (position: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  for (let at = position; ;) {
    turn.signal.throwIfAborted();
    const next = await performWindow(at);
    if (next === undefined || (await turn.isOver())) return next;
    at = next;
  }
}

/** Where a job of several steps continues: a step by its name, and a position in it. Positions hold no personal data. */
export interface Progress {
  step: string;
  position: string;
}

/** A step of a job, made for one turn. */
export interface Step {
  /** Unique in its job, and kept once released: jobs of an earlier version continue by it. */
  name: string;
  /**
   * May be performed again.
   * @param position '' for the beginning
   * @returns the position at which the next turn continues; undefined when the step is done
   */
  perform(position: string): Promise<string | undefined>;
}

/**
 * Performs the steps of a job, one after the other, until all are done or the turn is over.
 * @param progress where the last turn ended; where it names no step, all are performed
 * @returns where the next turn continues; undefined when all are done
 * @throws what a step throws
 */
export async function performSteps(
  steps: readonly Step[],
  progress?: Progress,
): Promise<Progress | undefined> {
  const first = Math.max(
    0,
    steps.findIndex(({ name }) => name === progress?.step),
  );
  for (const [nth, { name, perform }] of steps.slice(first).entries()) {
    const from = nth === 0 && progress?.step === name ? progress.position : '';
    const position = await perform(from);
    if (position !== undefined) return { step: name, position };
  }
  return undefined;
}
