/**
 * Builds indexes on large tables while the server runs. A migration that created such an index would block writers of the table
 * for as long as the build takes. It inserts a row into `index_builds` instead, and one process at a time builds what is missing
 * with CREATE INDEX CONCURRENTLY, which blocks neither readers nor writers.
 *
 * The catalog decides what is missing, not the row: a database that was restored or moved has the rows without the indexes. A
 * build that was killed leaves an invalid index, which the next attempt drops. The session of the build holds an advisory lock,
 * so an invalid index is never one that another process is building.
 *
 * PostgreSQL builds no index of a partitioned table concurrently. Its index is created without its partitions', which new
 * partitions then have from the start; existing ones get theirs concurrently, one after the other.
 */
import { sql } from 'kysely';
import type { Log } from '../logging/log.ts';
import { type Database, type Db, openDatabase, openPool, type PoolOptions } from './database.ts';
import { patiently } from './partitions.ts';

const BUILD_LOCK = 0x6978_6264;
const LOOK_EVERY_MS = 60_000;
/** Longest wait for a lock that writers queue behind. */
const LOCK_TIMEOUT = '150ms';
const FIRST_RETRY_SECONDS = 60;
const MAX_RETRY_SECONDS = 3_600;

interface Build {
  name: string;
  table_name: string;
  definition: string;
}

export interface IndexBuilder {
  /** Builds missing indexes that are due, and retries failed builds later. Called at start and every minute. */
  build(): Promise<void>;
  start(): void;
  /** Ends a build in progress; the next start begins it again. */
  stop(): Promise<void>;
}

/** Returns the declared indexes that are missing or incomplete. */
async function findMissing(db: Db, isDue: boolean): Promise<Build[]> {
  const { rows } = await sql<Build>`
    select b.name, b.table_name, b.definition from index_builds b
    where not exists (select from pg_index where indexrelid = to_regclass(b.name) and indisvalid)
      ${isDue ? sql`and b.next_attempt_at <= now()` : sql``}
    order by b.name
  `.execute(db);
  return rows;
}

/** For `/readyz`: degraded while the last attempt to build an index has failed. */
export async function checkIndexBuilds(db: Db): Promise<'ok' | 'degraded'> {
  const { rows } = await sql`select from index_builds where last_error is not null limit 1`.execute(db);
  return rows.length ? 'degraded' : 'ok';
}

/** @returns null if there is no such index */
async function isValid(db: Db, name: string): Promise<boolean | null> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})
  `.execute(db);
  return rows[0]?.valid ?? null;
}

/** Creates an index of a plain table or partition. @param db a single connection, outside a transaction */
async function buildPlain(db: Database, name: string, table: string, definition: string): Promise<void> {
  const valid = await isValid(db, name);
  if (valid) return;
  if (valid === false) await sql`drop index concurrently ${sql.table(name)}`.execute(db);
  await sql`create index concurrently ${sql.table(name)} on ${sql.table(table)} ${sql.raw(definition)}`.execute(
    db,
  );
}

/** Runs a statement that writers queue behind while it waits for its lock, which it tries a few times for a short while. */
async function runBriefly(db: Database, statement: ReturnType<typeof sql>): Promise<void> {
  await patiently(() =>
    db.transaction().execute(async (tx) => {
      await sql.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`).execute(tx);
      await statement.execute(tx);
    }),
  );
}

async function buildPartitioned(db: Database, { name, table_name: table, definition }: Build): Promise<void> {
  if ((await isValid(db, name)) === null)
    await runBriefly(
      db,
      sql`create index ${sql.table(name)} on only ${sql.table(table)} ${sql.raw(definition)}`,
    );
  const { rows } = await sql<{ partition: string }>`
    select c.relname as partition from pg_inherits p join pg_class c on c.oid = p.inhrelid
    where p.inhparent = ${table}::regclass and not exists (
      select from pg_index i join pg_inherits a on a.inhrelid = i.indexrelid
      where i.indrelid = c.oid and a.inhparent = ${name}::regclass
    ) order by c.relname desc
  `.execute(db);
  for (const { partition } of rows) {
    const own = name + partition.slice(table.length);
    await buildPlain(db, own, partition, definition);
    await runBriefly(db, sql`alter index ${sql.table(name)} attach partition ${sql.table(own)}`);
  }
}

