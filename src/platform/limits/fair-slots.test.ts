import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFairSlots, type HeldSlot } from './fair-slots.ts';

const AFTER_MS = 5_000;

/** Takes as many as one may. */
function takeAll(slots: ReturnType<typeof createFairSlots>, person: string): HeldSlot[] {
  const taken: HeldSlot[] = [];
  while (slots.may(person)) taken.push(slots.take(person));
  return taken;
}

test('whatever persons do, further work leaves the reserve, and a newcomer gets any slot that is free', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ take: fc.nat(20) }) },
    { weight: 2, arbitrary: fc.record({ release: fc.nat(100) }) },
    { weight: 1, arbitrary: fc.record({ wait: fc.nat(AFTER_MS) }) },
  );
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 120 }),
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      (steps, capacity, isSlow) => {
        let time = 0;
        const slow = isSlow ? { afterMs: AFTER_MS, places: 2 * capacity } : undefined;
        const slots = createFairSlots({ capacity, slow, now: () => time });
        const reserve = capacity === 1 ? 0 : Math.ceil(capacity / 4);
        const all: { person: string; slot: HeldSlot; since: number }[] = [];
        const punished = new Set<string>();
        for (const one of steps) {
          if ('wait' in one) time += one.wait;
          for (const { person, since } of all) if (isSlow && time - since >= AFTER_MS) punished.add(person);
          if ('release' in one && all.length) all.splice(one.release % all.length, 1)[0]!.slot.release();
          if (!('take' in one)) continue;
          const person = `${one.take}`;
          const own = all.filter((other) => other.person === person).length;
          const free = slots.free();
          const may = slots.may(person);
          if (own === 0 && !punished.has(person)) expect(may).toBe(free > 0);
          else if (may && !(own + 1 <= (free - 1) / 8 && !punished.has(person)))
            expect(free - 1).toBeGreaterThanOrEqual(Math.max(reserve, own > 0 ? own + 1 : 0));
          if (free > 0) expect(slots.barred().includes(person)).toBe(!may);
          if (may) all.push({ person, slot: slots.take(person), since: time });
          expect(all.length).toBeLessThanOrEqual(capacity * (isSlow ? 3 : 1));
        }
        for (const { slot } of all) slot.release();
        expect(slots.free()).toBe(capacity);
      },
    ),
    { numRuns: 200 },
  );
});

test('dividing gives nobody more while somebody with less wants more and may have it', () => {
  const persons = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
    fc.integer({ min: 1, max: 30 }),
  );
  fc.assert(
    fc.property(persons, persons, fc.integer({ min: 1, max: 40 }), (before, wanted, capacity) => {
      const slots = createFairSlots({ capacity });
      const held = new Map<string, number>();
      for (const [person, count] of Object.entries(before))
        for (let n = 0; n < count && slots.may(person); n++) {
          slots.take(person);
          held.set(person, (held.get(person) ?? 0) + 1);
        }
      const given = slots.divide(new Map(Object.entries(wanted)));
      const sum = [...given.values()].reduce((total, count) => total + count, 0);
      expect(sum).toBeLessThanOrEqual(slots.free());
      for (const [person, count] of given) {
        expect(count).toBeLessThanOrEqual(wanted[person]!);
        for (let n = 0; n < count; n++) slots.take(person);
        held.set(person, (held.get(person) ?? 0) + count);
      }
      const open = Object.entries(wanted).filter(([person, count]) => (given.get(person) ?? 0) < count);
      for (const [person] of open) {
        expect(slots.may(person)).toBe(false);
        for (const [other, count] of given)
          if (count > 0) expect(held.get(other)!).toBeLessThanOrEqual((held.get(person) ?? 0) + 1);
      }
    }),
    { numRuns: 200 },
  );
});

test.each([
  { attackers: 1, capacity: 8 },
  { attackers: 2, capacity: 8 },
  { attackers: 3, capacity: 8 },
  { attackers: 4, capacity: 16 },
  { attackers: 16, capacity: 96 },
])(
  'a newcomer gets a slot beside hung work of $attackers persons who want all $capacity',
  ({ attackers, capacity }) => {
    const slots = createFairSlots({ capacity });
    for (let n = 0; n < attackers; n++) takeAll(slots, `attacker ${n}`);
    expect(slots.may('victim')).toBe(true);
  },
);

test.each([1, 2, 4, 16])(
  'hung work of %i persons fills the reserve once, until it counts as slow',
  (attackers) => {
    let time = 0;
    const slots = createFairSlots({ capacity: 8, slow: { afterMs: AFTER_MS, places: 32 }, now: () => time });
    const takeTurns = (): void => {
      for (let n = 0; n < attackers; n++) takeAll(slots, `attacker ${n}`);
    };
    for (let first = 0; first < attackers; first += 2) {
      takeTurns();
      time += AFTER_MS;
    }
    for (let round = 0; round < 20; round++) {
      takeTurns();
      expect(slots.may('victim')).toBe(true);
      time += AFTER_MS / 4;
    }
  },
);

test('slow work ends the penalty of its person after ten minutes', () => {
  let time = 0;
  const slots = createFairSlots({ capacity: 4, slow: { afterMs: AFTER_MS, places: 4 }, now: () => time });
  const slot = slots.take('slow');
  time += AFTER_MS;
  slot.release();
  for (const other of ['a', 'b', 'c']) slots.take(other);
  expect(slots.barred()).toContain('slow');
  expect(slots.may('newcomer')).toBe(true);
  time += 600_001;
  // Those of the others have become slow as well, and hold no slots.
  for (const other of ['d', 'e', 'f']) slots.take(other);
  expect(slots.may('slow')).toBe(true);
});
