/** Look-ups by token, and the queue of stored parts, across workspaces. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';

export interface IngressTarget {
  id: string;
  workspace_id: string;
  channel: string;
  settings: unknown;
  credentials_sealed: string | null;
  account_key: string | null;
}

/** Finds the instance of a token, but not in a deleted workspace. */
export async function findByToken(db: Db, token: string): Promise<IngressTarget | undefined> {
  const { rows } = await sql<IngressTarget>`
    select i.id, i.workspace_id, i.channel, i.settings, i.credentials_sealed, t.account_key
    from channel_tokens t
    join instances i on i.workspace_id = t.workspace_id and i.id = t.instance_id
    join workspaces w on w.id = t.workspace_id and w.deleted_at is null
    where t.token = ${token}
  `.execute(db);
  return rows[0];
}

/** Finds the instances of a workspace and channel that have one of the account keys. */
export async function findByAccount(
  db: Db,
  workspaceId: string,
  channel: string,
  accountKeys: readonly string[],
): Promise<IngressTarget[]> {
  const { rows } = await sql<IngressTarget>`
    select i.id, i.workspace_id, i.channel, i.settings, i.credentials_sealed, t.account_key
    from channel_tokens t
    join instances i on i.workspace_id = t.workspace_id and i.id = t.instance_id
    where t.workspace_id = ${workspaceId} and t.account_key = any (${accountKeys}::text[]) and i.channel = ${channel}
    order by i.id
  `.execute(db);
  return rows;
}

export interface StoredPart {
  workspace_id: string;
  instance_id: string;
  n: number;
  part_id: string;
  body: string;
  attempts: number;
  is_signal: boolean;
}

/** Reads the oldest parts of each of these instances, in order. @param limit maximum for each */
export async function readParts(
  db: Db,
  instances: readonly { workspaceId: string; instanceId: string }[],
  limit: number,
): Promise<StoredPart[]> {
  const { rows } = await sql<StoredPart>`
    select p.workspace_id, p.instance_id, p.n, p.part_id, p.body, p.attempts, p.is_signal
    from unnest(
      ${instances.map((one) => one.workspaceId)}::uuid[], ${instances.map((one) => one.instanceId)}::uuid[]
    ) i (workspace_id, id)
    cross join lateral (
      select * from ingress_parts p where p.workspace_id = i.workspace_id and p.instance_id = i.id order by n limit ${limit}
    ) p
    order by p.instance_id, p.n
  `.execute(db);
  return rows;
}

type Key = Pick<StoredPart, 'workspace_id' | 'instance_id' | 'n'>;

/**
 * Deletes parts whose signals are stored, and the updates that they replayed unless those were kept again.
 * | Lock order: updates by ascending ID, then parts, as where parts are queued to be replayed.
 */
export async function deleteParts(db: Db, parts: readonly Key[]): Promise<void> {
  await sql`
    with k as materialized (
      select * from unnest(
        ${parts.map((part) => part.workspace_id)}::uuid[], ${parts.map((part) => part.instance_id)}::uuid[],
        ${parts.map((part) => part.n)}::bigint[]
      ) k (workspace_id, instance_id, n)
    ), replayed as materialized (
      select u.id from unprocessed_updates u
      where (u.workspace_id, u.id) in (
        select p.workspace_id, p.replay_of from ingress_parts p join k using (workspace_id, instance_id, n)
        where p.replay_of is not null
      )
      order by u.id for update
    ), gone as (
      delete from ingress_parts p using k
      where (select count(*) from replayed) >= 0 and p.workspace_id = k.workspace_id and p.instance_id = k.instance_id and p.n = k.n
      returning p.workspace_id, p.replay_of
    )
    delete from unprocessed_updates u using gone
    where u.workspace_id = gone.workspace_id and u.id = gone.replay_of and u.replay_requested_at is not null
  `.execute(db);
}

/** Counts a failed attempt. @returns the number of attempts so far */
export async function countAttempt(db: Db, part: Key): Promise<number> {
  const { rows } = await sql<{ attempts: number }>`
    update ingress_parts set attempts = attempts + 1
    where workspace_id = ${part.workspace_id} and instance_id = ${part.instance_id} and n = ${part.n}
    returning attempts
  `.execute(db);
  return rows[0]?.attempts ?? 0;
}

/** Locks parts that no connection has read in time, oldest first. `channel` is null if their instance was deleted. */
export async function lockOldParts(
  db: Tx,
  before: Date,
  limit: number,
): Promise<(StoredPart & { channel: string | null })[]> {
  const { rows } = await sql<StoredPart & { channel: string | null }>`
    select p.workspace_id, p.instance_id, p.n, p.part_id, p.body, p.attempts, p.is_signal, i.channel
    from ingress_parts p left join instances i on i.workspace_id = p.workspace_id and i.id = p.instance_id
    where p.received_at < ${before} order by p.received_at limit ${limit} for update of p skip locked
  `.execute(db);
  return rows;
}
