import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFairQueue, type Entry } from './fair-queue.ts';

interface Item {
  path: string[];
  at: number;
}

type Step = { add: string[] } | { take: true } | { remove: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        add: fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('x', 'y', 'z')),
      }),
    },
    // One key that asks for more than all others.
    { weight: 3, arbitrary: fc.record({ add: fc.tuple(fc.constant('a'), fc.constant('x')) }) },
    { weight: 6, arbitrary: fc.record({ take: fc.constant(true as const) }) },
    { weight: 1, arbitrary: fc.record({ remove: fc.nat(1_000) }) },
  ),
  { maxLength: 120 },
);

const getRoot = (entry: Entry<Item>) => {
  let node = entry.leaf;
  while (node.parent) node = node.parent;
  return node;
};

const countBy = (items: readonly Item[], level: number) => {
  const counts = new Map<string, number>();
  for (const { path } of items) counts.set(path[level]!, (counts.get(path[level]!) ?? 0) + 1);
  return counts;
};

/**
 * Fails if, in any run of N grants during which k keys wait, a key gets more than ceil(N / k) + 1.
 * @param grants of one parent: the key served, and those that waited just before
 */
function checkShares(grants: { served: string; waited: Set<string> }[]): void {
  for (let from = 0; from < grants.length; from++) {
    let waiting = grants[from]!.waited;
    const got = new Map<string, number>();
    for (let to = from; to < grants.length; to++) {
      const { served, waited } = grants[to]!;
      waiting = waiting.intersection(waited);
      got.set(served, (got.get(served) ?? 0) + 1);
      if (waiting.size === 0) break;
      const share = Math.ceil((to - from + 1) / waiting.size) + 1;
      expect(Math.max(...got.values())).toBeLessThanOrEqual(share);
    }
  }
}

test('turns and room are shared max-min at each level, and nothing of a key is left', () => {
  fc.assert(
    fc.property(
      steps,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 20 }),
      (all, max, perPath) => {
        const waiting = new Map<Item, Entry<Item>>();
        const dropped: Item[] = [];
        const queue = createFairQueue<Item>({
          max,
          maxPerPath: perPath,
          onDropped: (item) => dropped.push(item),
        });
        const wide: { served: string; waited: Set<string> }[] = [];
        const narrow = new Map<string, typeof wide>();
        let root = null as ReturnType<typeof getRoot> | null;

        const add = (path: string[], at: number): void => {
          const item = { path, at };
          dropped.length = 0;
          const entry = queue.add(path, item);
          root ??= getRoot(entry);
          const before = [...waiting.keys(), item];
          waiting.set(item, entry);
          const alike = before.filter((one) => one.path.join() === path.join());
          if (alike.length <= perPath && before.length <= max) {
            expect(dropped).toEqual([]);
            return;
          }
          expect(dropped).toHaveLength(1);
          const [out] = dropped as [Item];
          waiting.delete(out);
          if (alike.length > perPath) {
            expect(out).toBe(item);
            return;
          }
          // The key with the most waiting, then the one with the most below it, then its newest.
          for (const level of [0, 1]) {
            const peers = level === 0 ? before : before.filter((one) => one.path[0] === out.path[0]);
            const counts = countBy(peers, level);
            expect(counts.get(out.path[level]!)).toBe(Math.max(...counts.values()));
          }
          expect(before.findLast((one) => one.path.join() === out.path.join())).toBe(out);
        };

        const take = (): void => {
          const item = queue.take();
          expect(item === undefined).toBe(waiting.size === 0);
          if (!item) return;
          const before = [...waiting.keys()];
          const [first, second] = item.path as [string, string];
          expect(before.find((one) => one.path.join() === item.path.join())).toBe(item);
          wide.push({ served: first, waited: new Set(countBy(before, 0).keys()) });
          const below = before.filter((one) => one.path[0] === first);
          if (!narrow.has(first)) narrow.set(first, []);
          narrow.get(first)!.push({ served: second, waited: new Set(countBy(below, 1).keys()) });
          waiting.delete(item);
        };

        for (const [at, step] of all.entries()) {
          if ('add' in step) add(step.add, at);
          else if ('take' in step) take();
          else if (waiting.size) {
            const [item, entry] = [...waiting][step.remove % waiting.size]!;
            queue.remove(entry);
            waiting.delete(item);
          }
          expect(queue.size).toBe(waiting.size);
          expect(queue.size).toBeLessThanOrEqual(max);
          if (root)
            expect([...root.children.keys()].sort()).toEqual(
              [...countBy([...waiting.keys()], 0).keys()].sort(),
            );
        }
        while (waiting.size) take();
        checkShares(wide);
        for (const grants of narrow.values()) checkShares(grants);
        if (!root) return;
        expect([root.size, root.largest, root.children.size, root.bySize.size]).toEqual([0, 0, 0, 0]);
        expect([root.turns.first, root.turns.last]).toEqual([null, null]);
      },
    ),
  );
});

test.each([1, 10, 100])(
  'one key is served after at most one of each of %i others, however many wait',
  (others) => {
    const queue = createFairQueue<string>({ max: 1_000, onDropped: () => {} });
    for (let n = 0; n < 1_000; n++) queue.add([`other ${n % others}`], 'other');
    queue.add(['victim'], 'victim');
    let before = 0;
    while (queue.take() !== 'victim') before++;
    expect(before).toBe(others);
  },
);

test('a path cannot be the beginning of another one', () => {
  const queue = createFairQueue<number>({ max: 10, onDropped: () => {} });
  queue.add(['a', 'b'], 1);
  expect(() => queue.add(['a'], 2)).toThrow('beginning');
  expect(() => queue.add(['a', 'b', 'c'], 3)).toThrow('beginning');
  expect([queue.take(), queue.take(), queue.size]).toEqual([1, undefined, 0]);
});
