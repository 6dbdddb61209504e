/**
 * Rows of `connections` across workspaces: finds due ones, acquires and releases them. Every change by a holder is
 * fenced (fence.ts).
 */
import { type Selectable, sql } from 'kysely';
import type { Database, Db, Tx } from '../../../platform/db/database.ts';
import type { Connections, Instances } from '../../../platform/db/tables.ts';
import type { Fenced } from './fence.ts';

export interface Claimed {
  instance_id: string;
  workspace_id: string;
  epoch: number;
  generation: number;
  /** Consecutive failed attempts, and since when. */
  failures: number;
  failing_since: Date | null;
  position: Connections['position'];
  /**
   * Whether it was acquired only to end the account's session with these credentials, and whether to open it
   * afterwards.
   */
  logs_out: boolean;
  logout_credentials_sealed: string | null;
  wanted: boolean;
}

/** The state that a cycle of a node is based on. */
export interface ConnectionScan {
  /** Number of connections that this node holds according to the database. */
  held: number;
  /** Those of them to close or reopen. */
  changed: { instance_id: string; epoch: number; wanted: boolean; logs_out: boolean }[];
  /** Whether any connection is due. */
  due: boolean;
}

/** Number of consecutive failures from which a connection counts as failing. */
export const FAILING = 3;
/** Maximum rows read by one claim. */
const MAX_CANDIDATES = 200;

/** A cheap query, because there is usually nothing to do. */
export async function scanConnections(db: Db, nodeId: string): Promise<ConnectionScan> {
  const { rows } = await sql<ConnectionScan>`
    select count(*)::int as held,
           coalesce(jsonb_agg(jsonb_build_object(
             'instance_id', instance_id, 'epoch', epoch, 'wanted', wanted, 'logs_out', logs_out
           )) filter (where not wanted or generation <> taken_generation), '[]') as changed,
           exists (select from connections where (wanted or logs_out) and node_id is null and due_at <= now()) as due
    from connections where node_id = ${nodeId}
  `.execute(db);
  return rows[0]!;
}

/** Reads the connections that the database assigns to this node. */
export async function heldBy(db: Db, nodeId: string): Promise<{ instance_id: string; epoch: number }[]> {
  const { rows } = await sql<{ instance_id: string; epoch: number }>`
    select instance_id, epoch from connections where node_id = ${nodeId}
  `.execute(db);
  return rows;
}

/**
 * Acquires due connections, each with a new epoch. Workspaces that have used up their share are skipped, so that one
 * whose servers never respond does not delay others.
 * @param nodeId gets no connections without a lease
 * @param limit in all, of one workspace (`room`, less what it has: `opening`), and of those that fail (`failing`); none
 * of those that this node still closes (`closing`)
 */
export async function claimDue(
  db: Database,
  nodeId: string,
  limit: {
    all: number;
    failing: number;
    capacity: number;
    opening: ReadonlyMap<string, number>;
    closing: readonly string[];
  },
): Promise<Claimed[]> {
  const full = [...limit.opening].flatMap(([id, count]) => (count >= limit.capacity ? [id] : []));
  const { rows } = await sql<Claimed>`
    with me as materialized (
      -- Kept until the commit, so that who takes over sees all of it; one that is being taken over is passed over.
      select from connection_nodes where id = ${nodeId} and lease_until > clock_timestamp() for key share skip locked
    ), due as materialized (
      select instance_id, workspace_id, due_at, failures >= ${FAILING} as failing from connections
      where (wanted or logs_out) and node_id is null and due_at <= now() and exists (select from me)
        and instance_id <> all (${limit.closing}::uuid[])
        and workspace_id <> all (${full}::uuid[]) and (failures < ${FAILING} or ${limit.failing > 0})
      order by due_at limit ${MAX_CANDIDATES}
      for update skip locked
    ), counted as (
      select instance_id, due_at, failing, workspace_id,
             row_number() over (partition by workspace_id order by due_at) as of_workspace,
             case when failing then row_number() over (partition by failing order by due_at) else 0 end as of_failing
      from due
    ), taken as materialized (
      select instance_id from counted c
      left join unnest(${[...limit.opening.keys()]}::uuid[], ${[...limit.opening.values()]}::int[]) o (workspace, opening)
        on o.workspace = c.workspace_id
      where of_workspace <= ${limit.capacity}::int - coalesce(o.opening, 0) and of_failing <= ${limit.failing}::int
      order by due_at limit ${limit.all}
    )
    update connections c set node_id = ${nodeId}, epoch = epoch + 1, taken_generation = generation
    from taken where c.instance_id = taken.instance_id
    returning c.instance_id, c.workspace_id, c.epoch, c.generation, c.failures, c.failing_since, c.position,
              c.logs_out, c.logout_credentials_sealed, c.wanted
  `.execute(db);
  return rows;
}

export type ClaimedInstance = Selectable<Instances>;

