import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createFairGate } from './fair-gate.ts';

class Full extends Error {}
const refuse = (): Error => new Full();
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Tasks at a gate that end when they are told to. */
function heldTasks(gate: ReturnType<typeof createFairGate>) {
  const begun: string[] = [];
  const running: { key: string; end: (error?: Error) => void }[] = [];
  const ask = (key: string, signal?: AbortSignal): Promise<string> =>
    gate(
      [key],
      () =>
        new Promise<string>((resolve, reject) => {
          begun.push(key);
          const task = {
            key,
            end(error?: Error) {
              running.splice(running.indexOf(task), 1);
              if (error) reject(error);
              else resolve(key);
            },
          };
          running.push(task);
        }),
      signal,
    );
  return { begun, running, ask };
}

test('no slot is free while somebody waits who may have it, whatever ends, fails, is refused or aborted', async () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ ask: fc.constantFrom('a', 'b', 'c') }) },
      { weight: 2, arbitrary: fc.record({ end: fc.nat(100), fails: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ abort: fc.nat(100) }) },
    ),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), fc.nat(8), async (all, capacity, maxWaiting) => {
      const { running, ask } = heldTasks(createFairGate({ capacity, maxWaiting, refuse }));
      const mayHold = (key: string): boolean => {
        const free = capacity - running.length;
        const own = running.filter((task) => task.key === key).length;
        return own === 0 ? free > 0 : free - 1 >= Math.max(Math.ceil(capacity / 4), own + 1);
      };
      const open = new Map<AbortController, string>();
      const results: Promise<unknown>[] = [];
      for (const step of all) {
        if ('ask' in step) {
          const controller = new AbortController();
          open.set(controller, step.ask);
          const asked = ask(step.ask, controller.signal).finally(() => open.delete(controller));
          results.push(asked.catch((error: unknown) => error));
        } else if ('end' in step)
          running[step.end % running.length]?.end(step.fails ? new Error('failed') : undefined);
        else [...open.keys()][step.abort % open.size]?.abort(new Error('aborted'));
        await turn();
        // An aborted task that has begun goes on, as `work` decides itself.
        expect(running.length).toBeLessThanOrEqual(capacity);
        expect(open.size).toBeLessThanOrEqual(capacity + maxWaiting);
        for (const key of 'abc') {
          const asked = [...open.values()].filter((one) => one === key).length;
          if (asked > running.filter((task) => task.key === key).length) expect(mayHold(key)).toBe(false);
        }
      }
      while (running.length) {
        running[0]!.end();
        await turn();
      }
      expect(open.size).toBe(0);
      await Promise.all(results);
    }),
    { numRuns: 60 },
  );
});

/** Capacities of the gates: thumbnails, pages of events, visits and inspectors, rule steps, look-ups. */
const CAPACITIES = [1, 2, 4, 6, 8];
test.each(CAPACITIES.flatMap((capacity) => [1, 2, 4, 16].map((attackers) => ({ capacity, attackers }))))(
  'of $capacity slots, somebody waits for one turn of each of $attackers persons with six workspaces, and for none beside few',
  async ({ capacity, attackers }) => {
    const gate = createFairGate({ capacity });
    const begun: string[] = [];
    const running: (() => void)[] = [];
    const ask = (person: string, workspace: string): Promise<void> =>
      gate([person, workspace], async () => {
        begun.push(person);
        await new Promise<void>((resolve) => running.push(resolve));
      });
    const asked = Array.from({ length: attackers * 30 }, (_, nth) =>
      ask(`attacker ${nth % attackers}`, `${nth % attackers} ${nth % 6}`),
    );
    for (let ended = 0; ended < capacity; ended++) {
      running.shift()!();
      await turn();
    }
    const before = begun.length;
    asked.push(ask('victim', 'own'));
    await turn();
    // The reserve: hung work of one or two persons leaves a slot of four and more to whoever has none.
    if (attackers <= 2 && capacity >= 4) expect(begun.at(-1)).toBe('victim');
    while (!begun.includes('victim')) {
      running.shift()!();
      await turn();
    }
    const between = begun.slice(before, begun.indexOf('victim'));
    expect(new Set(between).size).toBe(between.length);
    while (running.length) {
      running.shift()!();
      await turn();
    }
    await Promise.all(asked);
  },
);

test('one key alone uses half of the slots and all of the room', async () => {
  const { begun, running, ask } = heldTasks(createFairGate({ capacity: 4, maxWaiting: 3, refuse }));
  const asked = Array.from({ length: 6 }, () => ask('a'));
  await expect(asked[5]).rejects.toThrow(Full);
  expect(running).toHaveLength(2);
  while (running.length) {
    running[0]!.end();
    await turn();
  }
  expect(begun).toHaveLength(5);
});

test('whoever comes to a full room takes the place of the newest waiter of the key with the most', async () => {
  const { begun, running, ask } = heldTasks(createFairGate({ capacity: 1, maxWaiting: 4, refuse }));
  const flood = Array.from({ length: 5 }, () => ask('flood'));
  const victim = ask('victim');
  await expect(flood[4]).rejects.toThrow(Full);
  while (running.length) {
    running[0]!.end();
    await turn();
  }
  expect(await victim).toBe('victim');
  expect(begun).toEqual(['flood', 'flood', 'victim', 'flood', 'flood']);
});

test('few wait under one path, and others have the rest of the room', async () => {
  const gate = createFairGate({ capacity: 1, maxWaiting: 4, maxWaitingPerPath: 1, refuse });
  const { running, ask } = heldTasks(gate);
  const [first, second, third] = [ask('a'), ask('a'), ask('a')];
  await expect(third).rejects.toThrow(Full);
  const other = ask('b');
  while (running.length) {
    running[0]!.end();
    await turn();
  }
  expect(await Promise.all([first, second, other])).toEqual(['a', 'a', 'b']);
});

test('a signal that is aborted already gets no slot', async () => {
  const { begun, ask } = heldTasks(createFairGate({ capacity: 1, maxWaiting: 1, refuse }));
  await expect(ask('a', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  expect(begun).toEqual([]);
});

test('work without an owner uses all slots', async () => {
  const gate = createFairGate({ capacity: 3 });
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  const all = Array.from({ length: 5 }, () => gate([], () => (begun++, promise)));
  expect(begun).toBe(3);
  resolve();
  await Promise.all(all);
  expect(begun).toBe(5);
});

test('slow work gives its slot to somebody who waits', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const { begun, ask } = heldTasks(createFairGate({ capacity: 1, slow: { afterMs: 5_000, places: 2 } }));
    void ask('slow');
    void ask('victim');
    await vi.advanceTimersByTimeAsync(4_999);
    expect(begun).toEqual(['slow']);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['slow', 'victim']);
  } finally {
    vi.useRealTimers();
  }
});
