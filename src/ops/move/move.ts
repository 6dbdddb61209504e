/**
 * Moves an installation's database to another server:
 *
 *   1. the target is checked and receives the schema; all rows, then later changes, are copied while the source serves;
 *   2. the source is frozen (db/copy/freeze.ts), the last changes are copied, and both are compared;
 *   3. the source is marked as moved. Nothing in it is deleted; media files and click journals stay where they are.
 *
 * If the move fails or is stopped, the target stays empty and the source becomes writable again. If the response to the
 * commit is lost, the outcome is looked up (commit.ts). A process that dies in step 2 leaves the source frozen and the
 * target empty, or complete if it died just before step 3: run the move again, or use --undo.
 */
import type { PoolOptions } from '../../platform/db/database.ts';
import { type CopyClient, inSnapshot, openCopyClient } from '../../platform/db/copy/client.ts';
import { assertUnused, CopyError, type ReportProgress } from '../../platform/db/copy/fill.ts';
import { fullName, getOutline } from '../../platform/db/copy/outline.ts';
import { isSame, type TableDigest } from '../../platform/db/copy/row-digest.ts';
import { digestTable } from '../../platform/db/copy/rows.ts';
import { prepareTarget } from '../../platform/db/copy/target.ts';
import {
  assertFreezable,
  freeze,
  type FreezeRecord,
  readFreezeRecord,
  markMoved,
  movingTo,
  OpenedAgainError,
  thaw,
  tryMovingAlone,
} from '../../platform/db/copy/freeze.ts';
import { inCommitted, UnknownOutcomeError } from './commit.ts';
import { firstPass, lastPass, nextPass } from './passes.ts';

export interface MoveOptions {
  source: PoolOptions;
  target: PoolOptions;
  /** The target's name in records and messages: host, port and database. */
  targetName: string;
  report?: ReportProgress;
  /** Called after each pass while the source serves, with the number of rows that it copied or deleted. */
  onPass?: (changed: number) => void;
  /** Reads both sides completely once more and compares them while writes are rejected. */
  thoroughly?: boolean;
  /** Called as soon as writes are rejected. */
  onFrozen?: () => void;
  /** Aborts the move; the source becomes writable again. */
  signal?: AbortSignal;
  clock?: () => Date;
  /** For tests. */
  askMs?: number;
}

export interface Moved {
  tables: Map<string, TableDigest>;
  /** How long writes were rejected until everything was copied and compared. */
  frozenMs: number;
}

/** Identifies a database regardless of how it is connected to. */
async function getIdentity(client: CopyClient): Promise<string> {
  const { rows } = await client.query<{ identity: string }>(
    `select concat_ws(' ', pg_postmaster_start_time(), (select oid from pg_database where datname = current_database())) as identity`,
  );
  return rows[0]!.identity;
}

/** Returns the hash of a sample key: survey.ts compares such hashes. */
async function toHash(client: CopyClient): Promise<string> {
  const { rows } = await client.query<{ hash: string }>(
    `select hash_record_extended(row('a'::text, 1::bigint, 'a0000000-0000-4000-8000-000000000001'::uuid), 0)::text as hash`,
  );
  return rows[0]!.hash;
}

async function assertFits(source: CopyClient, target: CopyClient): Promise<void> {
  if ((await getIdentity(source)) === (await getIdentity(target)))
    throw new CopyError('Fairlead already uses this database.');
  const { rows } = await target.query<{ encoding: string; recovering: boolean; temporary: boolean }>(
    `select current_setting('server_encoding') as encoding, pg_is_in_recovery() as recovering,
       has_database_privilege(current_database(), 'temporary') as temporary`,
  );
  const { encoding, recovering, temporary } = rows[0]!;
  if (encoding !== 'UTF8')
    throw new CopyError(`The database has the encoding ${encoding}. Create one with the encoding UTF8.`);
  if (recovering) throw new CopyError('The server is a standby, which does not accept writes.');
  if (!temporary)
    throw new CopyError('The role is not allowed to create temporary tables in the new database.');
  if ((await toHash(source)) !== (await toHash(target)))
    throw new CopyError(
      'The server has another architecture, whose hashes differ. Create a backup and restore it there instead.',
    );
}

const unreachable = (targetName: string, { message }: Error): string =>
  `The new database (${targetName}) can't be reached: ${message}. Create it first (createdb). Nothing was changed.`;

/** The source is still read-only: the message must say more than the original error. */
class StillFrozenError extends CopyError {}

/**
 * Uses a separate connection, because the one that froze the database may be broken. Only this move's freeze is undone.
 * @returns whether the source was still frozen
 * @throws StillFrozenError
 */
async function openAgain(connection: PoolOptions, frozen: FreezeRecord, cause: Error): Promise<boolean> {
  try {
    const client = await openCopyClient(connection);
    try {
      return (await thaw(client, frozen)) !== null;
    } finally {
      await client.end();
    }
  } catch (error) {
    throw new StillFrozenError(
      `${cause.message} The database could not be made writable again either (${(error as Error).message}): fairlead move --undo`,
      { cause },
    );
  }
}

/**
 * Returns the digests of a target that an earlier move filled before it died: it equals the source, which has been
 * read-only since.
 * @returns null if the target is empty. @throws CopyError if it contains anything else
 */
