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

test.each(['\n', '\r\n'])(
  'a line is numbered where it begins, with %j between records and within quotes',
  async (end) => {
    const file = [
      'url,title',
      'https://a.test,"one',
      'two',
      'three"',
      '',
      'https://b.test,B',
      ',"',
      '"',
      'https://c.test,"C\r\nc\nc"',
      'https://d.test,D',
    ].join(end);
    for (const size of [1, 7, 1000])
      expect(
        (await read(file, size)).map(([number]) => number),
        `pieces of ${size}`,
      ).toEqual([2, 6, 9, 12]);
    expect((await read(`sep=,${end}${file}`)).map(([number]) => number)).toEqual([3, 7, 10, 13]);
  },
);

test.each(['\n', '\r\n', '\r'])('many empty lines of %j count', async (end) => {
  const empty = end.repeat(500);
  const file = `${empty}url,title${end}${empty}https://a.test,A${end}${empty}https://b.test,B${empty}`;
  for (const size of [1, 2, 7, 1000, file.length])
    expect(
      (await read(file, size)).map(([number]) => number),
      `pieces of ${size}`,
    ).toEqual([1002, 1503]);
});

test('an error of the file names the line where its record begins', async () => {
  const file = 'url,title\r\na,"1\r\n2\r\n3"\r\n\r\nb,B\r\nc,"C\r\n\r\n';
  for (const size of [1, 7, 1000]) await expect(read(file, size)).rejects.toThrow(/ at line 7\.$/);
  await expect(read(file.replace('c,"C', 'c,C"C'))).rejects.toThrow(/ at line 7\b/);
});

test('cells without a named column, and those that are missing, are left out', async () => {
  expect(await read('url,,title\na,x,A,more\nb\n,x,\n')).toEqual([
    [2, { url: 'a', title: 'A' }],
    [3, { url: 'b' }],
    [4, { url: '', title: '' }],
  ]);
});
