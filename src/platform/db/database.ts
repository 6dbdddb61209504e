/**
 * The one way to PostgreSQL: a `pg` pool behind Kysely, with every parametrised statement named, so that the
 * server parses and plans it once a connection.
 */
import { createHash } from 'node:crypto';
import {
  type Kysely as KyselyType,
  Kysely,
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  PostgresDriver,
  sql,
  type Transaction as KyselyTransaction,
  type TransactionSettings,
} from 'kysely';
import pg from 'pg';
import type { DB } from './tables.ts';

export type Database = KyselyType<DB>;
/** An open transaction. Functions that lock rows take one. */
export type Tx = KyselyTransaction<DB>;
/** The pool, or the caller's transaction. */
export type Db = Database | Tx;

const INT8 = 20;
const TIMESTAMPTZ = 1184;
const types = new pg.TypeOverrides();
types.setTypeParser(INT8, Number);
types.setTypeParser(TIMESTAMPTZ, (value) => new Date(value));

const STATEMENT_NAMES_KEPT = 1000;
const names = new Map<string, string>();

/**
 * Matches statements that return all columns of a table. A newer server may add one while this server runs, and PostgreSQL
 * refuses a prepared statement whose result would change ("cached plan must not change result type").
 */
const RETURNS_ALL_COLUMNS = /(?:select|returning|,)\s+(?:"?\w+"?\.)?\*(?! from unnest)/;

/** The name that a text is prepared under; none once there are too many texts for a connection to keep. */
function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= STATEMENT_NAMES_KEPT) return known;
  if (RETURNS_ALL_COLUMNS.test(text)) return undefined;
  const name = createHash('sha1').update(text).digest('base64url');
  names.set(text, name);
  return name;
}

let sent = 0;
/** Statements that this process has sent to the database, BEGIN and COMMIT included. */
export const statementsSent = (): number => sent;

/** A client whose queries with parameters are prepared under a name derived from their text. */
class NamingClient extends pg.Client {
  // @ts-expect-error pg declares nine overloads; Kysely calls only (text, values), all else passes through.
  override query(text: unknown, values?: unknown, callback?: unknown) {
    sent++;
    if (typeof text === 'string' && Array.isArray(values) && values.length > 0)
      return super.query({ name: statementName(text), text, values } as never, callback as never);
    return super.query(text as never, values as never, callback as never);
  }
}

export type PoolOptions = Pick<
  pg.PoolConfig,
  | 'connectionString'
  | 'host'
  | 'port'
  | 'user'
  | 'database'
  | 'password'
  | 'max'
  | 'min'
  | 'application_name'
  | 'connectionTimeoutMillis'
>;

/**
 * The way to the database without a transaction pooler between, for LISTEN, migrations, and all that keeps a session.
 * @param connection the usual one
 */
export const directConnection = (
  { DATABASE_DIRECT_URL: direct }: { DATABASE_DIRECT_URL: string | null },
  connection: PoolOptions,
): PoolOptions => (direct === null ? connection : { connectionString: direct });

/**
 * A process that freezes in the midst of a transaction loses its connection after this, and with it the locks that
 * others wait for. None of ours waits nearly so long between two statements.
 */
const FROZEN = '15s';

/** A request waits no longer for rows that another transaction holds, which may be one of a process that froze. */
const REQUEST_LOCK_TIMEOUT = '2s';

/**
 * Opens a pool. Broken idle connections are dropped and reported to `onError`; the next query opens a new one.
 * @param options.min number of connections to keep open when idle. Default: none
 */
export function openPool(options: PoolOptions, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    ...options,
    Client: NamingClient as unknown as typeof pg.Client,
    types,
    application_name: options.application_name ?? 'fairlead',
    connectionTimeoutMillis: options.connectionTimeoutMillis ?? 5_000,
    idleTimeoutMillis: 5_000,
    keepAlive: true,
    // Detects a failed-over server with the first probe instead of after two hours.
    keepAliveInitialDelayMillis: 10_000,
    // By a statement, because a pooler between may refuse parameters of the connection.
    onConnect: (client): Promise<unknown> =>
      client.query(`set idle_in_transaction_session_timeout = '${FROZEN}'`),
  });
  const told = new WeakSet<Error>();
  const report = (error: Error & { client?: unknown }): void => {
    // Errors caused by a stop are not reported, and an idle connection emits an error twice: itself, and through the
    // pool.
    if (pool.ending || told.has(error)) return;
    told.add(error);
    delete error.client; // all of it would be logged
    onError(error);
  };
  pool.on('error', report);
  pool.on('connect', (client) => client.on('error', report));
  return pool;
}

