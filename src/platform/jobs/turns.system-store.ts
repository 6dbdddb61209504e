/**
 * The order in which jobs of a queue take turns, kept in pg-boss's priority: of the jobs of one share that wait, each has
 * the next lower priority, and the first has that of whose turn it is now. So shares take turns, one job each, however
 * many jobs one of them has waiting (start-time fair queueing). Jobs of a share that are enqueued at the same moment may
 * have the same turn.
 */
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import type { QueueRules } from './queue-rules.ts';

/** Before all turns: somebody waits for it. */
export const URGENT = 1;

const isWaiting = sql`state < 'active' and not blocked`;

type Slots = Pick<QueueRules, 'parallel' | 'parallelOfPerson'>;

/**
 * How many jobs of one person may run: about what they get of the slots of a process (fair-slots.ts), which shrinks with
 * the number of persons.
 */
const getShare = (queue: string, { parallel = 1, parallelOfPerson }: Slots) =>
  parallelOfPerson === undefined
    ? sql`(select greatest(1, ${parallel}::int / (count(distinct group_id) + 1))
           from pgboss.job where name = ${queue} and state = 'active')`
    : sql`${parallelOfPerson}::int`;

/** Jobs of a queue that wait and may be begun: not those of persons that hold as many as they may. */
const due = (queue: string, slots: Slots) => sql`
  pgboss.job j where name = ${queue} and start_after <= now() and ${isWaiting}
    and ${
      (slots.parallel ?? 1) === 1 && slots.parallelOfPerson === undefined
        ? sql`true`
        : sql`(j.group_id is null or ${getShare(queue, slots)} > (
            select count(*) from pgboss.job a where a.name = ${queue} and a.group_id = j.group_id and a.state = 'active'
          ))`
    }
`;

/**
 * @param share whose jobs take turns with those of others
 * @param slots of the queue
 * @returns the priority of its next job, at most 0
 */
export async function nextTurn(db: Db, queue: string, share: string, slots: Slots = {}): Promise<number> {
  const { rows } = await sql<{ turn: number }>`
    select coalesce(least(
      (select min(priority) - 1 from pgboss.job
       where name = ${queue} and group_id = ${share} and priority <= 0 and ${isWaiting}),
      (select priority from ${due(queue, slots)} and priority <= 0 order by priority desc limit 1)
    ), 0) as turn
  `.execute(db);
  return rows[0]!.turn;
}

/**
 * Makes room for the rest of a job before all later jobs of its share, which may depend on it.
 * @returns the priority of the rest, at most 0
 */
export async function sameTurn(db: Db, queue: string, share: string, slots: Slots = {}): Promise<number> {
  const { rows } = await sql<{ turn: number | null }>`
    with moved as (
      update pgboss.job set priority = priority - 1
      where name = ${queue} and group_id = ${share} and priority <= 0 and ${isWaiting}
      returning priority + 1 as priority
    )
    select max(priority) as turn from moved
  `.execute(db);
  return rows[0]!.turn ?? nextTurn(db, queue, share, slots);
}

/** @returns whether jobs of other shares could be begun */
export async function othersAreDue(
  db: Db,
  queue: string,
  share: string,
  slots: Slots = {},
): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    select exists (select from ${due(queue, slots)} and j.group_id is distinct from ${share}) as due
  `.execute(db);
  return rows[0]!.due;
}
