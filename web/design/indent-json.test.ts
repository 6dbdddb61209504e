import { expect, test } from 'vitest';
import { indentJson } from './indent-json.ts';

test('keeps numbers as they are written', () => {
  expect(indentJson('{"id":8202522731445525542,"list":[10.00,1e400,1,"10.00",null]}')).toBe(
    '{\n  "id": 8202522731445525542,\n  "list": [\n    10.00,\n    1e400,\n    1,\n    "10.00",\n    null\n  ]\n}',
  );
});
