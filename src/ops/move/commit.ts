/**
 * Commits a copy. If the connection breaks and the response to the commit is lost, PostgreSQL is asked over another
 * connection for the status of the transaction ID.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { PoolOptions } from '../../platform/db/database.ts';
import { type CopyClient, openCopyClient } from '../../platform/db/copy/client.ts';
import { CopyError, inFilling } from '../../platform/db/copy/fill.ts';

/** The move failed, but the target may be complete: the message must say more than the original error. */
export class UnknownOutcomeError extends CopyError {}

/** Time limit for determining the outcome. The source rejects writes in the meantime. */
const ASK_MS = 30_000;
const PAUSE_MS = 500;

/** The server process of the lost connection may still be running: the outcome is not final until it is terminated. */
const STATUS = `
  select pg_xact_status($1::text::xid8) as status,
    (select count(pg_terminate_backend(pid)) from pg_stat_activity
     where datname = current_database() and backend_xid = $1::text::xid8::xid) as ended`;

async function askOnce(connection: PoolOptions, transaction: string): Promise<boolean | null> {
  const client = await openCopyClient(connection);
  try {
    const { rows } = await client.query<{ status: string | null }>(STATUS, [transaction]);
    const { status } = rows[0]!;
    return status === 'committed' ? true : status === 'aborted' ? false : null;
  } finally {
    await client.end();
  }
}

/** @returns whether the transaction was committed; null if that can't be determined in time */
async function wasCommitted(connection: PoolOptions, transaction: string, ms: number) {
  const deadline = performance.now() + ms;
  for (;;) {
    const committed = await askOnce(connection, transaction).catch(() => null); // the outage may be short
    if (committed !== null || performance.now() > deadline) return committed;
    await delay(PAUSE_MS);
  }
}

/**
 * Runs `work` in one transaction of the target.
 * @param connection connects to the same database. @param askMs for tests
 * @returns the result of `work` once the commit is certain, even if the connection was lost
 * @throws UnknownOutcomeError if the outcome is unknown; any error of `work` or of the commit
 */
export async function inCommitted<T>(
  target: CopyClient,
  { connection, name, askMs = ASK_MS }: { connection: PoolOptions; name: string; askMs?: number },
  work: () => Promise<T>,
): Promise<T> {
  const copied: { transaction: string; result: T }[] = [];
  try {
    return await inFilling(target, async () => {
      const { rows } = await target.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
      const result = await work();
      copied.push({ transaction: rows[0]!.xid, result });
      return result;
    });
  } catch (error) {
    const [last] = copied;
    if (!last) throw error;
    const committed = await wasCommitted(connection, last.transaction, askMs);
    if (committed) return last.result;
    if (committed === false) throw error;
    throw new UnknownOutcomeError(
      `${(error as Error).message}. The connection to the new database (${name}) broke in the moment of the commit, and it can't be asked whether it holds everything now. Where the next move finds it in use, drop it, and make another.`,
      { cause: error },
    );
  }
}