async function isPartitioned(db: Db, table: string): Promise<boolean> {
  const { rows } = await sql<{ kind: string }>`
    select relkind as kind from pg_class where oid = ${table}::regclass
  `.execute(db);
  return rows[0]!.kind === 'p';
}

/** Counts the attempt before it begins, so that one which kills the process is counted too. */
const recordAttempt = (db: Db, name: string): Promise<unknown> =>
  sql`
    update index_builds set attempts = attempts + 1, last_attempt_at = now(), next_attempt_at = now()
      + least(${FIRST_RETRY_SECONDS} * 2 ^ least(attempts, 10), ${MAX_RETRY_SECONDS}) * interval '1 second'
    where name = ${name}
  `.execute(db);

const recordResult = (db: Db, name: string, error: string | null): Promise<unknown> =>
  sql`
    update index_builds set last_error = ${error}, built_at = ${error === null ? sql`now()` : sql`null`}
    where name = ${name}
  `.execute(db);

/**
 * @param db for looking whether something is missing, and for the results
 * @param connection a way to the database without a transaction pooler, opened only for a build
 */
export function createIndexBuilder(deps: {
  db: Database;
  connection: PoolOptions;
  log: Pick<Log, 'info' | 'error'>;
}): IndexBuilder {
  const { db, connection, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | null = null;
  let session: number | null = null;
  let isStopping = false;

  const buildOne = async (own: Database, build: Build): Promise<void> => {
    const { name, table_name: table } = build;
    const startedAt = performance.now();
    log.info({ index: name, table }, 'index build: started');
    await recordAttempt(db, name);
    try {
      if (await isPartitioned(own, table)) await buildPartitioned(own, build);
      else await buildPlain(own, name, table, build.definition);
    } catch (error) {
      if (isStopping) return;
      log.error({ err: error, index: name, table }, 'index build: failed, retrying later');
      await recordResult(db, name, (error as Error).message);
      return;
    }
    await recordResult(db, name, null);
    log.info({ index: name, table, ms: Math.round(performance.now() - startedAt) }, 'index build: completed');
  };

  const buildMissing = async (): Promise<void> => {
    if ((await findMissing(db, true)).length === 0) return;
    const pool = openPool({ ...connection, max: 1 }, () => undefined); // the query throws connection errors
    try {
      await openDatabase(pool)
        .connection()
        .execute(async (own) => {
          const { rows } = await sql<{ mine: boolean; pid: number }>`
            select pg_try_advisory_lock(${sql.lit(BUILD_LOCK)}, 0) as mine, pg_backend_pid() as pid
          `.execute(own);
          if (!rows[0]!.mine) return;
          session = rows[0]!.pid;
          // A build takes as long as it takes, whatever the role's settings are. Waiting for its locks blocks no writer.
          await sql`set statement_timeout = 0`.execute(own);
          await sql`set lock_timeout = 0`.execute(own);
          for (const build of await findMissing(own, true)) if (!isStopping) await buildOne(own, build);
        });
    } finally {
      session = null;
      await pool.end();
    }
  };

  const build = (): Promise<void> => (working ??= buildMissing().finally(() => (working = null)));
  const tick = (): void =>
    void build().catch((error: unknown) => {
      if (!isStopping) log.error({ err: error }, 'index build: could not look for missing indexes');
    });

  return {
    build,
    start() {
      tick();
      timer = setInterval(tick, LOOK_EVERY_MS);
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      if (session !== null) await sql`select pg_terminate_backend(${session}::int)`.execute(db);
      await working?.catch(() => undefined); // thrown by the build that was ended
    },
  };
}
