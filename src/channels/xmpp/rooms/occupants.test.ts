/** Occupants of a room: only differences are reported, however many presences arrive. */
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

test('a flood of presences reports a person once, and one who came and left not at all', () => {
  const occupants = createOccupants();
  occupants.takeAll();
  for (let turn = 0; turn < 1000; turn++) {
    occupants.enter(occupant('ada'), null);
    occupants.enter(occupant('bob'), null);
    occupants.leave('bob', 'left', null);
  }
  expect(occupants.takeChanges()).toEqual([
    { by: null, changed: [{ address: 'ada@example.com', role: 'member', name: 'ada' }] },
  ]);
  expect(occupants.takeChanges()).toEqual([]);
});

test('a listed person stays a participant after leaving, and an unlisted one does not', () => {
  const occupants = createOccupants();
  occupants.setLists(new Map([['ada@example.com', 'admin']]));
  occupants.enter(occupant('ada', { affiliation: 'admin' }), null);
  occupants.enter(occupant('bob'), null);
  expect(occupants.takeAll()).toEqual([
    { address: 'ada@example.com', role: 'admin', name: 'ada' },
    { address: 'bob@example.com', role: 'member', name: 'bob' },
  ]);
  occupants.leave('ada', 'left', null);
  occupants.leave('bob', 'removed', 'ada@example.com');
  expect(occupants.takeChanges()).toEqual([
    {
      by: 'ada@example.com',
      changed: [{ address: 'bob@example.com', role: null, gone: 'removed' }],
    },
  ]);
  occupants.affiliate('ada@example.com', 'outcast', null);
  expect(occupants.takeChanges()).toEqual([
    { by: null, changed: [{ address: 'ada@example.com', role: null, gone: 'banned' }] },
  ]);
});

test('a difference from the last response is reported, whatever was reported before', () => {
  const occupants = createOccupants();
  occupants.setLists(new Map());
  occupants.takeAll();
  occupants.enter(occupant('ada'), null);
  expect(occupants.handOut()).toEqual([{ address: 'ada@example.com', role: 'member', name: 'ada' }]);
  occupants.leave('ada', 'left', null);
  const left = { address: 'ada@example.com', role: null, gone: 'left' };
  expect(occupants.takeChanges()).toEqual([{ by: null, changed: [left] }]);
  occupants.enter(occupant('bob'), null);
  occupants.takeChanges();
  occupants.leave('bob', 'left', null);
  expect(occupants.handOut()).toEqual([]);
  occupants.enter(occupant('bob'), null);
  const bob = { address: 'bob@example.com', role: 'member', name: 'bob' };
  expect(occupants.takeChanges()).toEqual([{ by: null, changed: [bob] }]);
  occupants.affiliate('bob@example.com', 'admin', null);
  occupants.handOut();
  occupants.affiliate('bob@example.com', 'none', null);
  expect(occupants.takeChanges()).toMatchObject([
    { changed: [{ address: 'bob@example.com', role: 'member' }] },
  ]);
  expect(occupants.takeChanges()).toEqual([]);
});

test('a person with two clients is one participant, and leaves with the last client', () => {
  const occupants = createOccupants();
  occupants.takeAll();
  occupants.enter(occupant('ada'), null);
  occupants.enter(occupant('ada-phone', { address: 'ada@example.com', affiliation: 'owner' }), null);
  expect(occupants.takeChanges()).toMatchObject([
    { changed: [{ address: 'ada@example.com', role: 'owner' }] },
  ]);
  occupants.leave('ada', 'left', null);
  expect(occupants.takeChanges()).toEqual([
    { by: null, changed: [{ address: 'ada@example.com', role: 'owner', name: 'ada-phone' }] },
  ]);
  occupants.leave('ada-phone', 'left', null);
  expect(occupants.takeChanges()).toMatchObject([{ changed: [{ role: null, gone: 'left' }] }]);
});

test('a nick whose address changes is a different person', () => {
  const occupants = createOccupants();
  occupants.takeAll();
  occupants.enter(occupant('ada', { address: 'room@rooms.example.com/ada' }), null);
  occupants.takeChanges();
  occupants.enter(occupant('ada'), null);
  expect(occupants.takeChanges()[0]!.changed.toSorted((a, b) => (a.address < b.address ? -1 : 1))).toEqual([
    { address: 'ada@example.com', role: 'member', name: 'ada' },
    { address: 'room@rooms.example.com/ada', role: null, gone: 'left' },
  ]);
});

test('a flood of people who come and go does not displace others', () => {
  const occupants = createOccupants();
  occupants.setLists(new Map());
  occupants.enter(occupant('bob'), null);
  occupants.takeAll();
  occupants.enter(occupant('ada'), null);
  occupants.leave('bob', 'removed', null);
  for (let count = 0; count < 5 * MAX_PEOPLE; count++) {
    occupants.affiliate(`n${count}@example.com`, 'member', null);
    occupants.affiliate(`n${count}@example.com`, 'none', null);
  }
  expect(occupants.takeChanges()).toEqual([
    {
      by: null,
      changed: [
        { address: 'ada@example.com', role: 'member', name: 'ada' },
        { address: 'bob@example.com', role: null, gone: 'removed' },
      ],
    },
  ]);
});

test('people beyond the limit are not kept', () => {
  const occupants = createOccupants();
  for (let count = 0; count < 2 * MAX_PEOPLE; count++) occupants.enter(occupant(`n${count}`), null);
  expect(occupants.byNick.size).toBe(MAX_PEOPLE);
  expect(occupants.takeAll()).toHaveLength(MAX_PEOPLE);
  occupants.enter(occupant('late'), null);
  expect(occupants.takeChanges()).toEqual([]);
});

test('large rooms share an allowance, and small rooms keep their minimum', () => {
  const allowance = { held: 0 };
  const crowd = () => {
    const occupants = createOccupants(allowance);
    occupants.setLists(
      new Map(Array.from({ length: MAX_PEOPLE }, (_, nth) => [`m${nth}@example.com`, 'member'])),
    );
    for (let nth = 0; nth < MAX_PEOPLE; nth++) occupants.enter(occupant(`n${nth}`), null);
    return occupants;
  };
  const large = Array.from({ length: 15 }, crowd);
  const people = () => large.reduce((sum, occupants) => sum + occupants.byNick.size, 0);
  expect(people()).toBeLessThanOrEqual(MAX_PEOPLE_IN_ALL + 15 * 50);
  expect(people()).toBeGreaterThanOrEqual(MAX_PEOPLE_IN_ALL);
  const small = createOccupants(allowance);
  for (let nth = 0; nth < 60; nth++) small.enter(occupant(`s${nth}`), null);
  expect(small.takeAll()).toHaveLength(50);
  // A room's share is free once the account has left it.
  large[0]!.takeAll();
  large[0]!.clear();
  small.enter(occupant('late'), null);
  expect(small.byNick.size).toBe(51);
  for (const occupants of [...large, small]) occupants.clear();
  expect(allowance.held).toBe(0);
});
