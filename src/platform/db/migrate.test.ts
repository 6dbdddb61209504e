import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openDatabase, openPool } from './database.ts';
import {
  appliedMigrations,
  knownMigrations,
  migrate,
  type MigrateOptions,
  migrateTo,
  SchemaError,
} from './migrate.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';

/** Six nodes at once, and what one waits for. */
const PATIENT = { timeout: 240_000 };
const BODIES = '0022_webhook_bodies';
let known: string[];
let database: TestDatabase;
const ended: (() => Promise<void>)[] = [];

/** An empty database, or one with the first migrations: those before `next`. */
async function databaseBefore(next?: string): Promise<TestDatabase> {
  database = await createTestDatabase('template0');
  if (next) await migrateTo(database.db, known.slice(0, known.indexOf(next)));
  return database;
}

/** A node that starts, with connections of its own. */
function startNode(options: MigrateOptions = {}): Promise<string[]> {
  const pool = openPool({ ...database.connection, max: 2 }, () => {});
  return migrate(openDatabase(pool), options).finally(() => pool.end());
}

beforeAll(async () => {
  known = await knownMigrations();
});
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
  await database?.drop();
});

test('no two migrations have the same number', () => {
  const numbers = known.map((name) => name.slice(0, 4));
  expect(numbers).toEqual([...new Set(numbers)]);
});

describe('many nodes that start at once', () => {
  test('upgrade an older database once, after one backup; the others wait', PATIENT, async () => {
    await databaseBefore(BODIES);
    const pending = known.slice(known.indexOf(BODIES));
    const backedUp: string[][] = [];
    let waiting = 0;
    const node = () =>
      startNode({
        async beforeMigrations(db, names) {
          backedUp.push(names);
          expect(await appliedMigrations(db)).toEqual(known.slice(0, known.indexOf(BODIES)));
          await vi.waitFor(() => expect(waiting).toBe(5), 20_000);
        },
        onWait: () => void waiting++,
      });
    const done = await Promise.all([node(), node(), node(), node(), node(), node()]);
    expect(done.filter((names) => names.length)).toEqual([pending]);
    expect(backedUp).toEqual([pending]);
    expect(await appliedMigrations(database.db)).toEqual(known);
  });

  test('have nothing to back up where another was done just before their turn', PATIENT, async () => {
    await databaseBefore(BODIES);
    const beforeMigrations = vi.fn<NonNullable<MigrateOptions['beforeMigrations']>>();
    let looks = 0;
    const further = {
      // Between its first look and its turn another node does all of it.
      pending: async () => {
        if (looks++ === 0) await startNode();
        return [];
      },
      upgrade: async () => undefined,
    };
    expect(await startNode({ beforeMigrations, further })).toEqual([]);
    expect(looks).toBe(2);
    expect(beforeMigrations).not.toHaveBeenCalled();
  });

  test('fill an empty database once, and there is nothing to back up', PATIENT, async () => {
    await databaseBefore();
    const beforeMigrations = vi.fn<NonNullable<MigrateOptions['beforeMigrations']>>();
    const done = await Promise.all([1, 2, 3, 4].map(() => startNode({ beforeMigrations })));
    expect(done.filter((names) => names.length)).toEqual([known]);
    expect(beforeMigrations).not.toHaveBeenCalled();
  });
});

