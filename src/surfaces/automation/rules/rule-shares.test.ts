import { expect, test } from 'vitest';
import { createFairSlots } from '../../../platform/limits/fair-slots.ts';
import { countByWorkspace, shareSlots } from './rule-shares.ts';

const CAPACITY = 96;

test.each([1, 2, 4, 16])(
  'hung runs of %i persons with six workspaces each leave a slot to another person',
  (attackers) => {
    const slots = createFairSlots({ capacity: CAPACITY });
    const active: { workspace_id: string }[] = [];
    const persons = new Map(
      Array.from({ length: attackers * 6 }, (_, n) => [`workspace ${n}`, `attacker ${n % attackers}`]),
    );
    const claim = (due: ReadonlyMap<string, string>) => {
      const shares = shareSlots(slots, due, countByWorkspace(active));
      for (const { workspaceId, limit } of shares)
        for (let n = 0; n < limit; n++) {
          slots.take(due.get(workspaceId)!);
          active.push({ workspace_id: workspaceId });
        }
      return shares;
    };
    for (let cycle = 0; cycle < 5; cycle++) claim(persons);
    expect(claim(new Map([...persons, ['own', 'victim']]))).toContainEqual({
      workspaceId: 'own',
      limit: expect.any(Number),
    });
    // The workspaces of a person share the person's capacity evenly.
    const counts = [...countByWorkspace(active)].filter(([id]) => id !== 'own').map(([, count]) => count);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  },
);

test('a person with many workspaces gets no more than another with one', () => {
  const slots = createFairSlots({ capacity: CAPACITY });
  const persons = new Map([
    ...Array.from({ length: 6 }, (_, n): [string, string] => [`workspace ${n}`, 'many']),
    ['own', 'one'],
  ]);
  const shares = shareSlots(slots, persons, new Map());
  const getSum = (isOwn: boolean) =>
    shares.reduce((sum, { workspaceId, limit }) => sum + ((workspaceId === 'own') === isOwn ? limit : 0), 0);
  expect(Math.abs(getSum(true) - getSum(false))).toBeLessThanOrEqual(1);
});
