/**
 * The commit of a copy, whose answer may be lost with the connection: PostgreSQL knows by the transaction's number what
 * became of it, and is asked over another connection.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { PoolOptions } from '../../platform/db/database.ts';
import { type CopyClient, openCopyClient } from '../../platform/db/copy/client.ts';
import { CopyError, inFilling } from '../../platform/db/copy/fill.ts';

/** The move failed, but the target may be complete: the message must say more than the original error. */
export class UnknownOutcomeError extends CopyError {}

/** Time limit for asking; writes are rejected during it. */
const ASK_MS = 30_000;
const PAUSE_MS = 500;

/** What the connection that lost its answer does may go on: until it is ended it is not settled. */
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

/** @returns whether it was committed; null where nobody tells in time */
async function wasCommitted(connection: PoolOptions, transaction: string, ms: number) {
  const deadline = performance.now() + ms;
  for (;;) {
    const committed = await askOnce(connection, transaction).catch(() => null); // away: perhaps not for long
    if (committed !== null || performance.now() > deadline) return committed;
    await delay(PAUSE_MS);
  }
}

/**
 * Runs `work` in one transaction of a target.
 * @param connection leads to the same. @param askMs for tests
 * @returns what `work` does, where all of it is committed for certain, be the connection lost
 * @throws UnknownOutcomeError where it may be committed or not; what `work` throws, or the commit
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
