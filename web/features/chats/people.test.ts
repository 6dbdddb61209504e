import { expect, test } from 'vitest';
import { getMentionQuery, getSuggestions, insertMention } from './mentioning.ts';
import { findMentioned, listNames, type Mention, splitMentions } from './people.ts';

const ANNA = { address: 'anna@example.com', name: 'Anna' };
const MARIA = { address: 'anna-maria@example.com', name: 'Anna-Maria' };
const mention = ({ address, name }: typeof ANNA): Mention => ({
  address,
  name,
  isOwn: false,
  spellings: [address, name],
});

test('lists names', () => {
  expect(listNames([])).toBe('');
  expect(listNames(['Alice', 'Bob'])).toBe('Alice and Bob');
  expect(listNames(['Alice', 'Bob', 'Carol'])).toBe('Alice, Bob, and 1 other');
  expect(listNames(['Alice', 'Bob', 'Carol', 'Dora'])).toBe('Alice, Bob, and 2 others');
});

test('finds mentions, the longest first', () => {
  const parts = splitMentions('Ask Anna-Maria or @anna, not Annabel', [mention(ANNA), mention(MARIA)]);
  expect(parts.map(({ text, mention: found }) => [text, found?.name])).toEqual([
    ['Ask ', undefined],
    ['Anna-Maria', 'Anna-Maria'],
    [' or ', undefined],
    ['@anna', 'Anna'],
    [', not Annabel', undefined],
  ]);
});

test('mentions people by an @ only', () => {
  const people = { many: true, own: null, others: [ANNA, MARIA], getName: (address: string) => address };
  expect(findMentioned('@Anna and Anna-Maria', people)).toEqual([ANNA.address]);
});

test('suggests people for the text after an @', () => {
  expect(getMentionQuery('Hi @an', 6)).toBe('an');
  expect(getMentionQuery('mail@an', 7)).toBeNull();
  expect(getSuggestions('mar', [ANNA, { ...MARIA, name: 'Anna Maria' }])).toHaveLength(1);
  expect(insertMention('Hi @an there', 6, 'an', ANNA)).toEqual({ text: 'Hi @Anna there', caret: 9 });
});
