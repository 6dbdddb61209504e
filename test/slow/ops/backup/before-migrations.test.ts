import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../../src/platform/config/config.ts';
import { createTestDatabase, type TestDatabase, getUrl } from '../../../support/db.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { backUpBeforeMigrations, type UpgradeBackup } from '../../../../src/ops/backup/before-migrations.ts';

const PENDING = ['0024_later', '0025_even_later'];
const NAME = /^before-0024_later-\d{8}T\d{9}Z\.fairlead$/;
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function hook(DATA_DIR: string, own: Partial<UpgradeBackup> = {}, env: Record<string, string> = {}) {
  const lines: unknown[][] = [];
  const keep = (...said: unknown[]) => void lines.push(said);
  const FAIRLEAD_SECRET = 'a secret for tests, 32 characters long';
  const config = readConfig({
    DATA_DIR,
    DATABASE_URL: getUrl(database.connection),
    FAIRLEAD_SECRET,
    STORAGE_RESERVE: '0',
    ...env,
  });
  const log = { info: keep, warn: keep };
  const before = backUpBeforeMigrations({ config, log, connection: database.connection, ...own });
  return { lines, run: (pending = PENDING) => before(database.db, pending) };
}

describe('the backup before migrations', () => {
  test('is named by the first of them and its time, in a folder that is its owner’s alone', async () => {
    await using folder = await temporaryFolder();
    const { run, lines } = hook(folder.path);
    await run();
    const files = await readdir(join(folder.path, 'backups'));
    expect(files).toEqual([expect.stringMatching(NAME)]);
    expect((await stat(join(folder.path, 'backups'))).mode & 0o777).toBe(0o700);
    const file = join(folder.path, 'backups', files[0]!);
    const { size, mode } = await stat(file);
    expect(mode & 0o777).toBe(0o600);
    expect(lines.at(-1)).toEqual([{ file, bytes: size, ms: expect.any(Number) }, 'backed up']);
  });

  test('is kept with the two before it; what others put there stays', async () => {
    await using folder = await temporaryFolder();
    const backups = join(folder.path, 'backups');
    await mkdir(backups);
    const older = [
      'before-0020_c-20260103T000000Z.fairlead',
      'before-0021_b-20260102T000000Z.fairlead',
      'before-0022_a-20260101T000000Z.fairlead',
    ];
    const others = ['before-the-holidays.fairlead', 'mine.fairlead', 'notes.txt'];
    const killed = 'before-0023_d-20260104T000000Z.fairlead.partial-0a1b2c';
    for (const name of [...older, ...others, killed]) await writeFile(join(backups, name), '');
    await hook(folder.path).run();
    const left = await readdir(backups);
    expect(left).toEqual(expect.arrayContaining([...others, older[0], older[1]]));
    expect(left).toHaveLength(6);
    expect(left.filter((name) => NAME.test(name))).toHaveLength(1);
  });

  test('that finds too little room stops the upgrade before a byte is written', async () => {
    await using folder = await temporaryFolder();
    const getDisk = async () => ({
      bsize: 4096,
      blocks: 1000,
      bfree: 50,
      bavail: 50,
      files: 0,
      ffree: 0,
    });
    const { run } = hook(folder.path, { getDisk }, { STORAGE_RESERVE: '5%' });
    await expect(run()).rejects.toThrow(
      /^The backup before 2 migrations from 0024_later on could not be written to .*\/backups\/before-0024_later-.*\.fairlead: it requires about \d+ MiB, and the disk has 0 MiB available besides STORAGE_RESERVE\. Nothing was changed\. Fix this, or set UPGRADE_BACKUP=off if you have your own backup\.$/,
    );
    expect(await readdir(join(folder.path, 'backups'))).toEqual([]);
  });

  test('that breaks off stops the upgrade in one line, leaves nothing, and keeps those that are there', async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'backups'));
    const older = [1, 2, 3].map((day) => `before-0020_a-2026010${day}T000000Z.fairlead`);
    for (const name of older) await writeFile(join(folder.path, 'backups', name), '');
    const { run } = hook(folder.path, { connection: { ...database.connection, host: '127.0.0.1', port: 1 } });
    await expect(run(['0024_later'])).rejects.toThrow(
      /^The backup before migration 0024_later could .*: connect ECONNREFUSED 127\.0\.0\.1:1\. Nothing was changed/,
    );
    expect((await readdir(join(folder.path, 'backups'))).sort()).toEqual(older);
  });

  test('that has no folder says so', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'backups'), 'a file');
    await expect(hook(folder.path).run()).rejects.toThrow(/EEXIST.*UPGRADE_BACKUP=off/);
  });

  test('is left out where the operator says so, which is logged', async () => {
    await using folder = await temporaryFolder();
    const { run, lines } = hook(folder.path, {}, { UPGRADE_BACKUP: 'off' });
    await run();
    expect(await readdir(folder.path)).toEqual([]);
    expect(lines).toEqual([[{ migrations: PENDING }, expect.stringContaining('UPGRADE_BACKUP')]]);
  });
});
