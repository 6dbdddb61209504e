/** Finds rules by event type, across all workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { type EventType, getPatterns } from '../../../core/vocabulary/event-catalog.ts';
import type { Subscribed } from '../../../core/events/wants.ts';

export interface RuleSubscription {
  workspace_id: string;
  /** The requested type. */
  type: string;
  rule_id: string;
}

/** Returns enabled rules by event type: one index probe per pair of workspace and type. */
export async function findRules(
  db: Db,
  wanted: { workspace_id: string; type: string }[],
): Promise<RuleSubscription[]> {
  const { rows } = await sql<RuleSubscription>`
    select distinct e.workspace_id, e.type, s.rule_id
    from unnest(${wanted.map((w) => w.workspace_id)}::uuid[], ${wanted.map((w) => w.type)}::text[]) e (workspace_id, type)
    cross join lateral (
      select rule_id from rule_subscriptions s
      where s.workspace_id = e.workspace_id
        and s.pattern = any (array['*', e.type, split_part(e.type, '.', 1) || '.*'])
      offset 0
    ) s
  `.execute(db);
  return rows;
}

export interface NewQueued {
  /** ID of the run. */
  id: string;
  workspace_id: string;
  rule_id: string;
  event_id: string;
  position: number;
  order_key: string | null;
  replay_of: string | null;
}

export async function insertQueued(db: Db, rows: readonly NewQueued[]): Promise<void> {
  const column = (name: keyof NewQueued) => rows.map((row) => row[name]);
  await sql`
    insert into rule_queue (id, workspace_id, rule_id, event_id, position, order_key, replay_of)
    select * from unnest(
      ${column('id')}::uuid[], ${column('workspace_id')}::uuid[], ${column('rule_id')}::uuid[], ${column('event_id')}::uuid[],
      ${column('position')}::bigint[], ${column('order_key')}::text[], ${column('replay_of')}::uuid[]
    )
  `.execute(db);
}

/** Returns the workspaces with an enabled rule for the type, regardless of filters. */
export const workspacesWithRules: Subscribed = async (db, workspaceIds, type: EventType) => {
  const { rows } = await sql<{ workspace_id: string }>`
    select distinct workspace_id from rule_subscriptions
    where workspace_id = any (${workspaceIds}::uuid[]) and pattern = any (${getPatterns(type)})
  `.execute(db);
  return rows.map((row) => row.workspace_id);
};
