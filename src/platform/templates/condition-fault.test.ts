import { expect, test } from 'vitest';
import { createTemplateEngine } from './liquid.ts';

const engine = createTemplateEngine();

test.each([
  ['payload.price >', 'a value is missing after `>`'],
  ['payload.price > 10 and', 'a value is missing after `and`'],
  ['payload.text contains', 'a value is missing after `contains`'],
  ['payload.zero and not', 'a value is missing after `not`'],
  ['> 10', 'a value is missing before `>`'],
  ['and payload.status', 'a value is missing before `and`'],
  ['payload.status = "a == b"', 'write `==` instead of `=`'],
  ['payload.a && payload.b', 'write `and` instead of `&&`'],
  ['payload.a || payload.b', 'write `or` instead of `||`'],
  ['{{ payload.status }}', 'a condition is written without braces, such as `payload.price > 10`'],
  ['  ', 'the condition is empty; write one such as `payload.price > 10`'],
  [
    'payload.status published',
    'this is not a condition; compare values with ==, !=, <, >, <=, >= or contains, and join conditions with and, or',
  ],
])('%j: %s', (source, detail) =>
  expect(engine.check({ kind: 'condition', source })).toEqual({ code: 'template_syntax', detail }),
);
