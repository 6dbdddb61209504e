import type { ClickRecord } from './click-record.ts';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { getLoader } from '../../../../test/support/click-load.ts';
import { openDatabase, openPool } from '../../../platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { type OrphanRecovery, createOrphanRecovery } from '../../../platform/journal/orphan-recovery.ts';
import { deleteEndedJournals } from '../../../platform/journal/journals.system-store.ts';
import { CLICKS, createClickJournal, journalsFolder, type ProcessClickJournal } from './click-journal.ts';
import type { JournalSource } from '../../../platform/journal/journal-source.ts';
import { startWriter, type Writer } from '../../../../test/support/links/clicks/journal-kills.ts';
import { append, keptLog, readAll, upTo } from '../../../../test/support/links/clicks/journal-world.ts';

let database: TestDatabase;
let temporary: TemporaryFolder;
const journals: ProcessClickJournal[] = [];
const recoveries: OrphanRecovery<ClickRecord>[] = [];
const writers: Writer[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  temporary = await temporaryFolder();
});
afterEach(async () => {
  await Promise.all(writers.splice(0).map((writer) => writer.kill()));
  await Promise.all(recoveries.splice(0).map((recovery) => recovery.stop()));
  await Promise.all(journals.splice(0).map((journal) => journal.close()));
  await temporary[Symbol.asyncDispose]();
});
afterAll(() => database.drop());

const { log } = keptLog();

async function openJournal(): Promise<ProcessClickJournal> {
  const journal = await createClickJournal({
    dataDir: temporary.path,
    sync: 'write',
    log,
    registry: new Registry(),
  });
  journals.push(journal);
  return journal;
}
async function openNode(db = database.db) {
  const journal = await openJournal();
  const recovery = createOrphanRecovery({
    ...CLICKS,
    root: journalsFolder(temporary.path),
    journal,
    db,
    log,
    everyMs: 20,
  });
  recoveries.push(recovery);
  const recovered = (): JournalSource<ClickRecord>[] => recovery.sources().filter(({ isLive }) => !isLive);
  return { journal, recovery, recovered };
}
async function write(first: number): Promise<Writer> {
  const output = join(temporary.path, `told-${first}`);
  const writer = await startWriter(temporary.path, { sync: 'write', first, output });
  writers.push(writer);
  return writer;
}
const remember = (id: string, segment = 0): Promise<unknown> =>
  database.pool.query(
    `insert into journals (journal_id, segment, position) values ($1, $2, 36)
     on conflict (journal_id) do update set segment = excluded.segment, position = excluded.position`,
    [id, segment],
  );
const isRemembered = async (id: string): Promise<boolean> =>
  (await database.pool.query('select 1 from journals where journal_id = $1 and ended_at is null', [id]))
    .rowCount === 1;
const folders = (): string[] =>
  readdirSync(journalsFolder(temporary.path))
    .filter((name) => name !== 'turn')
    .sort();

test('of two processes the dead one is recovered, then the other when it dies too, each with all its clicks', async () => {
  const { recovery, recovered, journal } = await openNode();
  const other = await write(1e9);
  const one = await write(0);
  await recovery.check();
  expect(recovery.sources()).toEqual([journal.source]);

  const acknowledged = await one.kill();
  await recovery.check();
  expect(recovered().map(({ id }) => id)).toEqual([one.id]);
  const { ats } = await readAll(recovered()[0]!);
  const found = new Set(ats);
  expect(acknowledged.filter((at) => !found.has(at))).toEqual([]);
  expect([acknowledged.length > 0, found.size]).toEqual([true, ats.length]);

  await remember(one.id);
  await recovery.finished(recovered()[0]!);
  expect(recovered()).toEqual([]);
  expect(folders()).toEqual([journal.id, other.id].sort());
  expect(await isRemembered(one.id)).toBe(false);

  await other.kill();
  recovery.start();
  await vi.waitFor(() => expect(recovered().map(({ id }) => id)).toEqual([other.id]));
});

test('a journal that was left by a process that stopped is taken by one alone', async () => {
  const left = await openJournal();
  await append(left, upTo(10));
  const nodes = [await openNode(), await openNode()];
  for (const { recovery } of nodes) await recovery.check();
  expect(nodes.flatMap(({ recovered }) => recovered())).toEqual([]);
  await left.close();

  await Promise.all(nodes.map(({ recovery }) => recovery.check()));
  for (const { recovery } of nodes) await recovery.check();
  const [source, ...others] = nodes.flatMap(({ recovered }) => recovered());
  expect([source!.id, others]).toEqual([left.id, []]);
  expect((await readAll(source!)).ats).toEqual(upTo(10));

  // The holder stops before everything is loaded, and the other one continues.
  const [holder, other] = nodes.toSorted((a, b) => b.recovered().length - a.recovered().length);
  await holder!.recovery.stop();
  await other!.recovery.check();
  expect(other!.recovered().map(({ id }) => id)).toEqual([left.id]);
});

