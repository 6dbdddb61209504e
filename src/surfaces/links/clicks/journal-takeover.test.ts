/** Two databases over one DATA_DIR, as a move leaves them: one was copied from the other, and either may be served. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openFileLock } from '../../../platform/embedded-postgres/file-lock.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { type OrphanRecovery, createOrphanRecovery } from './orphan-recovery.ts';
import { getDatabaseIdentity } from './orphan-recovery.system-store.ts';
import { createClickJournal, journalsFolder, type ProcessJournal } from './journal.ts';
import { append, keptLog, readAll, upTo } from '../../../../test/support/links/clicks/journal-world.ts';

let older: TestDatabase;
let newer: TestDatabase;
let temporary: TemporaryFolder;
const [journals, adoptions]: [ProcessJournal[], OrphanRecovery[]] = [[], []];

beforeAll(async () => {
  older = await createTestDatabase();
  newer = await createTestDatabase();
});
beforeEach(async () => {
  temporary = await temporaryFolder();
  for (const { pool } of [older, newer]) await pool.query('truncate journals');
  lines.length = 0;
});
afterEach(async () => {
  await Promise.all(adoptions.splice(0).map((adoption) => adoption.stop()));
  await Promise.all(journals.splice(0).map((journal) => journal.close()));
  await temporary[Symbol.asyncDispose]();
});
afterAll(async () => {
  await newer?.drop();
  await older?.drop();
});

const { lines, log } = keptLog();
const countLogged = (part: string): number => lines.filter(({ message }) => message.includes(part)).length;

/** A process, as of its start. */
async function begin({ db }: Pick<TestDatabase, 'db'>, clicks: number[] = []) {
  const registry = new Registry();
  const journal = await createClickJournal({ dataDir: temporary.path, sync: 'write', log, registry });
  const adoption = createOrphanRecovery({ dataDir: temporary.path, journal, db, log });
  journals.push(journal);
  adoptions.push(adoption);
  await adoption.check();
  await append(journal, clicks);
  const others = () => adoption.sources().filter(({ isLive }) => !isLive);
  return {
    id: journal.id,
    check: adoption.check,
    adopted: (): string[] => others().map(({ id }) => id),
    ats: async (): Promise<number[]> =>
      (await Promise.all(others().map((one) => readAll(one)))).flatMap((r) => r.ats),
    async end() {
      await adoption.stop();
      await journal.close();
    },
  };
}
/** What a move brings over. */
async function copyRows(): Promise<void> {
  const { rows } = await older.pool.query('select journal_id, segment, position from journals');
  for (const row of rows)
    await newer.pool.query('insert into journals (journal_id, segment, position) values ($1, $2, $3)', [
      row.journal_id,
      row.segment,
      row.position,
    ]);
}

test('after a move what the old server left is loaded into the new database, by one of its processes', async () => {
  const before = [await begin(older, upTo(5)), await begin(older, upTo(5, 5))];
  await copyRows();
  for (const one of before) await one.end();
  const after = await Promise.all([begin(newer), begin(newer), begin(newer)]);
  for (const one of after) await one.check();
  expect(after.flatMap(({ adopted }) => adopted()).sort()).toEqual(before.map(({ id }) => id).sort());
  expect((await Promise.all(after.map(({ ats }) => ats()))).flat().sort((a, b) => a - b)).toEqual(upTo(10));
  expect(countLogged('another database')).toBe(0);
});

test('of two servers that run on both databases neither loads what the other leaves, at whatever time it starts', async () => {
  const lasting = await begin(older, upTo(3));
  await copyRows();
  const moved = await begin(newer, upTo(3, 10));
  const crashed = [await begin(older, upTo(3, 20)), await begin(newer, upTo(3, 30))];
  for (const one of crashed) await one.end();
  await moved.check();
  await lasting.check();
  expect([lasting.adopted(), moved.adopted()]).toEqual([[crashed[0]!.id], [crashed[1]!.id]]);
  expect([await lasting.ats(), await moved.ats()]).toEqual([upTo(3, 20), upTo(3, 30)]);

  // The copy knows the journal, and its clicks came after the copy: one that starts leaves it, and so do those that
  // run.
  const shared = lasting.id;
  await begin(older);
  await lasting.end();
  expect((await begin(newer)).adopted()).toEqual([]);
  await moved.check();
  expect(moved.adopted()).not.toContain(shared);
  expect(countLogged('uses this DATA_DIR')).toBeGreaterThan(0);
});