export async function loadInstances(
  db: Db,
  claimed: readonly Claimed[],
): Promise<Map<string, ClaimedInstance>> {
  const { rows } = await sql<ClaimedInstance>`
    select i.* from instances i
    join unnest(${claimed.map((one) => one.workspace_id)}::uuid[], ${claimed.map((one) => one.instance_id)}::uuid[])
      c (workspace_id, id) on c.workspace_id = i.workspace_id and c.id = i.id
  `.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Locks instances in ID order. */
export async function lockInstances(
  tx: Tx,
  ids: readonly { workspaceId: string; instanceId: string }[],
): Promise<Map<string, ClaimedInstance>> {
  const { rows } = await sql<ClaimedInstance>`
    select i.* from instances i
    join unnest(${ids.map((one) => one.workspaceId)}::uuid[], ${ids.map((one) => one.instanceId)}::uuid[])
      c (workspace_id, id) on c.workspace_id = i.workspace_id and c.id = i.id
    order by i.id for update of i
  `.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** A connection's row as locked by its holder. */
export interface Locked {
  instance_id: string;
  wanted: boolean;
  logs_out: boolean;
  /** Whether it is unchanged since it was acquired; otherwise a reopening was requested. */
  current: boolean;
  failing_since: Date | null;
}

/** The fence for many connections: locks those that still belong to their holders. Call after `lockInstances`. */
export async function lockHeld(tx: Tx, holdings: readonly Fenced[]): Promise<Map<string, Locked>> {
  const { rows } = await sql<Locked>`
    select c.instance_id, c.wanted, c.logs_out, c.generation = c.taken_generation as current, c.failing_since
    from connections c
    join unnest(
      ${holdings.map((one) => one.instanceId)}::uuid[], ${holdings.map((one) => one.nodeId)}::uuid[],
      ${holdings.map((one) => one.epoch)}::bigint[]
    ) h (instance_id, node_id, epoch) on h.instance_id = c.instance_id and h.node_id = c.node_id and h.epoch = c.epoch
    where exists (select from connection_nodes n where n.id = h.node_id and n.lease_until > clock_timestamp())
    order by c.instance_id for no key update of c
  `.execute(tx);
  return new Map(rows.map((row) => [row.instance_id, row]));
}

/** Updates a connection's row under the fence. */
export interface RowChange {
  instanceId: string;
  /** Whether the node releases it. */
  releases: boolean;
  /** Delay until it may be opened again, for `releases`. */
  dueInMs: number;
  failures: number;
  failingSince: Date | null;
  /** false: not to be opened until requested; null: unchanged. */
  wanted: boolean | null;
  /** Whether the account's session no longer has to be ended, because it has ended or that was given up. */
  endsLogout?: boolean;
}

/** Call after `lockHeld`. */
export async function changeRows(tx: Tx, changes: readonly RowChange[]): Promise<void> {
  if (!changes.length) return;
  await sql`
    update connections c set
      node_id = case when v.releases then null else c.node_id end,
      due_at = case when v.releases then now() + v.due_in_ms * interval '1 millisecond' else c.due_at end,
      failures = v.failures, failing_since = v.failing_since, wanted = coalesce(v.wanted, c.wanted),
      logs_out = c.logs_out and not v.ends_logout,
      logout_credentials_sealed = case when not v.ends_logout then c.logout_credentials_sealed end
    from unnest(
      ${changes.map((one) => one.instanceId)}::uuid[], ${changes.map((one) => one.releases)}::bool[],
      ${changes.map((one) => one.dueInMs)}::float8[], ${changes.map((one) => one.failures)}::int[],
      ${changes.map((one) => one.failingSince)}::timestamptz[], ${changes.map((one) => one.wanted)}::bool[],
      ${changes.map((one) => one.endsLogout ?? false)}::bool[]
    ) v (instance_id, releases, due_in_ms, failures, failing_since, wanted, ends_logout)
    where c.instance_id = v.instance_id
  `.execute(tx);
}

/**
 * Releases connections immediately without changing the instance: those whose session in this process is gone, and
 * those no longer wanted.
 * @param afterMs delay until they may be opened again
 */
export async function release(
  db: Db,
  nodeId: string,
  rows: readonly { instance_id: string; epoch: number }[],
  afterMs: number,
): Promise<void> {
  await sql`
    update connections set node_id = null, due_at = now() + ${afterMs}::float8 * interval '1 millisecond'
    where instance_id in (
      select c.instance_id from connections c
      join unnest(${rows.map((one) => one.instance_id)}::uuid[], ${rows.map((one) => one.epoch)}::bigint[])
        v (instance_id, epoch) on v.instance_id = c.instance_id and v.epoch = c.epoch
      where c.node_id = ${nodeId} for update of c skip locked
    )
  `.execute(db);
}

/** Resets the failures of stable connections, so that delays start over when they are lost. Skips locked rows. */
export async function clearFailures(db: Db, holdings: readonly Fenced[]): Promise<void> {
  await sql`
    update connections set failures = 0
    where instance_id in (
      select c.instance_id from connections c
      join unnest(${holdings.map((one) => one.instanceId)}::uuid[], ${holdings.map((one) => one.epoch)}::bigint[])
        v (instance_id, epoch) on v.instance_id = c.instance_id and v.epoch = c.epoch
      where c.failures > 0 for no key update of c skip locked
    )
  `.execute(db);
}
