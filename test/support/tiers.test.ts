import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';
import { affectedBy, ALWAYS, changedFiles, CONDITIONAL, EXERCISED } from './affected.ts';
import { ROOT } from './product.ts';
import { allTestFiles, selectTier } from './tiers.ts';

const getFiles = (...args: Parameters<typeof selectTier>): string[] =>
  selectTier(...args).selected.map(({ file }) => file);
const getOmitted = (...args: Parameters<typeof selectTier>): string[] =>
  [...selectTier(...args).leftOut.values()].flat();

describe('tiers', () => {
  const { fast, full } = allTestFiles();

  test('every file is in the fast or in the full tier, and all are in the nightly one', () => {
    expect(getFiles('fast', '')).toEqual(fast);
    expect(fast.filter((file) => full.includes(file))).toEqual([]);
    expect(getFiles('nightly', '').toSorted()).toEqual([...fast, ...full].toSorted());
  });

  test('the full tier names what it leaves to the nightly one', () => {
    for (const changed of ['no history', new Set<string>(), new Set(['src/ops/backup/tar.ts'])]) {
      const files = getFiles('full', changed);
      expect([...files, ...getOmitted('full', changed)].toSorted()).toEqual(full);
      expect(files).toEqual(expect.arrayContaining(ALWAYS));
      expect(files).toContain('test/contract/tenancy-matrix.test.ts');
    }
  });

  test('the full tier runs what a change affects', () => {
    const backup = getFiles('full', new Set(['src/ops/backup/tar.ts']));
    expect(backup).toContain('test/crash/restore-crash.test.ts');
    expect(backup).not.toContain('test/crash/mail-crash.test.ts');
  });

  test('the full tier bounds what a change of everything adds, and names the rest', () => {
    const files = getFiles('full', new Set(['package-lock.json']));
    const conditional = files.filter((file) => CONDITIONAL.test(file) && !ALWAYS.includes(file));
    expect(conditional.length).toBeGreaterThan(2);
    const all = Object.keys(EXERCISED);
    expect(conditional.length).toBeLessThan(all.length);
    const leftOut = selectTier('full', new Set(['package-lock.json'])).leftOut;
    const [reason, rest] = [...leftOut].at(-1)!;
    expect(reason).toContain('take over');
    expect([...conditional, ...rest].toSorted()).toEqual(all.toSorted());
  });

  test('the database tier takes stores, health checks, migrations, and one call of each operation', () => {
    const { selected } = selectTier('database', '');
    const files = selected.map(({ file }) => file);
    expect(files).toEqual(
      expect.arrayContaining([
        'src/platform/db/migrate.test.ts',
        'src/platform/db/partitions.test.ts',
        'src/platform/metrics/metrics.test.ts',
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

describe('affected tests', () => {
  const conditional = allTestFiles().full.filter((file) => CONDITIONAL.test(file) && !ALWAYS.includes(file));

  test('every conditional test says what it exercises, and that is there', () => {
    expect(Object.keys(EXERCISED).toSorted()).toEqual(conditional);
    const gone = Object.values(EXERCISED)
      .flat()
      .filter((path) => !existsSync(join(ROOT, path)));
    expect(gone).toEqual([]);
  });

  test('a test is affected by itself, its support files, and what it exercises', () => {
    const file = 'test/crash/click-crash.test.ts';
    const affects = (path: string): boolean => affectedBy(file, new Set(['README.md', path]));
    expect(affects(file)).toBe(true);
    expect(affects('test/support/click-rounds.ts')).toBe(true);
    expect(affects('src/surfaces/links/clicks/load.ts')).toBe(true);
    expect(affects('package-lock.json')).toBe(true);
    expect(affects('src/surfaces/links/link.service.ts')).toBe(false);
  });
});

describe('changed files', () => {
  const repository = async () => {
    const folder = await temporaryFolder();
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
        cwd: folder.path,
        stdio: 'pipe',
      });
    const commit = (name: string): void => {
      writeFileSync(join(folder.path, name), name);
      git('add', '.');
      git('commit', '-q', '-m', name);
    };
    git('init', '-q', '-b', 'main');
    return {
      folder,
      git,
      commit,
      changed: (since: string | null = null) => changedFiles(folder.path, since).changed,
    };
  };

  test('are unknown without a repository, and without an earlier commit', async () => {
    await using plain = await temporaryFolder();
    expect(changedFiles(plain.path, null).changed).toBe('there is no earlier commit to compare with');
    const { folder, commit, changed } = await repository();
    await using _ = folder;
    expect(changed()).toBe('there is no earlier commit to compare with');
    commit('a');
    expect(changed()).toBe('there is no earlier commit to compare with');
  });

  test('are those of a branch, and of the last commit on main', async () => {
    const { folder, git, commit, changed } = await repository();
    await using _ = folder;
    commit('a');
    commit('b');
    expect(changed()).toEqual(new Set(['b']));
    git('checkout', '-q', '-b', 'work');
    commit('c');
    commit('d');
    expect(changed()).toEqual(new Set(['c', 'd']));
    git('checkout', '-q', 'main');
    git('merge', '-q', '--no-ff', 'work');
    git('branch', '-D', 'work');
    expect(changed()).toEqual(new Set(['c', 'd']));
  });

  test('include what is not committed, and compare with the commit that is named', async () => {
    const { folder, commit, changed } = await repository();
    await using _ = folder;
    commit('a');
    commit('b');
    writeFileSync(join(folder.path, 'new'), '');
    expect(changed()).toEqual(new Set(['b', 'new']));
    expect(changed('HEAD')).toEqual(new Set(['new']));
    expect(changed('nonsense')).toBe('there is no earlier commit to compare with');
  });
});
