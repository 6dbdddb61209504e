import { describe, expect, test } from 'vitest';
import { Problem } from './problem.ts';
import { createSharedInFlight } from './ingress-limits.ts';

const MAX = 400;

/** Enters in turns for each of these until none may. @returns how many each has under way */
function fill(enter: (name: string) => unknown, names: string[]): Map<string, number> {
  const held = new Map(names.map((name) => [name, 0]));
  const trying = new Set(names);
  while (trying.size)
    for (const name of trying)
      try {
        enter(name);
        held.set(name, held.get(name)! + 1);
      } catch (error) {
        expect(error).toBeInstanceOf(Problem);
        trying.delete(name);
      }
  return held;
}

describe('requests under way', () => {
  test.each([1, 10, 100])('of %i persons who send as many as they may leave one more theirs', (others) => {
    const shared = createSharedInFlight(MAX);
    const names = Array.from({ length: others }, (_, n) => `other ${n}`);
    const held = fill((name) => shared.enter(name), names);
    expect(Math.max(...held.values()) - Math.min(...held.values())).toBeLessThanOrEqual(1);
    expect(() => shared.enter('victim')).not.toThrow();
  });

  test('of one person alone may be three quarters', () => {
    const shared = createSharedInFlight(MAX);
    expect(fill((name) => shared.enter(name), ['alone']).get('alone')).toBe((MAX * 3) / 4);
  });

  test('end with their requests', () => {
    const shared = createSharedInFlight(MAX);
    const leave: (() => void)[] = [];
    fill((name) => leave.push(shared.enter(name)), ['other']);
    for (const one of leave) one();
    expect(fill((name) => shared.enter(name), ['other']).get('other')).toBe((MAX * 3) / 4);
  });
});

describe('look-ups under way', () => {
  test('of all networks of one site leave other callers theirs, and end with what they find', async () => {
    const shared = createSharedInFlight(MAX);
    const { promise, resolve } = Promise.withResolvers<void>();
    let begun = 0;
    const lookUp = (address: string) =>
      shared.lookUp(address, () => {
        begun += 1;
        return promise;
      });
    const flood = Promise.allSettled(
      Array.from({ length: 1_000 }, (_, n) => lookUp(`2001:db8:1:${n.toString(16)}::1`)),
    );
    expect(begun).toBe((MAX * 3) / 4);
    const victim = lookUp('203.0.113.1');
    resolve();
    await expect(victim).resolves.toBeUndefined();
    expect((await flood).filter(({ status }) => status === 'rejected')).toHaveLength(1_000 - (MAX * 3) / 4);
    await expect(lookUp('2001:db8:1::1')).resolves.toBeUndefined();
  });
});
