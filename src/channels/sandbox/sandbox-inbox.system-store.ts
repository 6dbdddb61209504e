/** What accounts are still to be told, over all workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export interface InboxRow {
  n: number;
  instance_id: string;
  sender_id: string | null;
  /** Stored signals (sandbox-signal.ts). */
  signals: string;
}

/** Whether anything is due for anybody: one cheap look, for when there mostly is not. */
export async function isAnythingDue(db: Db): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    select exists (select from sandbox_inbox where due_at <= now()) as due
  `.execute(db);
  return rows[0]!.due;
}

/**
 * What is due for some accounts, in the order of each.
 * @param limit rows of one account
 * @param mostAccounts that get any; the others have their turn next time
 */
export async function readDue(
  db: Db,
  instanceIds: string[],
  limit: number,
  mostAccounts: number,
): Promise<InboxRow[]> {
  const { rows } = await sql<InboxRow>`
    select row.n, row.instance_id, row.sender_id, row.signals
    from (
      select id from unnest(${instanceIds}::uuid[]) account (id)
      where exists (select from sandbox_inbox where instance_id = id and due_at <= now())
      limit ${mostAccounts}
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

export interface Told {
  n: number;
  /** Stored signals for whoever sent it. */
  receipt: string | null;
}

/** Forgets what was told, and tells its senders that it was delivered: both or neither, once. */
export async function endTold(db: Db, signals: Told[]): Promise<{ sender_id: string }[]> {
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

export interface Telling {
  workspaceId: string;
  /** Who tells. */
  instanceId: string;
  from: string;
}

/** Tells another account of the workspace, if it is one and has not blocked the teller. @returns whether it was told */
export async function tellAccount(
  db: Db,
  { workspaceId, instanceId, from }: Telling,
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

/** Tells the account itself later on. */
export async function tellSelf(
  db: Db,
  { workspaceId, instanceId }: Pick<Telling, 'workspaceId' | 'instanceId'>,
  afterMs: number,
  signals: string,
): Promise<void> {
  await sql`
    insert into sandbox_inbox (workspace_id, instance_id, due_at, signals)
    values (${workspaceId}, ${instanceId}, now() + ${afterMs}::int * interval '1 millisecond', ${signals})
  `.execute(db);
}