async function alreadyCopied(source: CopyClient, target: CopyClient): Promise<Moved['tables'] | null> {
  try {
    await assertUnused(target);
    return null;
  } catch (used) {
    if (!(used instanceof CopyError)) throw used;
    return await inSnapshot(source, async () => {
      const { migrations, tables } = await getOutline(source);
      if ((await getOutline(target).catch(() => null))?.migrations.join() !== migrations.join()) throw used;
      const same: Moved['tables'] = new Map();
      for (const table of tables) {
        const digest = await digestTable(source, table);
        if (!isSame(digest, await digestTable(target, table))) throw used;
        same.set(fullName(table), digest);
      }
      return same;
    });
  }
}

/**
 * Marks the source as moved, over another connection if `source` is lost.
 * @throws StillFrozenError if it can't be reached: the target is complete, so the source must stay read-only
 */
async function mark(
  source: CopyClient,
  options: MoveOptions,
  frozen: FreezeRecord,
  now: Date,
): Promise<void> {
  const { targetName } = options;
  const attempt = (client: CopyClient) => markMoved(client, frozen, targetName, now);
  try {
    return await attempt(source);
  } catch (lost) {
    if (lost instanceof OpenedAgainError) throw lost;
  }
  try {
    const client = await openCopyClient(options.source);
    await attempt(client).finally(() => client.end());
  } catch (error) {
    if (error instanceof OpenedAgainError) throw error;
    throw new StillFrozenError(
      `All data is in the new database (${targetName}), but the old one could not be marked as moved and is read-only: ${(error as Error).message}. Run the command again with the same URL, or run: fairlead move --undo`,
      { cause: error },
    );
  }
}

/** Completes a move that died between the copy and the mark; returns null if there is none. */
async function complete(
  options: MoveOptions,
  note: FreezeRecord,
  source: CopyClient,
  target: CopyClient,
): Promise<Moved | null> {
  const tables = await alreadyCopied(source, target);
  if (tables === null) return null;
  const now = (options.clock ?? (() => new Date()))();
  await mark(source, options, note, now);
  return { tables, frozenMs: now.getTime() - Date.parse(note.at) };
}

/**
 * Passes repeat while the source serves until one copies at most FEW_ROWS, or MAX_PASSES is reached because rows change
 * as fast as they are copied.
 */
const FEW_ROWS = 10_000;
const MAX_PASSES = 5;

async function copyAndMark(source: CopyClient, target: CopyClient, options: MoveOptions): Promise<Moved> {
  const { targetName, report, onPass, onFrozen, thoroughly = false, clock = () => new Date() } = options;
  let began = 0;
  let note: FreezeRecord | null = null;
  let isFrozen = false;
  try {
    const way = { connection: options.target, name: targetName, askMs: options.askMs };
    const tables = await inCommitted(target, way, async () => {
      let copied = await firstPass(options.source, target, report);
      onPass?.(copied.changed);
      for (let passes = 1; passes < MAX_PASSES && (passes === 1 || copied.changed > FEW_ROWS); passes++) {
        copied = await nextPass(options.source, target, copied);
        onPass?.(copied.changed);
      }
      began = performance.now();
      note = movingTo(targetName, clock());
      await freeze(source, note);
      isFrozen = true;
      onFrozen?.();
      return await lastPass(source, options.source, target, copied, thoroughly);
    });
    await mark(source, options, note!, clock());
    return { tables, frozenMs: performance.now() - began };
  } catch (error) {
    if (error instanceof StillFrozenError) throw error;
    const wasFrozen = note !== null && (await openAgain(options.source, note, error as Error));
    if (isFrozen && !wasFrozen)
      throw new CopyError('The old database was made writable again (--undo) before the move was complete.', {
        cause: error,
      });
    throw error;
  }
}

/** @throws CopyError, SchemaError, a connection error, or the reason of `signal`. The source then serves as before */
export async function move(options: MoveOptions): Promise<Moved> {
  const { targetName, signal } = options;
  const source = await openCopyClient(options.source);
  try {
    const target = await openCopyClient(options.target).catch((error: Error) => {
      throw new CopyError(unreachable(targetName, error), { cause: error });
    });
    const stop = (): void => void target.end();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      signal?.throwIfAborted();
      if (!(await tryMovingAlone(source)))
        throw new CopyError('Another move of this database is in progress.');
      const note = await readFreezeRecord(source);
      if (note?.fairlead === 'moved')
        throw new CopyError(
          `The database was already moved to ${note.to} (${note.at}). See fairlead move --undo`,
        );
      await assertFreezable(source);
      await assertFits(source, target);
      const completed = note && (await complete(options, note, source, target));
      if (completed) return completed;
      await prepareTarget(options.target, await getOutline(source));
      return await copyAndMark(source, target, options);
    } catch (error) {
      const isToBeTold = error instanceof StillFrozenError || error instanceof UnknownOutcomeError;
      throw signal?.aborted && !isToBeTold ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', stop);
      await target.end();
    }
  } finally {
    await source.end();
  }
}

/**
 * Makes a database writable again after a complete or partial move.
 * @returns the target it was moved to; null if it is already writable
 */
export async function undoMove(connection: PoolOptions): Promise<string | null> {
  const client = await openCopyClient(connection);
  try {
    return (await thaw(client))?.to ?? null;
  } finally {
    await client.end();
  }
}
