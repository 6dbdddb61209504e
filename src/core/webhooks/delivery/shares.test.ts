import { expect, test } from 'vitest';
import { type Candidate, countSlots, divideSlots, type Holder } from './shares.ts';

const CAPACITY = 512;
const RESERVED = 64;

const holder = (person: string, workspace = person, receiver = workspace): Holder => ({
  person,
  workspace_id: workspace,
  receiver_id: receiver,
});
const asks = (wanted: number, ...of: Parameters<typeof holder>): Candidate => ({ ...holder(...of), wanted });
const hold = (count: number, ...of: Parameters<typeof holder>): Holder[] => Array(count).fill(holder(...of));
const divide = (candidates: Candidate[], sending: Holder[] = [], capacity = CAPACITY) =>
  Object.fromEntries(divideSlots(countSlots(capacity - sending.length, RESERVED, sending), candidates));

test('one person alone gets all but the reserve, however many workspaces', () => {
  expect(divide([asks(1_000, 'a')])).toEqual({ a: 448 });
  const given = divide(['w1', 'w2', 'w3'].map((id) => asks(500, 'a', id)));
  expect(Object.values(given).toSorted()).toEqual([149, 149, 150]);
});

test.each([
  [1, 224],
  [10, 40],
  [100, 4],
])('against %i others that wait, one person gets an even share: %i', (others, share) => {
  const names = Array.from({ length: others }, (_, n) => `o${n}`);
  const attack = Array.from({ length: 50 }, (_, n) => asks(200, 'a', `w${n}`));
  const given = divide([...names.map((name) => asks(500, name)), ...attack]);
  const ofAttack = attack.reduce((sum, { receiver_id: id }) => sum + (given[id] ?? 0), 0);
  expect(Math.abs(ofAttack - share)).toBeLessThanOrEqual(1);
  for (const name of names) expect(given[name]).toBeGreaterThanOrEqual(ofAttack);
});

test('whoever comes while one person holds all that it may is served at once, four of them in full', () => {
  const sending = hold(448, 'a');
  expect(divide([asks(100, 'a'), asks(5, 'b')], sending)).toEqual({ b: 5 });
  const others = Array.from({ length: 4 }, (_, n) => asks(100, `o${n}`));
  expect(Object.values(divide([asks(100, 'a'), ...others], sending))).toEqual(Array(4).fill(8));
});

test.each([1, 2, 4, 16])(
  'hung deliveries of %i persons with six workspaces leave slots to another',
  (count) => {
    const attack = Array.from({ length: count * 6 }, (_, n) => asks(200, `a${n % count}`, `w${n}`));
    const sending: Holder[] = [];
    const take = (candidates: Candidate[]): void => {
      const given = divide(candidates, sending);
      for (const { wanted: _, ...own } of candidates)
        for (let n = 0; n < (given[own.receiver_id] ?? 0); n++) sending.push(own);
    };
    for (let cycle = 0; cycle < 20; cycle++) take(attack);
    expect(divide([...attack, asks(5, 'victim')], sending)['victim']).toBeGreaterThan(0);
  },
);

test('what ends goes to those that hold less, until all are level', () => {
  const sending = [...hold(348, 'a'), ...hold(8, 'b')];
  expect(divide([asks(200, 'a'), asks(200, 'b')], sending)).toEqual({ b: 92 });
  expect(divide([asks(200, 'a'), asks(20, 'b')], sending)).toEqual({ a: 72, b: 20 });
});

test('workspaces of one person, and webhooks of one workspace, are level too', () => {
  const sending = hold(30, 'a', 'w1', 'r1');
  const given = divide(
    [asks(200, 'a', 'w1', 'r1'), asks(200, 'a', 'w1', 'r2'), asks(200, 'a', 'w2', 'r3')],
    sending,
    64 + 100,
  );
  expect(given).toEqual({ r2: 20, r3: 50 });
});
