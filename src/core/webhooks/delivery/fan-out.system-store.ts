/** Finds subscriptions to events across all workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { passesFilters, type WebhookFilters } from './matching.ts';

export interface Subscription extends WebhookFilters {
  workspace_id: string;
  /** The type that was asked for. */
  type: string;
  webhook_id: string;
  ordered: boolean;
}

/**
 * The subscriptions of enabled webhooks to types in workspaces; a webhook with two matching patterns is returned twice.
 */
export async function findSubscriptions(
  db: Db,
  wanted: { workspace_id: string; type: string }[],
): Promise<Subscription[]> {
  const { rows } = await sql<Subscription>`
    select e.workspace_id, e.type, s.webhook_id, s.ordered, s.instance_id, s.link_id, s.tag
    from unnest(${wanted.map((w) => w.workspace_id)}::uuid[], ${wanted.map((w) => w.type)}::text[]) e (workspace_id, type)
    cross join lateral (
      select * from webhook_subscriptions s
      where s.workspace_id = e.workspace_id
        and s.pattern = any (array['*', e.type, split_part(e.type, '.', 1) || '.*'])
      offset 0
    ) s
  `.execute(db);
  return rows;
}

/** Returns receivers of pings: the webhooks that they were requested for, if enabled. */
export async function findPinged(
  db: Db,
  webhookIds: string[],
): Promise<{ id: string; workspace_id: string; ordered: boolean }[]> {
  const { rows } = await sql<{ id: string; workspace_id: string; ordered: boolean }>`
    select id, workspace_id, ordered from receivers where enabled and id = any (${webhookIds}::uuid[])
  `.execute(db);
  return rows;
}

export interface FilteredPair extends WebhookFilters {
  workspace_id: string;
  event_id: string;
  webhook_id: string;
}

/** Of pairs of an event and a webhook with filters, those that the filters let pass. */
export async function passing(
  db: Db,
  pairs: FilteredPair[],
): Promise<{ event_id: string; webhook_id: string }[]> {
  const column = (name: keyof FilteredPair) => pairs.map((pair) => pair[name]);
  const ids = [...new Set(column('event_id'))];
  const { rows } = await sql<{ event_id: string; webhook_id: string }>`
    select p.event_id, p.webhook_id
    from unnest(
      ${column('workspace_id')}::uuid[], ${column('event_id')}::uuid[], ${column('webhook_id')}::uuid[],
      ${column('instance_id')}::text[], ${column('link_id')}::text[], ${column('tag')}::text[]
    ) p (workspace_id, event_id, webhook_id, instance_id, link_id, tag)
    join events e on e.workspace_id = p.workspace_id and e.id = p.event_id
    where e.id = any (${ids}::uuid[]) and ${passesFilters('e', 'p')}
  `.execute(db);
  return rows;
}
