import { expect, test } from 'vitest';
import { addressesOf, participantsOf, personOf, withPeople } from './people-field.ts';

test('splits a pasted list of addresses', () => {
  expect(addressesOf(' alice, bob;carol\n dora ')).toEqual(['alice', 'bob', 'carol', 'dora']);
  expect(addressesOf(' , ')).toEqual([]);
});

test('adds each address once, in any case', () => {
  const people = withPeople([personOf('Alice')], [personOf('alice'), personOf('bob'), personOf('BOB')]);
  expect(people.map(({ address }) => address)).toEqual(['Alice', 'bob']);
});

test('sends contacts by ID and others by address', () => {
  const alice = { contactId: 'con_1', address: 'alice', name: 'Alice' };
  expect(participantsOf([alice, personOf('bob')])).toEqual([{ contact_id: 'con_1' }, { address: 'bob' }]);
});