describe('an upgrade', () => {
  test('that waits to comment on a table blocks none of its writers', PATIENT, async () => {
    await databaseBefore('0057_comments');
    const { db, pool } = database;
    const vacuum = await pool.connect(); // which takes the same lock
    await vacuum.query('begin; lock table tags in share update exclusive mode');
    const upgrading = startNode();
    await vi.waitFor(async () => {
      const { rows } = await sql`
        select from pg_locks where not granted and relation = 'tags'::regclass and mode = 'ShareUpdateExclusiveLock'
      `.execute(db);
      expect(rows).toHaveLength(1);
    }, 20_000);
    await db.transaction().execute(async (tx) => {
      await sql`set local lock_timeout = '1ms'`.execute(tx);
      await sql`delete from tags`.execute(tx);
    });
    await vacuum.query('commit');
    vacuum.release();
    expect(await upgrading).toContain('0057_comments');
  });

  test('that has no backup changes nothing, and may be tried again', PATIENT, async () => {
    await databaseBefore(BODIES);
    const before = await appliedMigrations(database.db);
    const beforeMigrations = async () => {
      throw new SchemaError('no room');
    };
    await expect(startNode({ beforeMigrations })).rejects.toThrow('no room');
    expect(await appliedMigrations(database.db)).toEqual(before);
    expect(await startNode()).toEqual(known.slice(before.length));
  });

  test('whose turn was lost meanwhile does not migrate; another does', PATIENT, async () => {
    await databaseBefore(BODIES);
    const others: Promise<string[]>[] = [];
    const frozen = startNode({
      async beforeMigrations() {
        await sql`
          select pg_terminate_backend(pid) from pg_locks
          where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
        `.execute(database.db);
        others.push(startNode());
        await others[0];
      },
    });
    expect(await frozen).toEqual([]);
    expect(await others[0]).toEqual(known.slice(known.indexOf(BODIES)));
  });

  test('lets those go who queue behind a lock that it waits for, and tries again', PATIENT, async () => {
    await databaseBefore(BODIES);
    const busy = await database.pool.connect();
    ended.push(async () => busy.release(true));
    await busy.query('begin; set local idle_in_transaction_session_timeout = 0; table delivery_attempts');
    const upgraded = startNode();
    await vi.waitFor(async () => {
      const { rows } = await database.pool.query(
        `select from pg_locks where not granted and mode = 'AccessExclusiveLock' and relation = 'delivery_attempts'::regclass
           and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(rows).toHaveLength(1);
    }, 10_000);
    // Behind the migration in the queue, and through before the lock that both wait for is free.
    await database.pool.query('select from delivery_attempts limit 1');
    expect(await appliedMigrations(database.db)).not.toContain(BODIES);
    await busy.query('commit');
    expect(await upgraded).toContain(BODIES);
  });

  test('gives way where it and a request wait for each other', PATIENT, async () => {
    await databaseBefore(BODIES);
    const [request, other] = await Promise.all([database.pool.connect(), database.pool.connect()]);
    ended.push(async () => request.release(true));
    ended.push(async () => other.release(true));
    const hold = 'begin; set local idle_in_transaction_session_timeout = 0;';
    await request.query(`${hold} table api_keys`);
    await other.query(`${hold} table media`);
    const upgraded = startNode();
    await vi.waitFor(async () => {
      const { rows } = await database.pool.query(
        `select from pg_locks where not granted and mode = 'AccessExclusiveLock' and relation in ('api_keys'::regclass, 'media'::regclass)
           and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(rows).toHaveLength(1);
    }, 10_000);
    // The first migration alters workspaces, and a later one api_keys: were its lock held while the migration waits for
    // the next, the request would wait first and be the one that is canceled.
    const read = request.query('table workspaces; commit');
    await other.query('select pg_sleep(0.3); commit');
    await read;
    expect(await upgraded).toContain('0028_key_ancestors');
  });

  test('to a schema that this program does not know is refused', PATIENT, async () => {
    await databaseBefore(BODIES);
    await sql`insert into kysely_migration values ('9999_later', now()::text)`.execute(database.db);
    const refusal = /migrated by a newer Fairlead \(9999_later\)\. Start that version, or restore a backup/;
    await expect(startNode()).rejects.toThrow(refusal);
    expect(await appliedMigrations(database.db)).not.toContain(BODIES);
  });
});

describe('a schema for a copy', () => {
  test('has exactly the migrations that were asked for', PATIENT, async () => {
    await databaseBefore();
    expect(await appliedMigrations(database.db)).toEqual([]);
    const wanted = known.slice(0, known.indexOf(BODIES));
    expect(await migrateTo(database.db, wanted)).toEqual(wanted);
    expect(await migrateTo(database.db, wanted)).toEqual([]);
    expect(await appliedMigrations(database.db)).toEqual(wanted);
    expect(await migrate(database.db)).toEqual(known.slice(wanted.length));
  });

  test('is refused where this program, or the database, is another', PATIENT, async () => {
    await databaseBefore(BODIES);
    await expect(migrateTo(database.db, [...known, '9999_later'])).rejects.toThrow(/newer Fairlead/);
    await expect(migrateTo(database.db, known.slice(0, 2))).rejects.toThrow(/further migrations \(0003/);
    expect(await appliedMigrations(database.db)).toEqual(known.slice(0, known.indexOf(BODIES)));
  });
});
