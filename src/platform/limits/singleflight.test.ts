import { expect, test } from 'vitest';
import { createSingleflight } from './singleflight.ts';

/** Reads that end when they are told to. */
function heldReads() {
  const begun: { name: string; end: (value: string | Error) => void }[] = [];
  const read = createSingleflight(
    (name: string) =>
      new Promise<string>((resolve, reject) => {
        begun.push({ name, end: (value) => (value instanceof Error ? reject(value) : resolve(value)) });
      }),
  );
  const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
  return { begun, read, turn };
}

test('who asks together shares a read; who asks while it runs, the one after it', async () => {
  const { begun, read, turn } = heldReads();
  const first = [read('a'), read('a')];
  await turn();
  expect(begun.map(({ name }) => name)).toEqual(['a']);
  const later = [read('a'), read('a')];
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]!.end('old');
  expect(await Promise.all(first)).toEqual(['old', 'old']);
  await turn();
  expect(begun).toHaveLength(2);
  begun[1]!.end('new');
  expect(await Promise.all(later)).toEqual(['new', 'new']);
});

test('reads of different things do not wait for each other', async () => {
  const { begun, read, turn } = heldReads();
  const [a, b] = [read('a'), read('b')];
  await turn();
  expect(begun.map(({ name }) => name)).toEqual(['a', 'b']);
  begun[1]!.end('B');
  expect(await b).toBe('B');
  begun[0]!.end('A');
  expect(await a).toBe('A');
});

test('a read that fails fails those who shared it, and nobody later', async () => {
  const { begun, read, turn } = heldReads();
  const both = [read('a'), read('a')];
  await turn();
  const later = read('a');
  begun[0]!.end(new Error('away'));
  for (const result of await Promise.allSettled(both))
    expect(result).toEqual({ status: 'rejected', reason: new Error('away') });
  await turn();
  begun[1]!.end('back');
  expect(await later).toBe('back');
  const again = read('a');
  await turn();
  begun[2]!.end('again');
  expect(await again).toBe('again');
});
