/** Restores into a server's database that are cut off, and run again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAIRLEAD } from '../../../support/product.ts';
import type { Terminal } from '../../../../src/ops/command/command.ts';
import { said } from '../../../support/admin.ts';
import { createTestDatabase, type TestDatabase, getUrl } from '../../../support/db.ts';
import { upload } from '../../../support/messaging/media.ts';
import { startDatabaseProxy } from '../../../support/database-proxy.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../support/temporary-folder.ts';
import { startTestApp, startWorkspace, TEST_SECRET, type TestApp } from '../../../support/test-app.ts';
import { runBackup } from '../../../../src/ops/backup/run-backup.ts';
import { runRestore } from '../../../../src/ops/backup/run-restore.ts';

let app: TestApp;
let folder: TemporaryFolder;
let file: string;
const databases: TestDatabase[] = [];

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase('template0');
  databases.push(database);
  return database;
}

type Command = (args: string[], env: Record<string, string>, terminal: Terminal) => Promise<number>;

const run = (command: Command, args: string[], env: Record<string, string>) =>
  said((terminal) => command(args, env, terminal));

const settings = ({ connection }: Pick<TestDatabase, 'connection'>, dataDir: string) => ({
  DATABASE_URL: getUrl(connection),
  FAIRLEAD_SECRET: TEST_SECRET,
  DATA_DIR: dataDir,
});

const toRows = async ({ pool }: TestDatabase, table: string): Promise<number> =>
  (await pool.query(`select from ${table}`)).rows.length;

beforeAll(async () => {
  app = await startTestApp();
  folder = await temporaryFolder('fairlead-again-');
  const home = await startWorkspace(app);
  await app.call('/links', { key: home.key, body: { url: 'https://example.com/', slug: 'restored' } });
  await upload(app, home, { bytes: 'a file that is restored' });
  file = join(folder.path, 'file');
  const made = await run(runBackup, [file], settings(app.database, app.config.DATA_DIR));
  if (made.code !== 0) throw new Error(made.error);
});
afterAll(async () => {
  await app?.stop();
  for (const database of databases) await database.drop();
  await folder?.[Symbol.asyncDispose]();
});

test('one that is killed between its commit and its end is completed by the same command', async () => {
  const database = await emptyDatabase();
  const dataDir = join(folder.path, 'killed');
  const proxy = await startDatabaseProxy(database.connection);
  try {
    // The commit is done, and the one who asked for it never hears of it.
    const env = { PATH: process.env.PATH, ...settings(proxy, dataDir) };
    const child = spawn(FAIRLEAD, ['restore', file], { env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    proxy.onCommit('fairlead copy', () => child.kill('SIGKILL'));
    expect(await ended).toEqual([null, 'SIGKILL']);
  } finally {
    await proxy.stop();
  }
  expect(await toRows(database, 'links')).toBe(1);
  expect((await readdir(dataDir)).sort()).toEqual(['clicks', 'media', 'restoring', 'restoring.json']);
  const backup = await run(runBackup, [join(folder.path, 'never')], settings(database, dataDir));
  expect(backup.error).toMatch(/A restore into .* was interrupted/);

  const report = join(folder.path, 'report.json');
  const again = await run(runRestore, [file, '--report', report], settings(database, dataDir));
  expect(again).toMatchObject({ code: 0, error: '' });
  expect((await readdir(dataDir)).sort()).toEqual(['clicks', 'media']);
  for (const { backup: was, restored } of JSON.parse(await readFile(report, 'utf8')).tables)
    expect(restored).toEqual(was);
  expect((await run(runRestore, [file], settings(database, dataDir))).error).toMatch(/is not empty/);
});

test('one whose database somebody has changed since is not taken for done', async () => {
  const database = await emptyDatabase();
  const dataDir = join(folder.path, 'changed');
  // What makes it end just before it takes its mark away.
  const proxy = await startDatabaseProxy(database.connection);
  proxy.onCommit('fairlead copy', () => void proxy.cut());
  expect((await run(runRestore, [file], settings(proxy, dataDir))).code).toBe(1);
  const changed = await database.pool.query(`update links set title = 'changed since'`);
  expect(changed.rowCount).toBe(1);
  expect((await run(runRestore, [file], settings(database, dataDir))).error).toMatch(
    /a Fairlead is in use there/,
  );
  expect(existsSync(join(dataDir, 'restoring'))).toBe(true);
  await proxy.stop();
});

test('one that brought files to a store leaves the folder of media to whoever has it', async () => {
  const database = await emptyDatabase();
  const dataDir = join(folder.path, 'kept');
  const mine = join(dataDir, 'media', 'mine');
  await mkdir(join(dataDir, 'media'), { recursive: true });
  await writeFile(mine, 'of another installation');
  const S3_URL = 'http://key:secret@127.0.0.1:1/bucket';
  const cutOff = await run(runRestore, [file], { ...settings(database, dataDir), S3_URL });
  expect(cutOff.error).toMatch(/^The media files could not be moved into place/);
  expect(existsSync(join(dataDir, 'restoring'))).toBe(true);
  const again = await run(runRestore, [file], settings(database, dataDir));
  expect(again.error).toMatch(/kept\/media is not empty/);
  expect(await readFile(mine, 'utf8')).toBe('of another installation');
  expect(await toRows(database, "pg_class where relnamespace = 'public'::regnamespace")).toBe(0);
});