test('a copy of a journal that was loaded, as of a backup, is not loaded again', async () => {
  const left = await openJournal();
  await append(left, upTo(10));
  await left.close();
  const folder = join(journalsFolder(temporary.path), left.id);
  const copy = join(temporary.path, 'copy');
  cpSync(folder, copy, { recursive: true });
  const { recovery, recovered } = await openNode();
  const loaded: number[] = [];
  const load = async () => {
    await recovery.check();
    const [source] = recovered();
    const watched: JournalSource<ClickRecord> = {
      ...source!,
      async read(...from) {
        const part = await source!.read(...from);
        loaded.push(...part.records.map(({ at }) => at));
        return part;
      },
    };
    await getLoader(database.db, [watched], { onFinished: () => recovery.finished(source!) }).drain();
    expect(existsSync(folder)).toBe(false);
  };
  await load();
  expect(loaded).toEqual(upTo(10));
  cpSync(copy, folder, { recursive: true });
  await load();
  expect(loaded).toEqual(upTo(10));

  const year = 366 * 24 * 3_600_000;
  expect(await deleteEndedJournals(database.db, new Date())).toBe(0);
  expect(await deleteEndedJournals(database.db, new Date(Date.now() + year))).toBeGreaterThan(0);
});

test('a crash between the end of a journal and the removal of its files leaves nothing that counts', async () => {
  const left = await openJournal();
  await append(left, upTo(10));
  await left.close();
  await remember(left.id);
  const root = journalsFolder(temporary.path);
  renameSync(join(root, left.id), join(root, `${left.id}.gone`)); // and there it died

  const { recovery, recovered, journal } = await openNode();
  await recovery.check();
  expect(recovered()).toEqual([]);
  expect(await isRemembered(left.id)).toBe(false);
  expect(folders()).toEqual([journal.id]);
});

test('while the database is away nothing is forgotten: files go once it is back', async () => {
  const left = await openJournal();
  await left.close();
  await remember(left.id);
  const pool = openPool({ host: '127.0.0.1', port: 1, user: 'nobody', database: 'none' }, () => {});
  const { recovery, recovered, journal } = await openNode(openDatabase(pool));
  await recovery.check();
  const [source] = recovered();
  await expect(recovery.finished(source!)).rejects.toThrow('ECONNREFUSED');
  await recovery.check();
  expect(recovered()).toEqual([]);
  expect([folders(), await isRemembered(left.id)]).toEqual([[`${left.id}.gone`, journal.id].sort(), true]);
  await pool.end();

  const other = await openNode();
  await other.recovery.check();
  expect([folders(), await isRemembered(left.id)]).toEqual([[journal.id, other.journal.id].sort(), false]);
});

test('a process ID that is used again is not taken for the process that had it', async () => {
  const left = await openJournal();
  await append(left, [1]);
  const folder = join(journalsFolder(temporary.path), left.id);
  const owner = JSON.parse(readFileSync(join(folder, 'owner.json'), 'utf8'));
  await left.close();
  const { recovery, recovered } = await openNode();
  // This very process lives: only when it began says that it is another.
  writeFileSync(join(folder, 'owner.json'), JSON.stringify(owner));
  await recovery.check();
  expect(recovered()).toEqual([]);
  writeFileSync(join(folder, 'owner.json'), JSON.stringify({ ...owner, began: '1' }));
  await recovery.check();
  expect(recovered().map(({ id }) => id)).toEqual([left.id]);
});

test('what is no journal is left alone, what was only begun is removed', async () => {
  const { recovery, recovered, journal } = await openNode();
  const root = journalsFolder(temporary.path);
  const begun = '5d1f3a90-7c1b-4e55-9d5e-0f3f8a1b2c3d';
  for (const name of [begun, 'notes', 'lost+found']) mkdirSync(join(root, name));
  await recovery.check();
  const [source] = recovered();
  expect((await readAll(source!)).ats).toEqual([]);
  await recovery.finished(source!);
  expect(folders()).toEqual([journal.id, 'lost+found', 'notes'].sort());
  expect(existsSync(join(root, `${begun}.gone`))).toBe(false);
});
