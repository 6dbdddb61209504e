/** Moves stored times when the database's clock is set back, across all workspaces. */
import { sql } from 'kysely';
import type { Database, Tx } from './database.ts';

/** How far the noted time may lag behind the clock: a write every so often, however many processes note it. */
const NOTED_EVERY = '4 seconds';
/** Longer waits for a lock could take part in a deadlock, which PostgreSQL looks for after a second. */
const LOCK_TIMEOUT = '500ms';
/** No lease is renewed for longer. */
const MAX_LEASE = '16 seconds';

/**
 * Columns that hold when something is to happen, counted from the clock: all of it waits longer by as much as the clock is
 * set back. Times that a user chose are not among them, nor times that something happened at.
 */
export const DUE_COLUMNS: Record<string, string[]> = {
  receivers: ['next_due_at', 'tokens_at'],
  delivery_queue: ['due_at'],
  connections: ['due_at'],
  send_queue: ['due_at'],
  sandbox_inbox: ['due_at'],
  sandbox_sent: ['held_until'],
  rule_queue: ['due_at'],
  rule_counters: ['tokens_at', 'stops_told_since'],
  publication_queue: ['due_at'],
  publication_results: ['next_attempt_at'],
  auth_attempts: ['window_ends'],
  index_builds: ['next_attempt_at'],
  domains: ['check_at'],
  model_open_calls: ['lease_until'],
  'pgboss.job': ['start_after', 'started_on'],
  'pgboss.version': ['cron_on', 'bam_on', 'flow_on', 'reindex_on', 'monitor_backoff_on'],
  'pgboss.queue': ['maintain_on', 'monitor_on', 'monitor_claim_on'],
};
/** Of tables above: rows that wait for a time that a user chose. */
const CHOSEN_BY_USERS: Record<string, string> = {
  publication_queue: `exists (select from publications p where p.workspace_id = publication_queue.workspace_id
    and p.id = publication_queue.publication_id and p.status = 'scheduled')`,
};
/** Columns that hold when a lease ends. */
export const LEASES: Record<string, string> = {
  delivery_workers: 'lease_until',
  rule_workers: 'lease_until',
  connection_nodes: 'lease_until',
};

/** Notes the time. @returns milliseconds by which the clock was set back since it was noted, or less than 0 */
export async function recordTime(db: Database): Promise<number> {
  const { rows } = await sql<{ behind: number }>`
    with seen as materialized (
      select seen_at, clock_timestamp() as at from database_clock
    ), noted as (
      update database_clock c set seen_at = seen.at from seen where seen.at > seen.seen_at + ${NOTED_EVERY}::interval
    )
    select extract(epoch from seen_at - at)::float8 * 1000 as behind,
           set_config('synchronous_commit', 'off', true) -- it is noted again
    from seen
  `.execute(db);
  return rows[0]!.behind;
}

/**
 * Moves all due times back by as much as the clock was set back, in one transaction that locks these tables.
 * @returns milliseconds that the times moved by; null if another process has done it
 */
export function moveDueTimes(db: Database, leastMs: number): Promise<number | null> {
  return db.transaction().execute(async (tx) => {
    await sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`.execute(tx);
    const own = [...Object.keys(DUE_COLUMNS), ...Object.keys(LEASES)].filter((name) => !name.includes('.'));
    await sql`
      lock table ${sql.join(['database_clock', ...own].map((name) => sql.table(name)))} in share row exclusive mode
    `.execute(tx);
    const { rows } = await sql<{ behind: number; now: string }>`
      select extract(epoch from seen_at - at)::float8 * 1000 as behind, at::text as now
      from (select seen_at, clock_timestamp() as at from database_clock) seen
    `.execute(tx);
    const { behind, now } = rows[0]!;
    if (behind < leastMs) return null;
    for (const [table, columns] of await existing(tx))
      for (const column of columns) await moveColumn(tx, table, column, { behind, now });
    for (const [table, column] of Object.entries(LEASES))
      await sql`
        update ${sql.table(table)} set ${sql.ref(column)} = ${now}::timestamptz + ${MAX_LEASE}::interval
        where ${sql.ref(column)} > ${now}::timestamptz + ${MAX_LEASE}::interval
      `.execute(tx);
    await sql`update database_clock set seen_at = ${now}::timestamptz`.execute(tx);
    return behind;
  });
}

/** Jobs have no tables before the first process that performs them has started. */
async function existing(tx: Tx): Promise<[string, string[]][]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${Object.keys(DUE_COLUMNS)}::text[]) t (name) where to_regclass(name) is not null
  `.execute(tx);
  return rows.map(({ name }) => [name, DUE_COLUMNS[name]!]);
}

async function moveColumn(
  tx: Tx,
  table: string,
  column: string,
  { behind, now }: { behind: number; now: string },
): Promise<void> {
  const at = sql.ref(column);
  const chosen = CHOSEN_BY_USERS[table];
  await sql`
    update ${sql.table(table)} set ${at} = ${at} - ${behind}::float8 * interval '1 millisecond'
    where ${at} > ${now}::timestamptz and ${at} < 'infinity' ${sql.raw(chosen ? `and not ${chosen}` : '')}
  `.execute(tx);
}
