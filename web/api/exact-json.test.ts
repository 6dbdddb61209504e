import { expect, test } from 'vitest';
import { ExactNumber, indentJson, isObject, parseJson } from './exact-json.ts';

test('keeps numbers as they are written', () => {
  expect(indentJson('{"id":8202522731445525542,"list":[10.00,1e400,1,"10.00",null]}')).toBe(
    '{\n  "id": 8202522731445525542,\n  "list": [\n    10.00,\n    1e400,\n    1,\n    "10.00",\n    null\n  ]\n}',
  );
});

test('what a double holds is a number, anything else is kept', () => {
  const value = parseJson('[1,0,0.1,1e-7,1e+21,9007199254740993,1.50,-1e400,-0]') as unknown[];
  expect(value.slice(0, 5)).toEqual([1, 0, 0.1, 1e-7, 1e21]);
  expect(value.slice(5).every((one) => one instanceof ExactNumber && !isObject(one))).toBe(true);
  expect(value.slice(5).map(String)).toEqual(['9007199254740993', '1.50', '-1e400', '-0']);
});

test('what was read is sent as it was read', () => {
  const text = '{"payload":{"id":8202522731445525542,"price":10.00}}';
  expect(JSON.stringify(parseJson(text))).toBe(text);
});
