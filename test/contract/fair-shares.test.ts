/**
 * The table “Fair shares” of docs/architecture.md against the code: each gate, queue and room is in it, each file that it
 * names is there, and nothing else lets callers wait in the order in which they came.
 */
import { existsSync, readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';

interface Row {
  shared: string;
  unit: string;
  files: string[];
}

/** What makes a gate, queue or room; each call is somewhere in the table. */
const MAKERS = /\b(createFairGate|createFairQueue|createFairRoom|createConcurrency|createSharedInFlight)\(/;
/** A queue of callers without turns: who came first goes on first. */
const FIRST_COME = /\.(?:push|add)\((?:resolve|start|enter)\)/;

let rows: Row[];
const sources = new Map<string, string>();

beforeAll(async () => {
  const page = readFileSync('docs/architecture.md', 'utf8');
  const section = page.slice(page.indexOf('## Fair shares'), page.indexOf('## Start, stop, roles'));
  rows = section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Shared') && !line.startsWith('| ---'))
    .map((line) => {
      const [shared, unit, where] = line.slice(2, -2).split(' | ') as [string, string, string];
      return { shared, unit, files: [...where.matchAll(/`([^`]+)`/g)].map(([, file]) => file!) };
    });
  for await (const path of glob('src/**/*.ts'))
    if (!path.endsWith('.test.ts')) sources.set(path.slice('src/'.length), readFileSync(path, 'utf8'));
});

const getFiles = () => new Set(rows.flatMap(({ files }) => files));

test('the table is read', () => {
  expect(rows.length).toBeGreaterThan(15);
  expect(sources.size).toBeGreaterThan(500);
  for (const row of rows) expect(row).toMatchObject({ files: [expect.any(String), ...row.files.slice(1)] });
});

test('each file that it names is there', () => {
  for (const file of getFiles()) expect([file, existsSync(`src/${file}`)]).toEqual([file, true]);
});

test('each gate, queue and room is in it', () => {
  const makers = [...sources].filter(
    ([path, text]) => !path.startsWith('platform/limits/') && MAKERS.test(text),
  );
  expect(makers.length).toBeGreaterThan(9);
  const known = getFiles();
  expect(makers.map(([path]) => path).filter((path) => !known.has(path))).toEqual([]);
});

test('what it calls fair has a path, and what has none says why', () => {
  const withoutPath = [...sources].filter(([, text]) => MAKERS.test(text) && /\b\w+\(\[\], \(/.test(text));
  expect(withoutPath.map(([path]) => path)).not.toEqual([]);
  for (const [path] of withoutPath)
    expect([path, rows.find(({ files }) => files.includes(path))?.unit]).toEqual([
      path,
      expect.stringMatching(/^none: /),
    ]);
});

describe('first come, first served', () => {
  test('is only what the table says', () => {
    const unfair = [...sources].filter(
      ([path, text]) => !path.startsWith('platform/limits/') && FIRST_COME.test(text),
    );
    const named = rows.filter(({ unit }) => unit.startsWith('none: ')).flatMap(({ files }) => files);
    expect(unfair.map(([path]) => path).filter((path) => !named.includes(path))).toEqual([]);
  });

  test('is what the pattern finds', () => {
    expect(FIRST_COME.test(sources.get('surfaces/models/providers/concurrency.ts')!)).toBe(true);
    expect(FIRST_COME.test('await new Promise<void>((resolve) => queue.push(resolve));')).toBe(true);
  });
});
