import { expect, test, vi } from 'vitest';
import { createRouteCache } from './route-cache.ts';

const world = (limits: { found?: number; weight?: number; missing?: number } = {}) => {
  const rows = new Map<string, { value: number }>();
  const reads: string[][] = [];
  let gate = async (): Promise<void> => {};
  const memory = createRouteCache<{ value: number }>({
    maxEntries: limits.found ?? 100,
    maxWeight: limits.weight ?? 1_000_000,
    maxMissing: limits.missing ?? 100,
    weigh: () => 1,
    async readAll(keys) {
      reads.push(keys);
      const seen = new Map(keys.flatMap((key) => (rows.has(key) ? [[key, rows.get(key)!]] : [])));
      await gate();
      return seen;
    },
  });
  return { rows, reads, memory, hold: (until: () => Promise<void>) => (gate = until) };
};

test('misses at the same time are one statement, and each key is in it once', async () => {
  const { rows, reads, memory } = world();
  rows.set('a', { value: 1 });
  const got = await Promise.all(['a', 'b', 'a', 'b', 'a'].map((key) => memory.read(key)));
  expect(got).toEqual([{ value: 1 }, null, { value: 1 }, null, { value: 1 }]);
  expect(reads).toEqual([['a', 'b']]);
  expect([memory.peek('a'), memory.peek('b'), memory.peek('c')]).toEqual([{ value: 1 }, null, undefined]);
});

test('what is read while a change of it becomes known is not kept', async () => {
  const { rows, reads, memory, hold } = world();
  rows.set('a', { value: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();
  hold(() => promise);
  const reading = memory.read('a');
  await vi.waitFor(() => expect(reads).toHaveLength(1));
  rows.set('a', { value: 2 });
  await memory.refresh(['a']);
  resolve();
  expect(await reading).toEqual({ value: 1 });
  expect(memory.peek('a')).toBeUndefined();
  expect(await memory.read('a')).toEqual({ value: 2 });
});

test('a scanner pushes out nothing that is visited, nor grows anything', async () => {
  const { rows, memory } = world({ missing: 50 });
  for (let nth = 0; nth < 80; nth++) rows.set(`hot${nth}`, { value: nth });
  await Promise.all([...rows.keys()].map((key) => memory.read(key)));
  const sizeBefore = memory.size().found;
  for (let nth = 0; nth < 1_000; nth++) await memory.read(`guess${nth}`);
  expect(memory.size().found).toBe(sizeBefore);
  expect(memory.size().missing).toBeLessThanOrEqual(50);
});

test('a fault is told to all who wait, and the next may succeed', async () => {
  const { rows, memory, hold } = world();
  rows.set('a', { value: 1 });
  hold(() => Promise.reject(new Error('away')));
  await expect(Promise.all([memory.read('a'), memory.read('b')])).rejects.toThrow('away');
  hold(async () => {});
  expect(await memory.read('a')).toEqual({ value: 1 });
});
