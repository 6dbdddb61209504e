/** Turns of a long job (src/platform/jobs/turn.ts) for which others always wait. */
import { expect } from 'vitest';
import type { JobTurn } from '../../src/platform/jobs/turn.ts';

/** A turn that is over after so many batches. */
export function makeTurn(batches: number): JobTurn {
  let done = 0;
  return { signal: new AbortController().signal, isOver: async () => ++done % batches === 0 };
}

/** Performs a job in turns of one batch. @returns how many it took */
export async function performInTurns<P>(
  perform: (payload: P, turn: JobTurn) => Promise<P | void>,
  payload: P,
): Promise<number> {
  let left: P | void = payload;
  let turns = 0;
  while (left) {
    left = await perform(left, makeTurn(1));
    turns += 1;
    expect(turns).toBeLessThan(1_000);
  }
  return turns;
}
