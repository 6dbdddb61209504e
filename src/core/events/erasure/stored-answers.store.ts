/** Stored responses of calls with an Idempotency-Key, which are kept for a day. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

interface KeptAnswer {
  actor: string;
  operation: string;
  key: string;
  body: Record<string, unknown> | null;
}

/** Finds a workspace's stored responses that match a pattern. They expire after a day, so there are few. */
export async function answersWith(
  db: Db,
  workspaceId: string,
  patterns: readonly string[],
): Promise<KeptAnswer[]> {
  const { rows } = await sql<KeptAnswer>`
    select actor, operation, key, body from idempotency_keys
    where workspace_id = ${workspaceId} and body::text like any(${patterns}::text[])
  `.execute(db);
  return rows;
}

export async function replaceAnswer(
  db: Db,
  workspaceId: string,
  { actor, operation, key }: Pick<KeptAnswer, 'actor' | 'operation' | 'key'>,
  body: object,
): Promise<void> {
  await sql`
    update idempotency_keys set body = ${JSON.stringify(body)}
    where workspace_id = ${workspaceId} and actor = ${actor} and operation = ${operation} and key = ${key}
  `.execute(db);
}

/** Deletes stored responses of calls about one of these objects; a repeated call then runs again. */
export async function deleteAnswersAbout(db: Db, workspaceId: string, ids: readonly string[]): Promise<void> {
  await sql`
    delete from idempotency_keys
    where workspace_id = ${workspaceId} and operation like any(${ids.map((id) => `%/${id}%`)}::text[])
  `.execute(db);
}
