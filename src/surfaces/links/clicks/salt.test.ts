import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openDatabase, openPool } from '../../../platform/db/database.ts';
import { DAY_MS } from '../../../platform/db/partitions.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { createSalts, deleteOldSalts, type Salts } from './salt.ts';

let database: TestDatabase;
const NOON = Date.parse('2026-03-10T12:00:00Z');
const started: Salts[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(() => database.pool.query('delete from click_salts'));
afterAll(async () => {
  await Promise.all(started.map((salts) => salts.stop()));
  await database.drop();
});

function startSalts(db = database.db, clock = () => NOON) {
  const warn = vi.fn<(details: object, message: string) => void>();
  const salts = createSalts({ db, log: { warn }, clock });
  started.push(salts);
  salts.start();
  return { salts, warn };
}
const stored = async (): Promise<Record<string, Buffer>> => {
  const { rows } = await database.pool.query('select day::text as day, salt from click_salts');
  return Object.fromEntries(rows.map(({ day, salt }) => [day, salt]));
};

test('all processes agree on the salts of today and tomorrow, and midnight needs nothing more', async () => {
  const all = Array.from({ length: 5 }, () => startSalts().salts);
  await vi.waitFor(async () => {
    const storedSalts = await stored();
    expect(Object.keys(storedSalts).sort()).toEqual(['2026-03-10', '2026-03-11']);
    for (const salts of all) {
      expect(salts.getSalt(NOON)).toEqual(storedSalts['2026-03-10']);
      expect(salts.getSalt(NOON + DAY_MS)).toEqual(storedSalts['2026-03-11']);
    }
  }, 20_000);
  const [one] = all;
  expect(one!.getSalt(NOON)).toHaveLength(32);
  expect(one!.getSalt(NOON + DAY_MS / 2 - 1)).toEqual(one!.getSalt(NOON));
  expect(one!.getSalt(NOON + DAY_MS / 2)).toEqual(one!.getSalt(NOON + DAY_MS));
  expect(one!.getSalt(NOON)).not.toEqual(one!.getSalt(NOON + DAY_MS));
});

test('without a database a process has salts of its own, which stay, and tells so once', async () => {
  const pool = openPool({ host: '127.0.0.1', port: 1, user: 'nobody', database: 'none' }, () => {});
  const { salts, warn } = startSalts(openDatabase(pool));
  const first = salts.getSalt(NOON);
  await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1));
  expect(first).toHaveLength(32);
  expect(salts.getSalt(NOON + 1)).toEqual(first);
  expect(salts.getSalt(NOON + DAY_MS)).not.toEqual(first);
  await salts.stop();
  await pool.end();
});

test('a salt is forgotten once its day is over for two days', async () => {
  const days = ['2026-03-06', '2026-03-07', '2026-03-08', '2026-03-09', '2026-03-10'];
  for (const day of days)
    await database.pool.query('insert into click_salts (day, salt) values ($1, $2)', [day, Buffer.alloc(32)]);
  expect(await deleteOldSalts(database.db, new Date(NOON))).toBe(2);
  expect(Object.keys(await stored()).sort()).toEqual(['2026-03-08', '2026-03-09', '2026-03-10']);
});
