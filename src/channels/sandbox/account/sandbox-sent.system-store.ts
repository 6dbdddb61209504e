/** Stores the messages that the sandbox server has accepted, across workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** A signal to the sender, emitted after a delay. */
export interface Step {
  afterMs: number;
  /** Stored signals (sandbox-signal.ts). */
  signals: string;
}

export interface OutboundRow {
  workspaceId: string;
  instanceId: string;
  clientId: string;
  from: string;
  to: string;
  /** Stored signals for the recipient if it is an account; otherwise `steps` apply. */
  toAccount: string;
  steps: Step[];
}

export interface Acceptance {
  acceptedAt: Date;
  /** False if the message had been accepted before; nothing was written then. */
  isNew: boolean;
  recipientId: string | null;
}

/**
 * Accepts messages in one statement, each client ID of an account once.
 * @param messages without duplicate client IDs
 * @returns outcomes in the same order; undefined for a message that a concurrent transaction accepted: call again for it
 */
export async function acceptMessages(db: Db, messages: OutboundRow[]): Promise<(Acceptance | undefined)[]> {
  const column = (name: 'workspaceId' | 'instanceId' | 'clientId' | 'from' | 'to' | 'toAccount') =>
    messages.map((row) => row[name]);
  const steps = messages.flatMap((row, index) => row.steps.map((step) => ({ ...step, of: index + 1 })));
  const { rows } = await sql<{ nth: number; taken_at: Date; is_new: boolean; recipient_id: string | null }>`
    with input as materialized (
      select * from unnest(
        ${column('workspaceId')}::uuid[], ${column('instanceId')}::uuid[], ${column('clientId')}::text[],
        ${column('from')}::text[], ${column('to')}::text[], ${column('toAccount')}::text[]
      ) with ordinality as input (workspace_id, instance_id, client_id, from_address, to_address, to_account, nth)
    ), resolved as materialized (
      select input.*, other.id as recipient_id, exists (
        select from sandbox_blocks b
        where (b.instance_id = other.id and b.address = from_address)
           or (b.instance_id = input.instance_id and b.address = to_address)
      ) as is_blocked
      from input left join instances other
        on other.workspace_id = input.workspace_id and other.channel = 'sandbox' and other.address = input.to_address
       and other.id <> input.instance_id
    ), taken as (
      insert into sandbox_sent (instance_id, client_id, workspace_id, recipient_id)
      select instance_id, client_id, workspace_id, recipient_id from resolved order by instance_id, client_id
      on conflict (instance_id, client_id) do update
        set held_until = null, taken_at = now(), recipient_id = excluded.recipient_id
        where sandbox_sent.held_until is not null
      returning instance_id, client_id, taken_at
    ), delivered as (
      insert into sandbox_inbox (workspace_id, instance_id, signals, sender_id)
      select workspace_id, recipient_id, to_account, instance_id
      from resolved join taken using (instance_id, client_id)
      where recipient_id is not null and not is_blocked
      order by nth
    ), answered as (
      insert into sandbox_inbox (workspace_id, instance_id, due_at, signals)
      select workspace_id, instance_id, now() + step.after_ms * interval '1 millisecond', step.signals
      from resolved join taken using (instance_id, client_id)
      join unnest(
        ${steps.map(({ of }) => of)}::int[], ${steps.map(({ afterMs }) => afterMs)}::int[],
        ${steps.map(({ signals }) => signals)}::text[]
      ) with ordinality as step (of, after_ms, signals, position) on step.of = nth
      where recipient_id is null and not is_blocked
      order by step.position
    )
    select r.nth, coalesce(t.taken_at, s.taken_at) as taken_at, t.taken_at is not null as is_new, r.recipient_id
    from resolved r
    left join taken t using (instance_id, client_id)
    left join sandbox_sent s using (instance_id, client_id)
    where t.taken_at is not null or s.taken_at is not null
  `.execute(db);
  const found = new Map(rows.map((row) => [row.nth, row]));
  return messages.map((_, index) => {
    const row = found.get(index + 1);
    return row && { acceptedAt: row.taken_at, isNew: row.is_new, recipientId: row.recipient_id };
  });
}

/** Refuses a message for a period that starts with the first call. @returns remaining milliseconds; 0 once it has ended */
export async function refuseUntil(
  db: Db,
  { workspaceId, instanceId, clientId }: Pick<OutboundRow, 'workspaceId' | 'instanceId' | 'clientId'>,
  ms: number,
): Promise<number> {
  const { rows } = await sql<{ left_ms: number }>`
    with held as (
      insert into sandbox_sent (instance_id, client_id, workspace_id, held_until)
      values (${instanceId}, ${clientId}, ${workspaceId}, now() + ${ms}::int * interval '1 millisecond')
      on conflict (instance_id, client_id) do nothing
      returning held_until
    )
    select greatest(0, ceil(extract(epoch from held_until - now()) * 1000))::int as left_ms from held
    union all
    select greatest(0, ceil(extract(epoch from coalesce(held_until, now()) - now()) * 1000))::int
    from sandbox_sent where instance_id = ${instanceId} and client_id = ${clientId}
  `.execute(db);
  return rows[0]?.left_ms ?? 0;
}

/** Finds a message that the account sent. @returns undefined if it was never accepted or is no longer retained */
export function findSent(
  db: Db,
  instanceId: string,
  clientId: string,
): Promise<{ recipient_id: string | null; group_id: string | null; taken_at: Date } | undefined> {
  return db
    .selectFrom('sandbox_sent')
    .select(['recipient_id', 'group_id', 'taken_at'])
    .where('instance_id', '=', instanceId)
    .where('client_id', '=', clientId)
    .where('held_until', 'is', null)
    .executeTakeFirst();
}
