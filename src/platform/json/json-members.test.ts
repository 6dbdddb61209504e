import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { outlineObject, replaceValues } from './json-members.ts';

const outline = (text: string) => outlineObject(Buffer.from(text));

test('members are found whatever stands around and in them', () => {
  const text = ' { "a" : 1 ,"b\\u0022\\\\":"x\\"}{,", "c": [ {"a":1}, "]" ] , "d":{} , "€": null } ';
  const { members, count, open } = outline(text);
  const bytes = Buffer.from(text);
  expect(members.map(({ name, start, end }) => [name, bytes.toString('utf8', start, end)])).toEqual([
    ['a', '1'],
    ['b"\\', '"x\\"}{,"'],
    ['c', '[ {"a":1}, "]" ]'],
    ['d', '{}'],
    ['€', 'null'],
  ]);
  expect([count, open]).toEqual([6, 2]);
});

test('members of any object are those that the runtime finds', () => {
  const countMembers = (value: unknown): number => {
    if (value === null || typeof value !== 'object') return 0;
    const own = Array.isArray(value) ? 0 : Object.keys(value).length;
    return Object.values(value).reduce<number>((sum, item) => sum + countMembers(item), own);
  };
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 1, '\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      const bytes = Buffer.from(text);
      const { members, count } = outlineObject(bytes);
      expect(
        members.map(({ name, start, end }) => [name, JSON.parse(bytes.toString('utf8', start, end))]),
      ).toEqual(Object.entries(JSON.parse(text) as object));
      expect(count).toBe(countMembers(JSON.parse(text)));
    }),
  );
});

test('long strings end where they end, with any number of backslashes before their quotes', () => {
  for (let length = 55; length < 75; length++)
    for (let slashes = 0; slashes < 6; slashes++) {
      const value = 'x'.repeat(length) + '\\'.repeat(slashes) + '"' + 'y'.repeat(100);
      const { members } = outline(JSON.stringify({ a: value, b: 2 }));
      expect(members.map(({ name }) => name)).toEqual(['a', 'b']);
    }
});

test('a name that comes twice is found twice', () => {
  expect(outline('{"a":1,"\\u0061":{"a":2,"a":3}}')).toMatchObject({
    members: [{ name: 'a' }, { name: 'a' }],
    count: 4,
  });
});

test('values are replaced and every other byte stays', () => {
  const text = '{"2":1.10,"model": "a" ,"1":1e2}';
  const bytes = Buffer.from(text);
  const { members } = outlineObject(bytes);
  const changes = [
    { member: members[2]!, value: Buffer.from('[]') },
    { member: members[1]!, value: Buffer.from('"longer"') },
  ];
  expect(replaceValues(bytes, changes).toString()).toBe('{"2":1.10,"model": "longer" ,"1":[]}');
});
