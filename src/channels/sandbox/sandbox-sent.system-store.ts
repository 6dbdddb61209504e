/** What the sandbox's server has taken: the messages of all accounts, of all workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** What is told to the sender later on. */
export interface Step {
  afterMs: number;
  /** Stored signals (sandbox-signal.ts). */
  signals: string;
}

export interface Sending {
  workspaceId: string;
  instanceId: string;
  clientId: string;
  from: string;
  to: string;
  /** What the other side is told, where it is an account; else `steps` is what comes of it. */
  toAccount: string;
  steps: Step[];
}

export interface Taken {
  takenAt: Date;
  /** False where it had been taken before: then nothing was done. */
  isNew: boolean;
  recipientId: string | null;
}

/**
 * Takes many messages in one statement, each client id of an account once; no id may be given twice.
 * @returns in the order given; undefined for one that another transaction took meanwhile, to be asked for again
 */
export async function takeMessages(db: Db, sendings: Sending[]): Promise<(Taken | undefined)[]> {
  const column = (name: 'workspaceId' | 'instanceId' | 'clientId' | 'from' | 'to' | 'toAccount') =>
    sendings.map((sending) => sending[name]);
  const steps = sendings.flatMap((sending, index) =>
    sending.steps.map((step) => ({ ...step, of: index + 1 })),
  );
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
  return sendings.map((_, index) => {
    const row = found.get(index + 1);
    return row && { takenAt: row.taken_at, isNew: row.is_new, recipientId: row.recipient_id };
  });
}

/** Refuses a message for a time that begins with the first call. @returns milliseconds that are left of it; 0 once it is over */
export async function holdMessage(
  db: Db,
  { workspaceId, instanceId, clientId }: Pick<Sending, 'workspaceId' | 'instanceId' | 'clientId'>,
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

/** Whom a message of the account went to; undefined where it was never taken, or is forgotten. */
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
