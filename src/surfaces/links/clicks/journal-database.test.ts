/** Two databases over one DATA_DIR, for example after a move that was undone. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { append, keptLog, upTo } from '../../../../test/support/links/clicks/journal-world.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { startTestApp } from '../../../../test/support/test-app.ts';
import { createClickJournal, journalsFolder } from './click-journal.ts';
import { assertOwnJournals, claimJournals } from '../../../platform/journal/journal-database.ts';
import { getDatabaseIdentity } from '../../../platform/journal/journals.system-store.ts';

let older: TestDatabase;
let newer: TestDatabase;
let temporary: TemporaryFolder;
beforeAll(async () => {
  [older, newer] = [await createTestDatabase(), await createTestDatabase()];
});
beforeEach(async () => {
  temporary = await temporaryFolder();
  await newer.pool.query('truncate journals');
});
afterEach(() => temporary[Symbol.asyncDispose]());
afterAll(async () => {
  await newer?.drop();
  await older?.drop();
});

/** Leaves a journal with clicks. @returns its ID */
async function leaveJournal(): Promise<string> {
  const registry = new Registry();
  const options = { dataDir: temporary.path, sync: 'write' as const, log: keptLog().log, registry };
  const journal = await createClickJournal(options);
  await append(journal, upTo(3));
  await journal.close();
  return journal.id;
}
const check = ({ db }: TestDatabase): Promise<boolean> =>
  assertOwnJournals(db, journalsFolder(temporary.path), 'clicks');
const foreign = expect.objectContaining({ name: 'ForeignJournalsError' });

test('unassigned journals belong to the database that claims them first', async () => {
  expect(await check(older)).toBe(false);
  await leaveJournal();
  expect(await check(older)).toBe(false);
  await claimJournals(older.db, journalsFolder(temporary.path));
  expect(await check(older)).toBe(true);
});

test('a database without rows of the journals is refused, and may claim them', async () => {
  const ids = [await leaveJournal(), await leaveJournal()];
  await claimJournals(older.db, journalsFolder(temporary.path));
  await expect(check(newer)).rejects.toThrow(/2 journals of another database.*fairlead admin claim-journals/);
  await newer.pool.query('insert into journals (journal_id) values ($1)', [ids[0]]);
  await expect(check(newer)).rejects.toThrow(`1 journals of another database: ${ids[1]}.`);
  await claimJournals(newer.db, journalsFolder(temporary.path));
  expect(await check(newer)).toBe(true);
  await expect(check(older)).rejects.toEqual(foreign);
});

test('a copy of the database, which has their rows, takes the journals over', async () => {
  const id = await leaveJournal();
  await claimJournals(older.db, journalsFolder(temporary.path));
  await newer.pool.query('insert into journals (journal_id) values ($1)', [id]);
  expect(await check(newer)).toBe(false);
});

test('a directory without journals is free for any database', async () => {
  const id = await leaveJournal();
  await claimJournals(older.db, journalsFolder(temporary.path));
  rmSync(join(journalsFolder(temporary.path), id), { recursive: true });
  expect(await check(newer)).toBe(false);
});

test('a label that was emptied by a power failure counts as missing', async () => {
  await leaveJournal();
  writeFileSync(join(journalsFolder(temporary.path), 'database'), '');
  expect(await check(newer)).toBe(false);
});

test('two databases of one server have different identities, the same over every connection', async () => {
  const identities = [await getDatabaseIdentity(older.db), await getDatabaseIdentity(newer.db)];
  expect(new Set(identities).size).toBe(2);
  await older.db
    .connection()
    .execute(async (other) => expect(await getDatabaseIdentity(other)).toBe(identities[0]));
});

test('a server of another database does not start on the same DATA_DIR', async () => {
  const data = { DATA_DIR: temporary.path };
  const start = (database: TestDatabase) => startTestApp(data, { database, config: data });
  const app = await start(older);
  await leaveJournal();
  await expect(start(newer)).rejects.toEqual(foreign);
  await app.stop();
  await expect(start(newer)).rejects.toEqual(foreign);
  await (await start(older)).stop();
});
