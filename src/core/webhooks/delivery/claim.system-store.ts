/**
 * Claims due deliveries, across workspaces.
 *
 * A claim locks endpoints with free slots and due rows, skipping those locked by others, and takes due rows of each
 * within its slots and rate. So both limits hold across all processes, and rows of an endpoint without slots are not
 * read at all. `next_due_at` is when to look at an endpoint again.
 */
import { sql } from 'kysely';
import type { Database, Db, Tx } from '../../../platform/db/database.ts';

export interface Claimed {
  delivery_id: string;
  workspace_id: string;
  receiver_id: string;
  event_id: string;
  order_key: string | null;
  /** Attempts made before in the present run of the schedule. */
  step: number;
  config_version: number;
}

/** How many rows each workspace holds in this process, and how many it may. */
export interface RemainingCapacity {
  limit: number;
  held: ReadonlyMap<string, number>;
}

export function getRemainingCapacity(limit: number, sending: Iterable<Claimed>): RemainingCapacity {
  const held = new Map<string, number>();
  for (const { workspace_id: id } of sending) held.set(id, (held.get(id) ?? 0) + 1);
  return { limit, held };
}

/** Receivers looked at in one claim. */
const MAX_RECEIVERS = 200;

/** Whether there is anything to claim or any new row: one cheap look, for when there mostly is not. */
export async function hasWork(db: Db): Promise<boolean> {
  const { rows } = await sql<{ work: boolean }>`
    select exists (select from receiver_wakes)
        or exists (select from receivers where enabled and in_flight < slots and next_due_at <= now()) as work
  `.execute(db);
  return rows[0]!.work;
}

/**
 * For the rest of the transaction: the queue is read in the order of its index, row by row. It goes from empty to millions
 * within minutes, and a plan by statistics of when it was empty would read and sort all that waits, each time. (Plans
 * that must sort all the same look so dear then that they would be compiled.)
 */
export async function readByIndex(tx: Tx): Promise<void> {
  await sql`
    select set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true),
           set_config('enable_sort', 'off', true), set_config('jit', 'off', true)
  `.execute(tx);
}

/**
 * Call after `readByIndex`.
 * @param worker the claiming worker; without a lease it claims nothing
 * @param capacity maximum rows in total
 * @param share maximum rows per endpoint
 * @param slowToo whether endpoints that recently timed out take part
 * @param room maximum rows per workspace; default: capacity
 */
export async function claim(
  tx: Tx,
  worker: string,
  capacity: number,
  share: number,
  slowToo: boolean,
  room: RemainingCapacity = { limit: capacity, held: new Map() },
): Promise<Claimed[]> {
  const full = [...room.held].flatMap(([id, count]) => (count >= room.limit ? [id] : []));
  const { rows } = await sql<Claimed>`
    with me as materialized (
      -- Kept until the commit, so that who takes over sees all of it; one that is being taken over is passed over.
      select from delivery_workers where id = ${worker} and lease_until > now() for key share skip locked
    ), ready as materialized (
      select id, workspace_id, config_version, next_due_at, rate_per_minute, had.tokens as tokens, r.xmin::text as version,
             least(slots - in_flight, ${share}::int, case when rate_per_minute is null then 100000 else floor(had.tokens)::int end) as free
      from receivers r
      cross join lateral (
        select least(r.rate_burst, r.tokens + r.rate_per_minute / 60.0 * greatest(0, extract(epoch from now() - r.tokens_at)))
      ) had (tokens)
      where enabled and in_flight < slots and next_due_at <= now() and (timeouts = 0 or ${slowToo})
        and exists (select from me) and workspace_id <> all (${full}::uuid[])
      order by next_due_at
      limit ${MAX_RECEIVERS}
      for update of r skip locked
    ), seen as materialized (
      select id, xmin::text as version from receivers where id = any (array(select id from ready))
    ), bounded as materialized (
      select id, config_version, next_due_at, rate_per_minute, tokens, version,
             greatest(0, least(free, ${room.limit}::int - coalesce(h.count, 0)
               - (sum(free) over (partition by workspace_id order by next_due_at, id) - free)::int)) as free
      from ready left join unnest(${[...room.held.keys()]}::uuid[], ${[...room.held.values()]}::int[]) h (id_of, count)
        on h.id_of = workspace_id
    ), shared as materialized (
      select *, greatest(0, least(free, ${capacity}::int - (sum(free) over (order by next_due_at, id) - free)::int)) as give
      from bounded
    ), found as materialized (
      select shared.id as receiver_id, due.delivery_id, due.nth, due.nth <= shared.give as taken
      from shared cross join lateral (
        select q.delivery_id, row_number() over (order by q.due_at) as nth
        from (
          select delivery_id, due_at from delivery_queue
          where receiver_id = shared.id and due_at <= now() and claimed_by is null
          order by due_at limit shared.give + 1
          for update skip locked
        ) q
      ) due
    ), claimed as (
      update delivery_queue q set claimed_by = ${worker}
      from found where found.taken and q.delivery_id = found.delivery_id
      returning q.delivery_id, q.workspace_id, q.receiver_id, q.event_id, q.order_key, q.step, q.due_at, q.position
    ), counted as (
      select receiver_id, count(*) filter (where taken)::int as taken, bool_or(not taken) as more
      from found group by receiver_id
    ), updated as (
      update receivers r set
        in_flight = r.in_flight + coalesce(c.taken, 0),
        tokens = case when s.rate_per_minute is null then 0 else s.tokens - coalesce(c.taken, 0) end,
        tokens_at = now(),
        next_due_at = case
          when coalesce(c.more, false) and s.rate_per_minute is not null and s.tokens - c.taken < 1
            then now() + make_interval(secs => (1 - (s.tokens - c.taken)) * 60.0 / s.rate_per_minute)
          -- An endpoint that got rows goes behind all others that are due, so that busy endpoints never starve the rest.
          when coalesce(c.more, false) and c.taken > 0 then now()
          when coalesce(c.more, false) then s.next_due_at
          -- Somebody changed its rows between the snapshot of this statement and the lock: the next look sees them.
          when s.version <> v.version then s.next_due_at
          else coalesce(
            (select q.due_at from delivery_queue q where q.receiver_id = r.id and q.due_at > now() order by q.due_at limit 1),
            'infinity')
        end
      from shared s join seen v on v.id = s.id left join counted c on c.receiver_id = s.id
      where r.id = s.id
    )
    select c.delivery_id, c.workspace_id, c.receiver_id, c.event_id, c.order_key, c.step, s.config_version
    from claimed c join shared s on s.id = c.receiver_id
    order by c.due_at, c.position
  `.execute(tx);
  return rows;
}

/**
 * Returns all rows that a worker has claimed, including those of a transaction with an unknown outcome, which it waits
 * for. Scans the whole queue.
 */
export function claimedBy(db: Database, worker: string): Promise<Claimed[]> {
  return db.transaction().execute(async (tx) => {
    await sql`select from delivery_workers where id = ${worker} for update`.execute(tx);
    const { rows } = await sql<Claimed>`
      select delivery_id, workspace_id, receiver_id, event_id, order_key, step, 0 as config_version
      from delivery_queue where claimed_by = ${worker}
    `.execute(tx);
    return rows;
  });
}
