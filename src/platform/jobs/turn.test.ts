import { expect, test } from 'vitest';
import { BATCHES_OF_TURN, createTurn, performInTurn } from './turn.ts';

const endless = { signal: new AbortController().signal };

test('a turn is over after its batches if others are due then, and is asked only then', async () => {
  let asked = 0;
  const turn = createTurn(endless.signal, async () => ++asked === 2);
  let batches = 0;
  expect(await performInTurn(turn, async () => ++batches > 0)).toBe(false);
  expect([batches, asked]).toEqual([2 * BATCHES_OF_TURN, 2]);
});

test('work that ends with its turn is done', async () => {
  const turn = createTurn(endless.signal, async () => true);
  let batches = 0;
  expect(await performInTurn(turn, async () => ++batches < BATCHES_OF_TURN)).toBe(true);
});

test('a process that stops ends a job between two batches, and not as if it were done', async () => {
  const stopping = new AbortController();
  const turn = createTurn(stopping.signal, async () => false);
  let batches = 0;
  const batch = async (): Promise<boolean> => {
    if (++batches === 3) stopping.abort(new Error('stopping'));
    return true;
  };
  await expect(performInTurn(turn, batch)).rejects.toThrow('stopping');
  expect(batches).toBe(3);
});