test('what came to the new database alone is left by the old one, and told', async () => {
  const alone = await begin(newer, upTo(3));
  await alone.end();
  const back = await begin(older);
  expect(back.adopted()).toEqual([]);
  expect(lines).toContainEqual({
    level: 'warn',
    details: { count: 1, journals: [alone.id] },
    message: 'click journal: skipping journals of another database',
  });
  await back.end();
  expect(await (await begin(newer)).ats()).toEqual(upTo(3));
});

test('what was taken over is of the new database from then on, also where its process dies before it is loaded', async () => {
  const before = await begin(older, upTo(3));
  await copyRows();
  await before.end();
  const taking = await begin(newer);
  expect(taking.adopted()).toEqual([before.id]);
  const other = await begin(newer);
  await begin(older);
  await taking.end();
  await other.check();
  expect(other.adopted()).toContain(before.id);
});

test('where the database fails amid a takeover nothing is held, and the next look goes on', async () => {
  const before = [await begin(older, upTo(3)), await begin(older, upTo(3, 3))];
  await copyRows();
  for (const one of before) await one.end();
  await newer.pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
    create trigger refuse before insert on journals for each row
      when (new.journal_id = '${before[1]!.id}') execute function refuse()`);
  const taking = await begin(newer);
  expect(taking.adopted()).toEqual([]);
  await taking.check();
  expect(countLogged('could not assign journals')).toBe(1);
  await newer.pool.query('drop function refuse cascade');
  await taking.check();
  expect(taking.adopted().sort()).toEqual(before.map(({ id }) => id).sort());
  expect((await taking.ats()).sort()).toEqual(upTo(6));
});

test('a journal is named once its row is in the database; one without a name is of whoever finds it', async () => {
  const registry = new Registry();
  const unnamed = await createClickJournal({ dataDir: temporary.path, sync: 'write', log, registry });
  await append(unnamed, upTo(3));
  await unnamed.close();
  const folder = join(journalsFolder(temporary.path), unnamed.id);
  expect(existsSync(join(folder, 'database'))).toBe(false);
  expect(await (await begin(newer)).ats()).toEqual(upTo(3));
  expect(readFileSync(join(folder, 'database'), 'utf8')).toBe(await getDatabaseIdentity(newer.db));
  const { rows } = await newer.pool.query('select from journals where journal_id = $1', [unnamed.id]);
  expect(rows).toHaveLength(1);
});

test('databases of one server are called differently, each the same over every connection', async () => {
  const names = [await getDatabaseIdentity(older.db), await getDatabaseIdentity(newer.db)];
  expect(new Set(names).size).toBe(2);
  await older.db
    .connection()
    .execute(async (other) => expect(await getDatabaseIdentity(other)).toBe(names[0]));
});

test('a journal is named also while another process has the turn: its clicks are counted by then', async () => {
  const root = journalsFolder(temporary.path);
  mkdirSync(root, { recursive: true });
  const takeoverLock = openFileLock(join(root, 'turn'))!;
  try {
    const one = await begin(older);
    expect(readFileSync(join(root, one.id, 'database'), 'utf8')).toBe(await getDatabaseIdentity(older.db));
  } finally {
    takeoverLock.close();
  }
});

test('a folder that can not be read keeps no other from being taken', async () => {
  const left = await begin(older, upTo(3));
  await left.end();
  mkdirSync(join(journalsFolder(temporary.path), randomUUID(), 'database'), { recursive: true });
  const next = await begin(older);
  expect(next.adopted()).toEqual([left.id]);
  expect(countLogged('could not recover or remove')).toBeGreaterThan(0);
});
