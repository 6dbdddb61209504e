/** Stores the inboxes: signals that accounts have not received yet, across workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export interface InboxRow {
  n: number;
  instance_id: string;
  sender_id: string | null;
  /** Stored signals (sandbox-signal.ts). */
  signals: string;
}

/** Returns whether any row is due: a cheap check for idle times. */
export async function hasDueRows(db: Db): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    select exists (select from sandbox_inbox where due_at <= now()) as due
  `.execute(db);
  return rows[0]!.due;
}

/**
 * Reads due rows of the given accounts, in order per account.
 * @param limit maximum rows per account
 * @param maxAccounts maximum number of accounts; the others follow in the next cycle
 */
export async function readDue(
  db: Db,
  instanceIds: string[],
  limit: number,
  maxAccounts: number,
): Promise<InboxRow[]> {
  const { rows } = await sql<InboxRow>`
    select row.n, row.instance_id, row.sender_id, row.signals
    from (
      select id from unnest(${instanceIds}::uuid[]) account (id)
      where exists (select from sandbox_inbox where instance_id = id and due_at <= now())
      limit ${maxAccounts}
    ) account
    cross join lateral (
      select * from sandbox_inbox
      where instance_id = account.id and due_at <= now()
      order by due_at, n limit ${limit}
    ) row
    order by row.instance_id, row.due_at, row.n
  `.execute(db);
  return rows;
}

export interface Delivered {
  n: number;
  /** Stored signals for the sender. */
  receipt: string | null;
}

/** Deletes delivered rows and adds the receipts for their senders, atomically. */
export async function completeDelivered(db: Db, signals: Delivered[]): Promise<{ sender_id: string }[]> {
  const { rows } = await sql<{ sender_id: string }>`
    with told as (
      select * from unnest(${signals.map(({ n }) => n)}::bigint[], ${signals.map(({ receipt }) => receipt)}::text[])
        with ordinality as told (n, receipt, nth)
    ), gone as (
      delete from sandbox_inbox i using told where i.n = told.n
      returning i.workspace_id, i.sender_id, told.receipt, told.nth
    )
    insert into sandbox_inbox (workspace_id, instance_id, signals)
    select workspace_id, sender_id, receipt from gone
    where receipt is not null and sender_id is not null order by nth
    returning instance_id as sender_id
  `.execute(db);
  return rows;
}

export interface Sender {
  workspaceId: string;
  /** The sending instance. */
  instanceId: string;
  from: string;
}

/** Adds signals for another account of the workspace, unless it blocks the sender. @returns whether a row was added */
export async function notifyAccount(
  db: Db,
  { workspaceId, instanceId, from }: Sender,
  to: { address: string } | { id: string },
  signals: string,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into sandbox_inbox (workspace_id, instance_id, signals)
    select workspace_id, id, ${signals} from instances other
    where workspace_id = ${workspaceId} and channel = 'sandbox' and id <> ${instanceId}
      and ${'id' in to ? sql`id = ${to.id}` : sql`address = ${to.address}`}
      and not exists (select from sandbox_blocks b where b.instance_id = other.id and b.address = ${from})
  `.execute(db);
  return numAffectedRows > 0n;
}

/** Adds signals for the account itself, due after a delay. */
export async function notifySelf(
  db: Db,
  { workspaceId, instanceId }: Pick<Sender, 'workspaceId' | 'instanceId'>,
  afterMs: number,
  signals: string,
): Promise<void> {
  await sql`
    insert into sandbox_inbox (workspace_id, instance_id, due_at, signals)
    values (${workspaceId}, ${instanceId}, now() + ${afterMs}::int * interval '1 millisecond', ${signals})
  `.execute(db);
}
