/** Whether any webhook would be sent a type, over all workspaces. */
import { sql } from 'kysely';
import { type EventType, getPatterns } from '../vocabulary/event-catalog.ts';
import type { Subscribed } from '../events/wants.ts';

/** Returns the workspaces that have an enabled webhook subscribed to the type, regardless of its filters. */
export const subscribedWorkspaces: Subscribed = async (db, workspaceIds, type: EventType) => {
  const { rows } = await sql<{ workspace_id: string }>`
    select distinct workspace_id from webhook_subscriptions
    where workspace_id = any (${workspaceIds}::uuid[]) and pattern = any (${getPatterns(type)})
  `.execute(db);
  return rows.map((row) => row.workspace_id);
};
