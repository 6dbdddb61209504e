import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { unitsFor } from '../../../test/support/events/outbox.ts';
import { createBatcher } from './batcher.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { sql } from 'kysely';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('create table written (item text primary key)');
});
afterAll(() => database.drop());

const written = async (like: string): Promise<string[]> =>
  (
    await database.pool.query('select item from written where item like $1 order by item', [`${like}%`])
  ).rows.map(({ item }) => item);

/** Writes each item; `refuse…` is refused, `break…` fails all of its transaction. */
function start(max = 100) {
  const transactions: string[][] = [];
  const gatherer = createBatcher<string, string>({
    units: unitsFor(database.db),
    max,
    async work(unit, items) {
      transactions.push(items);
      if (items.some((item) => item.includes('break'))) await sql`select 1 / 0`.execute(unit.db);
      const taken = items.filter((item) => !item.includes('refuse'));
      await sql`insert into written select unnest(${taken}::text[])`.execute(unit.db);
      return items.map((item) => (item.includes('refuse') ? new Error(`no ${item}`) : `did ${item}`));
    },
  });
  return { gatherer, transactions };
}
const nothing = () => {};
const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

describe('what comes together is written together', () => {
  test('in one transaction, each with its own result, and no more than the most in one', async () => {
    const { gatherer, transactions } = start(10);
    const results = await Promise.all(numbered('a', 25).map((item) => gatherer.add('k', item, nothing)));
    expect(results).toEqual(numbered('a', 25).map((item) => `did ${item}`));
    expect(transactions.map((items) => items.length)).toEqual([10, 10, 5]);
    expect(await written('a')).toHaveLength(25);
  });

  test('what comes while a transaction is under way goes into the next; other keys wait for nothing', async () => {
    const { gatherer, transactions } = start();
    const gate = Promise.withResolvers<void>();
    const first = gatherer.add('k', 'b-first', () => gate.promise);
    await vi.waitFor(() => expect(transactions).toHaveLength(1));
    const more = ['b-second', 'b-third'].map((item) => gatherer.add('k', item, nothing));
    expect(await gatherer.add('other', 'b-other', nothing)).toBe('did b-other');
    gate.resolve();
    await Promise.all([first, ...more]);
    expect(transactions).toEqual([['b-first'], ['b-other'], ['b-second', 'b-third']]);
  });
});

test('a statement is tried first, and its failure rejects only the item that caused it', async () => {
  const transactions: string[][] = [];
  const batcher = createBatcher<string, string>({
    units: unitsFor(database.db),
    max: 100,
    async statement({ db }, items) {
      if (items.some((item) => item.includes('slow'))) return null;
      await sql`insert into written select unnest(${items}::text[])`.execute(db);
      return items.map(() => 'statement');
    },
    async work({ db }, items) {
      transactions.push(items);
      await sql`insert into written select unnest(${items}::text[])`.execute(db);
      return items.map(() => 'transaction');
    },
  });
  const add = async (items: string[]) =>
    (await Promise.allSettled(items.map((item) => batcher.add('k', item, nothing)))).map((one) =>
      one.status === 'fulfilled' ? one.value : one.status,
    );
  expect(await add(['g1', 'g2'])).toEqual(['statement', 'statement']);
  expect(await add(['g3', 'g-slow'])).toEqual(['transaction', 'transaction']);
  expect(await add(['g1', 'g4'])).toEqual(['rejected', 'statement']);
  const refused = batcher.add('k', 'g5', () => Promise.reject(new Error('revoked')));
  await expect(refused).rejects.toThrow('revoked');
  expect(await written('g')).toEqual(['g-slow', 'g1', 'g2', 'g3', 'g4']);
  expect(transactions).toEqual([['g3', 'g-slow']]);
});

describe("one's fault is no other's", () => {
  const settle = async (gatherer: ReturnType<typeof start>['gatherer'], items: string[]) =>
    (await Promise.allSettled(items.map((item) => gatherer.add('k', item, nothing)))).map(
      ({ status }) => status,
    );

  test('who is refused gets the refusal, the others are written', async () => {
    const { gatherer, transactions } = start();
    expect(await settle(gatherer, ['c1', 'c-refuse', 'c2'])).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(transactions).toHaveLength(1);
    expect(await written('c')).toEqual(['c1', 'c2']);
  });

  test('who breaks the transaction fails alone, by its own error', async () => {
    const { gatherer } = start();
    await database.pool.query("insert into written values ('d-doubled')");
    expect(await settle(gatherer, ['d1', 'd-break', 'd-doubled', 'd2'])).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    await expect(gatherer.add('k', 'd-break', nothing)).rejects.toThrow('division by zero');
    expect(await written('d')).toEqual(['d-doubled', 'd1', 'd2']);
  });

  test('who is refused right before the commit has written nothing', async () => {
    const { gatherer } = start();
    const outcomes = await Promise.allSettled([
      gatherer.add('k', 'e1', nothing),
      gatherer.add('k', 'e-revoked', () => Promise.reject(new Error('revoked'))),
      gatherer.add('k', 'e2', nothing),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await written('e')).toEqual(['e1', 'e2']);
  });

  test('a commit of which nobody knows is never done again', async () => {
    const { gatherer, transactions } = start();
    // The connection is cut within the hook before the commit, after the point of no return of the last one.
    const cut = async (): Promise<void> => {
      await database.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and state = 'idle in transaction'`,
      );
    };
    const outcomes = await Promise.allSettled([
      gatherer.add('k', 'f1', nothing),
      gatherer.add('k', 'f2', cut),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(transactions).toEqual([['f1', 'f2']]);
    expect(await written('f')).toEqual([]);
    expect(await gatherer.add('k', 'f3', nothing)).toBe('did f3');
  });
});
