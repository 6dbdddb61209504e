/** Loads the data for sending a batch of claimed deliveries, across all workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { SealedConfig } from './webhook-secret.ts';

/** How to send for webhooks, by ID; those that are gone or disabled are left out. */
export async function loadConfigs(
  db: Db,
  wanted: { workspace_id: string; receiver_id: string }[],
): Promise<Map<string, SealedConfig>> {
  const { rows } = await sql<SealedConfig>`
    select w.workspace_id, w.id, w.url, w.headers_sealed, w.secret_sealed, w.previous_secret_sealed, w.previous_secret_until,
           w.kind, w.templates, s.slug as workspace_slug
    from unnest(${wanted.map(({ workspace_id }) => workspace_id)}::uuid[], ${wanted.map(({ receiver_id }) => receiver_id)}::uuid[])
      as r (workspace_id, id)
    join webhooks w on w.workspace_id = r.workspace_id and w.id = r.id
    left join workspaces s on s.id = w.workspace_id
    where w.enabled
  `.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}
