import { expect, test } from 'vitest';
import {
  createCallWorld,
  delta,
  DONE,
  stream,
  STOP,
  STREAMED,
} from '../../../../test/support/models/call-world.ts';
import { createRelayTurns } from './relay-turns.ts';

const KIB = 1024;

/** Turns of the event loop that are begun by hand. */
function createLoop() {
  const begins: (() => void)[] = [];
  const turns = createRelayTurns((begin) => void begins.push(begin));
  return { turns, begin: () => begins.shift()?.(), booked: () => begins.length };
}

test('a turn is shared by all, and who waited longest goes first in the next', async () => {
  const { turns, begin, booked } = createLoop();
  expect(turns.take(60 * KIB)).toBeNull();
  expect(turns.take(60 * KIB)).toBeNull();
  const order: string[] = [];
  const waiting = ['a', 'b', 'c'].map((name) => turns.take(40 * KIB)!.then(() => order.push(name)));
  expect(order).toEqual([]);
  begin();
  await Promise.all(waiting.slice(0, 2));
  expect(order).toEqual(['a', 'b']);
  begin();
  await waiting[2];
  expect(order).toEqual(['a', 'b', 'c']);
  begin();
  expect(booked()).toBe(0);
});

test('a lone piece never waits', () => {
  const { turns, begin } = createLoop();
  for (let piece = 0; piece < 100; piece++) {
    expect(turns.take(KIB)).toBeNull();
    begin();
  }
});

test('streams that come as fast as they are read leave turns to others', async () => {
  const chunk = delta('a'.repeat(64 * KIB));
  const world = createCallWorld([stream(...Array.from({ length: 50 }, () => chunk), STOP, DONE)]);
  let turnsOfOthers = 0;
  let isOver = false;
  const count = (): void => {
    turnsOfOthers += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const outputs = await Promise.all([world.run(STREAMED), world.run(STREAMED)]);
  isOver = true;
  for (const output of outputs) expect(output.text()).toBe(chunk.repeat(50) + STOP + DONE);
  expect(turnsOfOthers).toBeGreaterThan(90);
});
