/**
 * Claims due deliveries, across workspaces.
 *
 * A claim locks endpoints with free slots and due rows, skipping those locked by others, shares the slots of this process
 * among them (shares.ts), and takes due rows of each within its slots and rate. So both limits hold across all processes,
 * and rows of an endpoint without slots are not read at all. `next_due_at` is when to look at an endpoint again.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Database, Db, Tx } from '../../../platform/db/database.ts';
import {
  type Candidate,
  divideSlots,
  hasUnreserved,
  type Holder,
  personsWithMany,
  type Slots,
} from './shares.ts';

export interface Claimed extends Holder {
  delivery_id: string;
  event_id: string;
  order_key: string | null;
  /** Attempts made before in the present run of the schedule. */
  step: number;
  config_version: number;
}

/** Receivers looked at in one claim, of persons that hold few slots and of all. */
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

/** The tokens that a receiver currently has. */
const tokens = sql`
  least(r.rate_burst, r.tokens + r.rate_per_minute / 60.0 * greatest(0, extract(epoch from now() - r.tokens_at)))
`;

/**
 * Locks receivers that are due. Receivers of persons that hold few slots are queried separately, so that they are found
 * behind any number of receivers of one person.
 */
async function lockCandidates(tx: Tx, worker: string, slots: Slots, slowToo: boolean): Promise<Candidate[]> {
  const many = personsWithMany(slots);
  const locked = (isMeant: RawBuilder<unknown>) => sql`
    select id, workspace_id, next_due_at,
           least(slots - in_flight, case when rate_per_minute is null then 100000 else floor(${tokens})::int end) as wanted
    from receivers r
    where enabled and in_flight < slots and next_due_at <= now() and (timeouts = 0 or ${slowToo})
      and exists (select from me) and ${isMeant}
    order by next_due_at
    limit ${MAX_RECEIVERS}
    for update of r skip locked
  `;
  const { rows } = await sql<Candidate>`
    with me as materialized (
      -- Kept until the commit, so that who takes over sees all of it; one that is being taken over is passed over.
      select from delivery_workers where id = ${worker} and lease_until > now() for key share skip locked
    ), of_many as materialized (
      select m.workspace_id from members m
      where m.user_id = any (${many}::uuid[]) and m.role = 'owner' and not exists (
        select from members o
        where o.workspace_id = m.workspace_id and o.role = 'owner'
          and (o.created_at, o.user_id) < (m.created_at, m.user_id)
      )
      union all
      select unnest(${many}::uuid[])
    ), of_few as materialized (${locked(sql`workspace_id not in (select workspace_id from of_many)`)}
    ), of_all as materialized (${locked(sql`${many.length > 0 && hasUnreserved(slots)}`)}
    )
    select coalesce(owner.user_id, due.workspace_id) as person, due.workspace_id, due.id as receiver_id, due.wanted
    from (select * from of_few union select * from of_all) due
    left join lateral (
      select user_id from members m where m.workspace_id = due.workspace_id and m.role = 'owner'
      order by created_at, user_id limit 1
    ) owner on true
    order by due.next_due_at
  `.execute(tx);
  return rows;
}

/**
 * Call after `readByIndex`.
 * @param worker the claiming worker; without a lease it claims nothing
 * @param slowToo whether endpoints that recently timed out take part
 */
export async function claim(tx: Tx, worker: string, slots: Slots, slowToo: boolean): Promise<Claimed[]> {
  const candidates = await lockCandidates(tx, worker, slots, slowToo);
  const given = divideSlots(slots, candidates);
  if (!given.size) return [];
  // Its snapshot is taken after the locks, so it sees the changes of earlier holders.
  const { rows } = await sql<Omit<Claimed, 'person'>>`
    with shared as materialized (
      select r.id, r.config_version, r.next_due_at, r.rate_per_minute, ${tokens} as tokens, g.give
      from unnest(${[...given.keys()]}::uuid[], ${[...given.values()]}::int[]) g (id, give)
      join receivers r on r.id = g.id
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
          else coalesce(
            (select q.due_at from delivery_queue q where q.receiver_id = r.id and q.due_at > now() order by q.due_at limit 1),
            'infinity')
        end
      from shared s left join counted c on c.receiver_id = s.id
      where r.id = s.id
    )
    select c.delivery_id, c.workspace_id, c.receiver_id, c.event_id, c.order_key, c.step, s.config_version
    from claimed c join shared s on s.id = c.receiver_id
    order by c.due_at, c.position
  `.execute(tx);
  const persons = new Map(candidates.map(({ receiver_id: id, person }) => [id, person]));
  return rows.map((row) => ({ ...row, person: persons.get(row.receiver_id)! }));
}

/**
 * Returns all rows that a worker has claimed, including those of a transaction with an unknown outcome, which it waits
 * for. Scans the whole queue.
 */
export function claimedBy(db: Database, worker: string): Promise<Claimed[]> {
  return db.transaction().execute(async (tx) => {
    await sql`select from delivery_workers where id = ${worker} for update`.execute(tx);
    const { rows } = await sql<Claimed>`
      select delivery_id, workspace_id as person, workspace_id, receiver_id, event_id, order_key, step, 0 as config_version
      from delivery_queue where claimed_by = ${worker}
    `.execute(tx);
    return rows;
  });
}
