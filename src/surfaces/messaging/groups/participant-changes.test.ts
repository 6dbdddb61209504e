/**
 * Tests reported participants in any order: the stored state equals the reported one, and repeated reports are no
 * changes.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GroupSignal } from '../../../channels/contract/signal.ts';
import { getDifference } from './participant-changes.ts';
import type { ParticipantRow } from '../records/participant.store.ts';

type Told = NonNullable<GroupSignal['participants']>;

const address = fc.constantFrom('a', 'b', 'c', 'd', 'e\0');
const role = fc.constantFrom('owner' as const, 'admin' as const, 'member' as const);
const name = fc.option(fc.string({ maxLength: 5 }), { nil: undefined });
const all = fc.uniqueArray(fc.record({ address, role, name }), { selector: (one) => one.address });
const changed = fc.array(
  fc.record({
    address,
    role: fc.option(role),
    name,
    gone: fc.constantFrom('left' as const, 'banned' as const),
  }),
);
const told: fc.Arbitrary<Told> = fc.oneof(
  all.map((list) => ({ all: list })),
  changed.map((list) => ({ changed: list })),
);

function applied(known: ReadonlyMap<string, ParticipantRow>, news: Told) {
  const difference = getDifference(known, news);
  const after = new Map(known);
  for (const one of difference.gone) after.delete(one);
  for (const one of difference.put) after.set(one.address, one);
  return { difference, after };
}

describe('differences', () => {
  test('emit one event per change and none when replayed', () => {
    fc.assert(
      fc.property(fc.array(told, { maxLength: 6 }), (news) => {
        let known: ReadonlyMap<string, ParticipantRow> = new Map();
        for (const one of news) {
          const { difference, after } = applied(known, one);
          expect(difference.count).toBe(after.size);
          if ('all' in one)
            expect([...after.values()].map((row) => row.role).toSorted()).toEqual(
              one.all.map((row) => row.role).toSorted(),
            );
          const again = applied(after, one).difference;
          expect(again).toMatchObject({ put: [], gone: [], changes: [], count: after.size });
          const by = new Map(difference.changes.map((change) => [change.address, change.role]));
          const rolesDiffer = [...new Set([...known.keys(), ...after.keys()])].filter(
            (key) => known.get(key)?.role !== after.get(key)?.role,
          );
          expect([...by.keys()].toSorted()).toEqual(rolesDiffer.toSorted());
          for (const key of rolesDiffer) expect(by.get(key)).toBe(after.get(key)?.role ?? null);
          known = after;
        }
      }),
    );
  });

  test('give the reason why a participant left: as reported, otherwise as requested, otherwise voluntarily', () => {
    const known = new Map(
      ['a', 'b', 'c'].map((one) => [one, { address: one, role: 'member' as const, name: null }]),
    );
    const why = new Map([['b', 'removed' as const]]);
    const { changes } = getDifference(known, { all: [] }, why);
    expect(changes.map(({ address: who, action }) => [who, action])).toEqual([
      ['a', 'left'],
      ['b', 'removed'],
      ['c', 'left'],
    ]);
    const one = getDifference(known, { changed: [{ address: 'b', role: null, gone: 'banned' }] }, why);
    expect(one.changes).toEqual([{ action: 'banned', address: 'b', role: null }]);
  });

  test('never store more than 5,000: those who leave make room', () => {
    const rows = Array.from({ length: 5_000 }, (_, n) => ({
      address: `p${n}`,
      role: 'member' as const,
      name: null,
    }));
    const known = new Map(rows.map((row) => [row.address, row]));
    const come = { address: 'new', role: 'member' as const };
    expect(getDifference(known, { changed: [come] })).toMatchObject({ put: [], changes: [], count: 5_000 });
    const swap = getDifference(known, { changed: [come, { address: 'p0', role: null }] });
    expect(swap).toMatchObject({ gone: ['p0'], put: [{ address: 'new' }], count: 5_000 });
  });
});
