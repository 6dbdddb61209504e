/** Deliveries as the engine would have left them, for tests of what looks at them and puts them back. */
import type pg from 'pg';
import { newUuid } from '../../../src/platform/http/ids.ts';

export interface LaidDelivery {
  workspaceId: string;
  webhookId: string;
  /** Default: an event of its own is laid, too. */
  eventId?: string;
  eventType?: string;
  id?: string;
  status?: 'pending' | 'sending' | 'succeeded' | 'exhausted' | 'canceled';
  attempts?: number;
  /** PostgreSQL's words for when it is due; only while it is not over. */
  due?: string;
  orderKey?: string | null;
}

/** Lays an event into the log behind its end. @returns its ID and sequence */
export async function layEvent(
  pool: pg.Pool,
  workspaceId: string,
  {
    id = newUuid(),
    type = 'api_key.created',
    resourceId = null,
    data = {},
  }: { id?: string; type?: string; resourceId?: string | null; data?: object } = {},
): Promise<{ id: string; sequence: number }> {
  const { rows } = await pool.query<{ sequence: number }>(
    `with s as (
       insert into workspace_sequences as s (workspace_id, last_sequence) values ($1, 1)
       on conflict (workspace_id) do update set last_sequence = s.last_sequence + 1 returning last_sequence
     )
     insert into events (id, workspace_id, sequence, type, resource_id, data, created_at)
     select $2, $1, last_sequence, $3, $4, $5, now() from s returning sequence`,
    [
      workspaceId,
      id,
      type,
      resourceId,
      JSON.stringify({ object: { id: resourceId, object: 'thing' }, ...data }),
    ],
  );
  return { id, sequence: rows[0]!.sequence };
}

/** @returns IDs of the delivery and its event */
export async function layDelivery(
  pool: pg.Pool,
  {
    workspaceId,
    webhookId,
    eventType = 'api_key.created',
    eventId,
    id = newUuid(),
    status = 'exhausted',
    attempts = 1,
    due = 'now',
    orderKey = null,
  }: LaidDelivery,
): Promise<{ id: string; eventId: string }> {
  const event = eventId ?? (await layEvent(pool, workspaceId, { type: eventType, resourceId: orderKey })).id;
  const isOver = status !== 'pending' && status !== 'sending';
  await pool.query(
    `insert into deliveries (workspace_id, id, webhook_id, event_id, event_type, status, attempts, completed_at, failed_as, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, case when $8 then now() end, case when $8 and $6 <> 'succeeded' then $6 end, now())`,
    [workspaceId, id, webhookId, event, eventType, isOver ? status : 'pending', attempts, isOver],
  );
  if (!isOver) {
    await pool.query(
      `insert into delivery_queue (delivery_id, workspace_id, receiver_id, event_id, position, order_key, attempts, step, due_at, claimed_by)
       select $1, $2, $3, id, sequence, $4, $5, $5, $6, $7 from events where workspace_id = $2 and id = $8`,
      [id, workspaceId, webhookId, orderKey, attempts, due, status === 'sending' ? newUuid() : null, event],
    );
    if (status === 'sending')
      await pool.query('update receivers set in_flight = in_flight + 1 where id = $1', [webhookId]);
  }
  return { id, eventId: event };
}

/** Lays an attempt of a delivery. @returns its ID */
export async function layAttempt(
  pool: pg.Pool,
  workspaceId: string,
  deliveryId: string,
  {
    number = 1,
    status = 503,
    body = Buffer.from('over capacity'),
    truncated = false,
    error = null,
  }: {
    number?: number;
    status?: number | null;
    body?: Buffer;
    truncated?: boolean;
    error?: string | null;
  } = {},
): Promise<string> {
  const id = newUuid();
  await pool.query(
    `insert into delivery_attempts (workspace_id, delivery_id, id, number, started_at, duration_ms, url, remote_address,
       request_headers, status_code, response_headers, response_body, response_truncated, error_code, error_detail)
     values ($1, $2, $3, $4, now(), 84, 'https://example.com/hook', '203.0.113.7', '{"webhook-id":"evt_x"}', $5,
       case when $5::smallint is null then null else '{"content-type":"text/plain"}'::jsonb end, $6, $7, $8, $8)`,
    [workspaceId, deliveryId, id, number, status, status === null ? null : body, truncated, error],
  );
  return id;
}
