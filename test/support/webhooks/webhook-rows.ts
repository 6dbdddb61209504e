/** What the database holds for a webhook beside its own row, for tests that look whether all of it is true. */
import { expect } from 'vitest';
import { createSecretBox } from '../../../src/platform/crypto/secret-box.ts';
import { toUuid } from '../../../src/core/vocabulary/ids.ts';
import { TEST_SECRET, type TestApp } from '../test-app.ts';
import type { WebhookObject } from '../../../src/core/webhooks/webhook.schema.ts';
import { openConfig, type WebhookConfig } from '../../../src/core/webhooks/delivery/webhook-secret.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any row
type Row = any;

export async function toRows(
  app: TestApp,
  webhookId: string,
): Promise<{ subscriptions: Row[]; receiver: Row }> {
  const id = toUuid('webhook', webhookId);
  const { pool } = app.database;
  const subscriptions = await pool.query(
    'select pattern, instance_id, link_id, tag, ordered from webhook_subscriptions where webhook_id = $1',
    [id],
  );
  const receivers = await pool.query('select * from receivers where id = $1', [id]);
  return { subscriptions: subscriptions.rows, receiver: receivers.rows[0] ?? null };
}

/** Fan-out and claiming go by these rows: they must say what the API says. */
export async function expectConsistent(app: TestApp, webhook: WebhookObject): Promise<void> {
  const { subscriptions, receiver } = await toRows(app, webhook.id);
  const ordered = webhook.ordering === 'per_resource';
  expect(subscriptions.map(({ pattern }) => pattern).sort()).toEqual(
    webhook.enabled ? [...webhook.events].sort() : [],
  );
  for (const row of subscriptions) expect(row).toMatchObject({ ...webhook.filters, ordered });
  expect(receiver).toMatchObject({
    enabled: webhook.enabled,
    ordered,
    concurrency: webhook.concurrency,
    rate_per_minute: webhook.rate_limit?.limit ?? null,
    rate_burst: webhook.rate_limit?.burst ?? null,
  });
}

/** What was left to tell who sends that the webhook was disabled, enabled or deleted. */
export async function getWakeups(app: TestApp, webhookId: string): Promise<object[]> {
  const { rows } = await app.database.pool.query('select n from receiver_wakes where receiver_id = $1', [
    toUuid('webhook', webhookId),
  ]);
  return rows;
}

/** What would be sent with at that time. */
export async function getConfig(app: TestApp, webhookId: string, now = new Date()): Promise<WebhookConfig> {
  const { rows } = await app.database.pool.query('select * from webhooks where id = $1', [
    toUuid('webhook', webhookId),
  ]);
  return openConfig(createSecretBox(TEST_SECRET), rows[0], now);
}
