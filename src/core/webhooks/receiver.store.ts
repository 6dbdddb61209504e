/**
 * Rows for fan-out and claiming, kept consistent with the webhook in the transaction that changes it: a row for each
 * pattern of an enabled webhook, and its receiver. The webhook's row is locked first, then the receiver's.
 */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { WebhookRow } from './webhook.store.ts';

async function deleteSubscriptions(db: Db, workspaceId: string, id: string): Promise<void> {
  await db
    .deleteFrom('webhook_subscriptions')
    .where('workspace_id', '=', workspaceId)
    .where('webhook_id', '=', id)
    .execute();
}

async function insertSubscriptions(db: Db, workspaceId: string, row: WebhookRow): Promise<void> {
  if (!row.enabled) return;
  await db
    .insertInto('webhook_subscriptions')
    .values(
      row.events.map((pattern) => ({
        workspace_id: workspaceId,
        pattern,
        webhook_id: row.id,
        instance_id: row.filter_instance_id,
        link_id: row.filter_link_id,
        tag: row.filter_tag,
        ordered: row.ordering === 'per_resource',
      })),
    )
    .execute();
}

const getConfig = (row: WebhookRow) => ({
  enabled: row.enabled,
  ordered: row.ordering === 'per_resource',
  concurrency: row.concurrency,
  rate_per_minute: row.rate_limit_per_minute,
  rate_burst: row.rate_limit_burst,
});

/** For a webhook that was just inserted. */
export async function insertReceiver(db: Db, workspaceId: string, row: WebhookRow): Promise<void> {
  await db
    .insertInto('receivers')
    .values({
      id: row.id,
      workspace_id: workspaceId,
      ...getConfig(row),
      slots: row.concurrency,
      tokens: row.rate_limit_burst ?? 0,
      tokens_at: row.created_at,
    })
    .execute();
  await insertSubscriptions(db, workspaceId, row);
}

/** After each change of a webhook. @param isAfresh enabled again, or another address: nothing that its receiver did before counts. */
export async function updateReceiver(
  db: Db,
  workspaceId: string,
  row: WebhookRow,
  isAfresh: boolean,
): Promise<void> {
  const burst = row.rate_limit_burst;
  await db
    .updateTable('receivers')
    .set({
      ...getConfig(row),
      config_version: sql`config_version + 1`,
      // A new limit applies in full; otherwise the recently sustained concurrency stays.
      slots: isAfresh
        ? row.concurrency
        : sql`case when concurrency = ${row.concurrency} then slots else ${row.concurrency} end`,
      // A limit that is new begins with a full bucket.
      tokens: sql`case when rate_burst is null then ${burst ?? 0}::float8 else least(tokens, ${burst ?? 0}::float8) end`,
      ...(isAfresh ? { failing_since: null, timeouts: 0 } : {}),
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', row.id)
    .execute();
  await deleteSubscriptions(db, workspaceId, row.id);
  await insertSubscriptions(db, workspaceId, row);
}

export async function deleteReceiver(db: Db, workspaceId: string, id: string): Promise<void> {
  await deleteSubscriptions(db, workspaceId, id);
  await db.deleteFrom('receivers').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}
