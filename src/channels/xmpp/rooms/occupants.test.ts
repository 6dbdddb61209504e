/** Who is in a room: what is told is what differs, however much is said. */
import { expect, test } from 'vitest';
import { createOccupants, MAX_PEOPLE, MAX_PEOPLE_IN_ALL, type Occupant } from './occupants.ts';

const occupant = (nick: string, given: Partial<Occupant> = {}): Occupant => ({
  nick,
  address: `${nick}@example.com`,
  affiliation: 'none',
  role: 'participant',
  id: null,
  stay: nick,
  ...given,
});

test('a flood of presences tells a person once, and what comes to nothing not at all', () => {
  const census = createOccupants();
  census.takeAll();
  for (let turn = 0; turn < 1000; turn++) {
    census.enter(occupant('ada'), null);
    census.enter(occupant('bob'), null);
    census.leave('bob', 'left', null);
  }
  expect(census.takeChanges()).toEqual([
    { by: null, changed: [{ address: 'ada@example.com', role: 'member', name: 'ada' }] },
  ]);
  expect(census.takeChanges()).toEqual([]);
});

test('who is on a list stays when he goes; who is on none goes', () => {
  const census = createOccupants();
  census.setLists(new Map([['ada@example.com', 'admin']]));
  census.enter(occupant('ada', { affiliation: 'admin' }), null);
  census.enter(occupant('bob'), null);
  expect(census.takeAll()).toEqual([
    { address: 'ada@example.com', role: 'admin', name: 'ada' },
    { address: 'bob@example.com', role: 'member', name: 'bob' },
  ]);
  census.leave('ada', 'left', null);
  census.leave('bob', 'removed', 'ada@example.com');
  expect(census.takeChanges()).toEqual([
    {
      by: 'ada@example.com',
      changed: [{ address: 'bob@example.com', role: null, gone: 'removed' }],
    },
  ]);
  census.affiliate('ada@example.com', 'outcast', null);
  expect(census.takeChanges()).toEqual([
    { by: null, changed: [{ address: 'ada@example.com', role: null, gone: 'banned' }] },
  ]);
});

test('what an answer said is told to be otherwise, whatever was told before', () => {
  const census = createOccupants();
  census.setLists(new Map());
  census.takeAll();
  census.enter(occupant('ada'), null);
  expect(census.handOut()).toEqual([{ address: 'ada@example.com', role: 'member', name: 'ada' }]);
  census.leave('ada', 'left', null);
  const left = { address: 'ada@example.com', role: null, gone: 'left' };
  expect(census.takeChanges()).toEqual([{ by: null, changed: [left] }]);
  census.enter(occupant('bob'), null);
  census.takeChanges();
  census.leave('bob', 'left', null);
  expect(census.handOut()).toEqual([]);
  census.enter(occupant('bob'), null);
  const bob = { address: 'bob@example.com', role: 'member', name: 'bob' };
  expect(census.takeChanges()).toEqual([{ by: null, changed: [bob] }]);
  census.affiliate('bob@example.com', 'admin', null);
  census.handOut();
  census.affiliate('bob@example.com', 'none', null);
  expect(census.takeChanges()).toMatchObject([{ changed: [{ address: 'bob@example.com', role: 'member' }] }]);
  expect(census.takeChanges()).toEqual([]);
});

test('somebody with two clients is one, and goes with the last', () => {
  const census = createOccupants();
  census.takeAll();
  census.enter(occupant('ada'), null);
  census.enter(occupant('ada-phone', { address: 'ada@example.com', affiliation: 'owner' }), null);
  expect(census.takeChanges()).toMatchObject([{ changed: [{ address: 'ada@example.com', role: 'owner' }] }]);
  census.leave('ada', 'left', null);
  expect(census.takeChanges()).toEqual([
    { by: null, changed: [{ address: 'ada@example.com', role: 'owner', name: 'ada-phone' }] },
  ]);
  census.leave('ada-phone', 'left', null);
  expect(census.takeChanges()).toMatchObject([{ changed: [{ role: null, gone: 'left' }] }]);
});

test('a nick whose address becomes another is another person', () => {
  const census = createOccupants();
  census.takeAll();
  census.enter(occupant('ada', { address: 'room@rooms.example.com/ada' }), null);
  census.takeChanges();
  census.enter(occupant('ada'), null);
  expect(census.takeChanges()[0]!.changed.toSorted((a, b) => (a.address < b.address ? -1 : 1))).toEqual([
    { address: 'ada@example.com', role: 'member', name: 'ada' },
    { address: 'room@rooms.example.com/ada', role: null, gone: 'left' },
  ]);
});

test('of a flood of people who come and go nobody else is forgotten', () => {
  const census = createOccupants();
  census.setLists(new Map());
  census.enter(occupant('bob'), null);
  census.takeAll();
  census.enter(occupant('ada'), null);
  census.leave('bob', 'removed', null);
  for (let count = 0; count < 5 * MAX_PEOPLE; count++) {
    census.affiliate(`n${count}@example.com`, 'member', null);
    census.affiliate(`n${count}@example.com`, 'none', null);
  }
  expect(census.takeChanges()).toEqual([
    {
      by: null,
      changed: [
        { address: 'ada@example.com', role: 'member', name: 'ada' },
        { address: 'bob@example.com', role: null, gone: 'removed' },
      ],
    },
  ]);
});

test('of more people than are kept the first are', () => {
  const census = createOccupants();
  for (let count = 0; count < 2 * MAX_PEOPLE; count++) census.enter(occupant(`n${count}`), null);
  expect(census.occupants.size).toBe(MAX_PEOPLE);
  expect(census.takeAll()).toHaveLength(MAX_PEOPLE);
  census.enter(occupant('late'), null);
  expect(census.takeChanges()).toEqual([]);
});

test('large rooms share an allowance, and leave each small one its people', () => {
  const allowance = { held: 0 };
  const crowd = () => {
    const census = createOccupants(allowance);
    census.setLists(
      new Map(Array.from({ length: MAX_PEOPLE }, (_, nth) => [`m${nth}@example.com`, 'member'])),
    );
    for (let nth = 0; nth < MAX_PEOPLE; nth++) census.enter(occupant(`n${nth}`), null);
    return census;
  };
  const large = Array.from({ length: 15 }, crowd);
  const people = () => large.reduce((sum, census) => sum + census.occupants.size, 0);
  expect(people()).toBeLessThanOrEqual(MAX_PEOPLE_IN_ALL + 15 * 50);
  expect(people()).toBeGreaterThanOrEqual(MAX_PEOPLE_IN_ALL);
  const small = createOccupants(allowance);
  for (let nth = 0; nth < 60; nth++) small.enter(occupant(`s${nth}`), null);
  expect(small.takeAll()).toHaveLength(50);
  // What a room held is for others once the account is out of it, told or not.
  large[0]!.takeAll();
  large[0]!.clear();
  small.enter(occupant('late'), null);
  expect(small.occupants.size).toBe(51);
  for (const census of [...large, small]) census.clear();
  expect(allowance.held).toBe(0);
});
