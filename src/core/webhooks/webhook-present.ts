/** A webhook's row as the API and the event log show it: without secrets, and with the names of headers alone. */
import type { RateLimit } from '../auth/actor.ts';
import { publicId } from '../vocabulary/ids.ts';
import type { BodyForm, WebhookTemplates } from './kinds/webhook-body.ts';
import type { WebhookKind } from './kinds/webhook-kinds.ts';
import type { WebhookObject } from './webhook.schema.ts';
import type { WebhookRow } from './webhook.store.ts';

const rateOfRow = (row: WebhookRow): RateLimit | null =>
  row.rate_limit_per_minute === null
    ? null
    : { limit: row.rate_limit_per_minute, burst: row.rate_limit_burst! };

export const filtersOfRow = (row: WebhookRow): WebhookObject['filters'] => ({
  instance_id: row.filter_instance_id,
  link_id: row.filter_link_id,
  tag: row.filter_tag,
});

export const formOfRow = (row: Pick<WebhookRow, 'kind' | 'templates'>): BodyForm => ({
  kind: row.kind as WebhookKind,
  templates: row.templates as WebhookTemplates,
});

export function presentWebhook(row: WebhookRow, now: Date): WebhookObject {
  const previousUntil = row.previous_secret_until;
  return {
    id: publicId('webhook', row.id),
    object: 'webhook',
    url: row.url,
    target_url: row.url,
    events: row.events,
    filters: filtersOfRow(row),
    description: row.description,
    ...formOfRow(row),
    headers: Object.fromEntries(row.header_names.map((name) => [name, null])),
    enabled: row.enabled,
    disabled_reason: row.disabled_reason as WebhookObject['disabled_reason'],
    disabled_at: row.disabled_at?.toISOString() ?? null,
    rate_limit: rateOfRow(row),
    concurrency: row.concurrency,
    ordering: row.ordering as WebhookObject['ordering'],
    previous_secret_expires_at:
      previousUntil !== null && previousUntil > now ? previousUntil.toISOString() : null,
    metadata: row.metadata as Record<string, string>,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
