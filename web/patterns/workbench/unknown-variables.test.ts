import { expect, test } from 'vitest';
import { unknownVariables } from './unknown-variables.ts';

const scope = { payload: { price: 12, item: { sku: 'a' } }, headers: {} };
const details = (condition: string) =>
  unknownVariables('/filter', condition, scope).map(({ detail }) => detail);

test('names unknown variables, and the path that is meant', () => {
  expect(details('price > 10 and sku == "a" or price < 5')).toEqual([
    '`price` is not a variable. Did you mean `payload.price`?',
    '`sku` is not a variable. Did you mean `payload.item.sku`?',
  ]);
  expect(details('other.price')).toEqual(['`other` is not a variable.']);
});

test.each([
  'payload.price > 10 and payload["two words"].x contains "price"',
  'not payload.title and payload.tags == empty or payload.x == nil and true',
  'payload.title | default: "a", allow_false: true',
  "headers['x-event'] == 'push'",
  '',
])('%s has none', (condition) => expect(details(condition)).toEqual([]));
