/**
 * Stores and replays responses by Idempotency-Key.
 *
 * The first response is stored in the same transaction as its effect, so neither exists without the other. While a
 * request runs, its transaction holds an advisory lock on the key, which a crash releases.
 */
import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { Database, Db, Tx } from '../../platform/db/database.ts';
import type { Json } from '../../platform/db/tables.ts';
import { isRawJson } from '../../platform/json/exact-number.ts';
import { Problem } from '../../platform/http/problem.ts';

export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

export interface RequestMark {
  actor: string;
  /** Method and path. */
  operation: string;
  key: string;
  workspaceId: string | null;
  /** Of query and body, by `hashRequest`. */
  hash: Buffer;
  /** The same with previous secrets, which may have hashed the first request before a rotation. */
  furtherHashes?: Buffer[];
}

const KEY = /^[\x20-\x7e]{1,255}$/;
const STORED_SINCE = sql<Date>`now() - interval '24 hours'`;
const NEVER_STORED = new Set([401, 403, 429]);

/** @throws Problem invalid_request when the header is not 1 to 255 printable ASCII characters. */
export function checkKey(key: string): string {
  if (KEY.test(key)) return key;
  const detail = 'must be 1 to 255 printable ASCII characters';
  throw new Problem('invalid_request', `Idempotency-Key ${detail}.`, {
    errors: [{ pointer: 'Idempotency-Key', code: 'invalid_value', detail }],
  });
}

function sorted(_name: string, value: unknown): unknown {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && !isRawJson(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}

/**
 * Returns the HMAC-SHA-256 of query and body, with members in a fixed order. Keyed, because a body may contain a
 * password that a reader of the table could otherwise guess.
 */
export const hashRequest = (key: Buffer, query: unknown, body: unknown): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([query ?? null, body ?? null], sorted))
    .digest();

/** Returns whether an error response is stored for its key. */
export const isStored = (problem: Problem): boolean =>
  problem.status < 500 &&
  !NEVER_STORED.has(problem.status) &&
  problem.code !== 'idempotency_in_progress' &&
  problem.code !== 'idempotency_mismatch';

/**
 * Claims the key for this transaction.
 * @returns the stored first response, or null.
 * @throws Problem idempotency_in_progress or idempotency_mismatch
 */
export async function claim(db: Tx, mark: RequestMark): Promise<StoredAnswer | null> {
  const lockName = `${mark.actor}\n${mark.operation}\n${mark.key}`;
  const { rows: locks } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${lockName}, 1)) as mine
  `.execute(db);
  if (!locks[0]!.mine)
    throw new Problem('idempotency_in_progress', 'A request with this Idempotency-Key is still running.', {
      headers: { 'retry-after': '1' },
    });
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'status', 'headers', 'body'])
    .where('actor', '=', mark.actor)
    .where('operation', '=', mark.operation)
    .where('key', '=', mark.key)
    .where('created_at', '>', STORED_SINCE)
    .executeTakeFirst();
  if (!row) return null;
  const isSame = [mark.hash, ...(mark.furtherHashes ?? [])].some((hash) => row.request_hash.equals(hash));
  if (!isSame)
    throw new Problem('idempotency_mismatch', 'This Idempotency-Key was used with another request.');
  return { status: row.status, headers: row.headers as Record<string, string>, body: row.body };
}

/** Stores the response in the transaction that claimed the key. Fields named in `secrets` are stored as null. */
export const store = (
  db: Db,
  mark: RequestMark,
  answer: StoredAnswer,
  secrets: readonly string[] = [],
): Promise<void> => save(db, mark, answer, secrets, false);

/**
 * Stores an error response after its transaction was rolled back. The key has been free since then: if a retry of the
 * request has succeeded in the meantime, the response to the retry is kept.
 */
export const storeErrorAnswer = (db: Database, mark: RequestMark, answer: StoredAnswer): Promise<void> =>
  save(db, mark, answer, [], true);

async function save(
  db: Db,
  mark: RequestMark,
  answer: StoredAnswer,
  secrets: readonly string[],
  keepsNewer: boolean,
): Promise<void> {
  const body =
    answer.body !== null && typeof answer.body === 'object'
      ? { ...answer.body, ...Object.fromEntries(secrets.map((name) => [name, null])) }
      : null;
  const row = {
    request_hash: mark.hash,
    status: answer.status,
    headers: JSON.stringify(answer.headers) as Json,
    body: body === null ? null : (JSON.stringify(body) as Json),
    created_at: sql<Date>`now()`,
  };
  await db
    .insertInto('idempotency_keys')
    .values({
      actor: mark.actor,
      operation: mark.operation,
      key: mark.key,
      workspace_id: mark.workspaceId,
      ...row,
    })
    .onConflict((conflict) => {
      const replaced = conflict.columns(['actor', 'operation', 'key']).doUpdateSet(row);
      return keepsNewer ? replaced.where('idempotency_keys.created_at', '<=', STORED_SINCE) : replaced;
    })
    .execute();
}
