import { expect, test } from 'vitest';
import { getAddresses, getParticipants, getPerson, withPeople } from './people-field.ts';

test('splits a pasted list of addresses', () => {
  expect(getAddresses(' alice, bob;carol\n dora ')).toEqual(['alice', 'bob', 'carol', 'dora']);
  expect(getAddresses(' , ')).toEqual([]);
});

test('adds each address once, in any case', () => {
  const people = withPeople([getPerson('Alice')], [getPerson('alice'), getPerson('bob'), getPerson('BOB')]);
  expect(people.map(({ address }) => address)).toEqual(['Alice', 'bob']);
});

test('sends contacts by ID and others by address', () => {
  const alice = { contactId: 'con_1', address: 'alice', name: 'Alice' };
  expect(getParticipants([alice, getPerson('bob')])).toEqual([{ contact_id: 'con_1' }, { address: 'bob' }]);
});
