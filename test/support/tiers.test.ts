import { describe, expect, test } from 'vitest';
import { allTestFiles, selectTier } from './tiers.ts';

const getFiles = (...args: Parameters<typeof selectTier>): string[] =>
  selectTier(...args).map(({ file }) => file);

describe('tiers', () => {
  const { fast, full } = allTestFiles();

  test('the fast tier is the unit tests, and the full tier every file', () => {
    expect(getFiles('fast')).toEqual(fast);
    expect(fast.filter((file) => full.includes(file))).toEqual([]);
    expect(getFiles('full').toSorted()).toEqual([...fast, ...full].toSorted());
  });

  test('the database tier takes stores, health checks, migrations, and one call of each operation', () => {
    const selected = selectTier('database');
    const files = selected.map(({ file }) => file);
    expect(files).toEqual(
      expect.arrayContaining([
        'src/platform/db/migrate.test.ts',
        'src/platform/db/partitions.test.ts',
        'src/platform/process-metrics/metrics.test.ts',
        'src/core/events/sequencer.test.ts',
        'test/contract/lists.test.ts',
      ]),
    );
    expect(selected.find(({ file }) => file.includes('tenancy-matrix'))!.testNamePattern).toEqual(
      /works as documented/,
    );
    expect(files.filter((file) => file.startsWith('test/browser/'))).toEqual([]);
  });
});
