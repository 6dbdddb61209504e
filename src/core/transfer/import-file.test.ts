import { expect, test } from 'vitest';
import { readLines } from './import-file.ts';

const rules = {
  known: new Map([
    ['url', 'url'],
    ['title', 'title'],
  ]),
  passedOver: new Set<string>(),
  required: { column: 'url', description: 'is url' },
};

async function read(file: string, size = file.length) {
  const pieces = async function* () {
    const bytes = Buffer.from(file);
    for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
  };
  const lines = [];
  for await (const line of readLines(pieces(), rules, () => {})) lines.push([line.number, { ...line.cells }]);
  return lines;
}

test('rows of empty cells are passed over, and the others keep their numbers', async () => {
  expect(await read('url,title\nhttps://a.test,A\n,\n , \nhttps://b.test,B\n,,,\n')).toEqual([
    [2, { url: 'https://a.test', title: 'A' }],
    [5, { url: 'https://b.test', title: 'B' }],
  ]);
});

test.each(['', '\ufeff'])('a first line that names the delimiter is read (%j before it)', async (before) => {
  const file = `${before}sep=;\r\nurl;title\r\nhttps://a.test/?x=1,2,3;A\r\n`;
  const expected = [[3, { url: 'https://a.test/?x=1,2,3', title: 'A' }]];
  for (const size of [1, 5, 12, 1000]) expect(await read(file, size), `pieces of ${size}`).toEqual(expected);
  expect(await read('sep=\t\nurl\ttitle\na\tb')).toEqual([[3, { url: 'a', title: 'b' }]]);
  await expect(read('sep=;\n')).rejects.toThrow('The file is empty.');
});