export function openDatabase(pool: pg.Pool): Database {
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
}

/**
 * Begins transactions that wait at most REQUEST_LOCK_TIMEOUT for each lock. The bound ends with the transaction: a session
 * setting would reach background work on the same connection, or on any connection of a transaction pooler.
 */
class BoundedDriver extends PostgresDriver {
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    const isPlain = !settings.isolationLevel && !settings.accessMode;
    if (!isPlain) await super.beginTransaction(connection, settings);
    const bound = `set local lock_timeout = '${REQUEST_LOCK_TIMEOUT}'`;
    await connection.executeQuery(CompiledQuery.raw(isPlain ? `begin; ${bound}` : bound));
  }
}

/**
 * An expression that sets the same bound for the rest of a statement that commits on its own; never null. Use it in the
 * WHERE clause of the query that locks the rows.
 */
export const boundLockWait = sql<string>`set_config('lock_timeout', ${sql.lit(REQUEST_LOCK_TIMEOUT)}, true)`;

class BoundedDialect extends PostgresDialect {
  readonly #pool: pg.Pool;
  constructor(pool: pg.Pool) {
    super({ pool });
    this.#pool = pool;
  }
  override createDriver(): PostgresDriver {
    return new BoundedDriver({ pool: this.#pool });
  }
}

/** Opens a database for requests: its transactions wait at most REQUEST_LOCK_TIMEOUT for each lock. */
export function openRequestDatabase(pool: pg.Pool): Database {
  return new Kysely<DB>({ dialect: new BoundedDialect(pool) });
}

/** Errors after which nothing is known to be wrong but the way to the database. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', severity } = error as { code?: string; severity?: string };
  return (
    // The session ended, or never began: on a full disk a new session can't write its files (pg_internal.init).
    (severity === 'FATAL' && isDiskFull(error)) ||
    /^(ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOST|EAI_)/.test(code) ||
    /^(08|57P0|53300)/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
      error.message,
    )
  );
}

/** Whether a write failed because the disk is full. The transaction is rolled back. */
export function isDiskFull(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  // A quota that is used up is to PostgreSQL a fault like any other.
  return code === '53100' || (code?.length === 5 && (message ?? '').endsWith(': Disk quota exceeded'));
}

/** The database takes no writes: it is being moved, or was (freeze.ts), or is a standby since a failover. */
export const isReadOnly = (error: unknown): boolean => (error as { code?: string }).code === '25006';

/** Whether a transaction failed because another came first, as in a deadlock. Nothing was written. */
export const isSerializationFailure = (error: unknown): boolean =>
  ['40001', '40P01'].includes((error as { code?: string }).code ?? '');

const MAX_TRIES = 3;

/**
 * Runs a transaction, and again after a serialization failure, 3 times at most.
 * @param run must have no effect but its transaction's
 */
export async function retryOnConflict<T>(run: () => Promise<T>, tries = 1): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (isSerializationFailure(error) && tries < MAX_TRIES) return retryOnConflict(run, tries + 1);
    throw error;
  }
}

/** Whether an error says nothing about the row itself: the database was away, or another transaction came first. */
export const isTransientError = (error: unknown): boolean =>
  isConnectionError(error) || isSerializationFailure(error);

/** The statement waited for a lock for as long as its connection allows. */
export const isLockTimeout = (error: unknown): boolean => (error as { code?: string }).code === '55P03';

/** The PostgreSQL constraint that a failed write broke, or null. */
export function brokenConstraint(error: unknown): string | null {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && constraint ? constraint : null;
}

/** SQLSTATE classes that speak of the row itself: data, constraints, size. */
const ROW_FAULT = /^(22|23|54)...$/;

/** Whether a write failed because of its values, so that a retry would fail too. */
export const isRowError = (error: unknown): boolean =>
  ROW_FAULT.test((error as { code?: string }).code ?? '');
