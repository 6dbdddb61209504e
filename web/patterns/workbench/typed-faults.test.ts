import { expect, test } from 'vitest';
import { typedFaults } from './typed-faults.ts';

test('keeps the errors of what was typed alone', () => {
  const fault = (pointer: string, code = 'invalid_value') => ({ pointer, code, detail: 'is wrong' });
  const body = { destinations: [{ instance_id: '', template: '{{ a | b }}' }] };
  const typed = fault('/destinations/0/template', 'template_syntax');
  expect(
    typedFaults([fault('/destinations/0/instance_id'), fault('/destinations/0/to', 'required'), typed], body),
  ).toEqual([typed]);
});
