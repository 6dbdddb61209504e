/** Going through a workspace's log for a contact that is erased: a window of sequences at a time. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { ERASABLE_NOUNS, RUN_TYPES } from '../erasable.ts';

export interface LogRow {
  id: string;
  type: string;
  data: Record<string, unknown>;
  created_at: Date;
}

const literals = (names: readonly string[]) => sql.join(names.map((name) => sql.lit(name)));
const TYPES = sql`(split_part(type, '.', 1) in (${literals(ERASABLE_NOUNS)}))`;
const RUNS = sql`type in (${literals(RUN_TYPES)})`;

/** Events beyond `after` up to `through` that hold one of the patterns; all that tell of a run of a rule. */
export async function candidates(
  db: Db,
  workspaceId: string,
  after: number,
  through: number,
  patterns: readonly string[],
): Promise<LogRow[]> {
  const { rows } = await sql<LogRow>`
    select id, type, data, created_at from events
    where workspace_id = ${workspaceId} and sequence > ${after} and sequence <= ${through}
      and ((${TYPES} and data::text like any(${patterns}::text[])) or ${RUNS})
    order by sequence
  `.execute(db);
  return rows;
}

/** Reads candidates among the events that the log rejected, which are always few. */
export async function rejectedCandidates(
  db: Db,
  workspaceId: string,
  patterns: readonly string[],
): Promise<(LogRow & { n: number })[]> {
  const { rows } = await sql<LogRow & { n: number }>`
    select n, event_id as id, type, data, created_at from outbox_rejected
    where workspace_id = ${workspaceId} and data::text like any(${patterns}::text[])
  `.execute(db);
  return rows;
}

export async function replaceData(
  db: Db,
  workspaceId: string,
  events: readonly { id: string; data: object }[],
): Promise<void> {
  if (events.length === 0) return;
  const ids = events.map(({ id }) => id);
  await sql`
    update events e set data = g.data
    from unnest(${ids}::uuid[], ${events.map(({ data }) => JSON.stringify(data))}::jsonb[]) g (id, data)
    where e.workspace_id = ${workspaceId} and e.id = g.id and e.id = any (${ids}::uuid[])
  `.execute(db);
}

export async function replaceRejected(db: Db, workspaceId: string, n: number, data: object): Promise<void> {
  await sql`
    update outbox_rejected set data = ${JSON.stringify(data)} where workspace_id = ${workspaceId} and n = ${n}
  `.execute(db);
}

/** The number of the newest of a workspace's events that wait to enter the log; null where none does. */
export async function newestWaiting(db: Db, bucket: number, workspaceId: string): Promise<number | null> {
  const { rows } = await sql<{ n: number | null }>`
    select max(n) as n from outbox where bucket = ${bucket} and workspace_id = ${workspaceId}
  `.execute(db);
  return rows[0]!.n;
}

/** Whether any of a workspace's events up to that number waits to enter the log. */
export async function waits(db: Db, bucket: number, workspaceId: string, through: number): Promise<boolean> {
  const { rows } = await sql`
    select from outbox where bucket = ${bucket} and workspace_id = ${workspaceId} and n <= ${through} limit 1
  `.execute(db);
  return rows.length > 0;
}
