/** The health of webhooks, so that a failing receiver or a stalled queue is visible. */
import type { ReadUnit } from '../unit/unit-of-work.ts';
import { publicId } from '../vocabulary/ids.ts';
import { type List, toList, type Page } from '../../platform/http/pagination.ts';
import { notFound } from '../../platform/http/problem.ts';
import { type DeliveryQueueObject, HOURS_SHOWN, type WebhookHealthObject } from './webhook-health.schema.ts';
import * as store from './webhook-health.store.ts';

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;
const MAX_COUNTED = 10_000;
/** For each webhook of a list. */
const MAX_COUNTED_IN_LIST = 1_000;

const getHour = (time: Date): number => Math.floor(time.getTime() / HOUR_MS) * HOUR_MS;
const firstHour = (now: Date): number => getHour(now) - (HOURS_SHOWN - 1) * HOUR_MS;

const presentBacklog = ({ waiting, sending, oldest_due_at }: store.Backlog, cap: number) => ({
  waiting: Math.min(waiting, cap),
  waiting_is_capped: waiting > cap,
  sending,
  oldest_due_at: oldest_due_at?.toISOString() ?? null,
});

function getState(
  row: store.HealthRow,
  attempts: { succeeded: number; failed: number },
  now: Date,
): WebhookHealthObject['state'] {
  if (!row.enabled) return 'disabled';
  if (row.failing_since) return 'failing';
  if (!row.last_success_at || now.getTime() - row.last_success_at.getTime() >= DAY_MS) return 'idle';
  return store.isDegraded(attempts) ? 'degraded' : 'healthy';
}

function presentHealth(
  row: store.HealthRow,
  hours: store.HourRow[],
  now: Date,
  cap: number,
): WebhookHealthObject {
  const byHour = new Map(hours.map((one) => [one.hour.getTime(), one]));
  const sum = (name: 'succeeded' | 'failed' | 'duration_ms') =>
    hours.reduce((total, one) => total + one[name], 0);
  const totals = { succeeded: sum('succeeded'), failed: sum('failed') };
  const attempts = totals.succeeded + totals.failed;
  return {
    object: 'webhook_health',
    webhook_id: publicId('webhook', row.id),
    url: row.url,
    state: getState(row, totals, now),
    disabled_reason: row.disabled_reason as WebhookHealthObject['disabled_reason'],
    failing_since: row.failing_since?.toISOString() ?? null,
    last_success_at: row.last_success_at?.toISOString() ?? null,
    last_failure_at: row.last_failure_at?.toISOString() ?? null,
    ...presentBacklog(row, cap),
    last_24_hours: {
      ...totals,
      average_duration_ms: attempts ? Math.round(sum('duration_ms') / attempts) : null,
    },
    hours: Array.from({ length: HOURS_SHOWN }, (_, index) => {
      const at = firstHour(now) + index * HOUR_MS;
      const { succeeded = 0, failed = 0 } = byHour.get(at) ?? {};
      return { at: new Date(at).toISOString(), succeeded, failed };
    }),
  };
}

/** @throws Problem not_found */
export async function getHealth(
  unit: ReadUnit,
  workspaceId: string,
  webhookId: string,
): Promise<WebhookHealthObject> {
  const now = unit.clock();
  const row = await store.getHealth(unit.db, workspaceId, webhookId, MAX_COUNTED);
  if (!row) throw notFound('webhook');
  const hours = await store.listHours(unit.db, workspaceId, [webhookId], new Date(firstHour(now)));
  return presentHealth(row, hours, now, MAX_COUNTED);
}

const CURSOR = /^[fo][0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a decoded cursor can be one of the list: which part of it, and a webhook. */
export const isHealthCursor = (key: string): boolean => CURSOR.test(key);

/** Those that fail first. A webhook that begins or ceases to fail between two pages may come twice, or not. */
export async function listHealth(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
): Promise<List<WebhookHealthObject>> {
  const now = unit.clock();
  const after = page.after === null ? null : { failing: page.after.startsWith('f'), id: page.after.slice(1) };
  const rows = await store.listHealth(unit.db, workspaceId, after, page.limit, MAX_COUNTED_IN_LIST);
  const ids = rows.map(({ id }) => id);
  const hours = Map.groupBy(
    await store.listHours(unit.db, workspaceId, ids, new Date(firstHour(now))),
    (hour) => hour.webhook_id,
  );
  return toList(
    rows,
    page,
    (row) => `${row.enabled && row.failing_since ? 'f' : 'o'}${row.id}`,
    (row) => presentHealth(row, hours.get(row.id) ?? [], now, MAX_COUNTED_IN_LIST),
  );
}

export async function getQueue(unit: ReadUnit, workspaceId: string): Promise<DeliveryQueueObject> {
  const row = await store.getQueue(unit.db, workspaceId, new Date(firstHour(unit.clock())), MAX_COUNTED);
  return {
    object: 'delivery_queue',
    ...presentBacklog(row, MAX_COUNTED),
    due: Math.min(row.due, MAX_COUNTED),
    due_is_capped: row.due > MAX_COUNTED,
    oldest_due_seconds: row.oldest_due_seconds,
    last_attempt_at: row.last_attempt_at?.toISOString() ?? null,
    attempts_this_hour: row.attempts_this_hour,
    attempts_previous_hour: row.attempts_previous_hour,
    failing_webhooks: row.failing_webhooks,
    degraded_webhooks: row.degraded_webhooks,
    disabled_webhooks: row.disabled_webhooks,
  };
}
