/** Marks events that are about to be deleted, across all workspaces. */
import { sql } from 'kysely';
import type { Database, Db } from '../../platform/db/database.ts';

/** Rows locked at a time; the sequencer waits for them. */
const CHUNK = 500;

interface Newest {
  workspace_id: string;
  sequence: number;
}

/** Locks in the order in which the sequencer does. */
async function raise(db: Db, newest: Newest[]): Promise<void> {
  await sql`
    with gone as (
      select * from unnest(${newest.map((row) => row.workspace_id)}::uuid[], ${newest.map((row) => row.sequence)}::bigint[])
        as gone (workspace_id, sequence)
    ), locked as (
      select s.workspace_id from workspace_sequences s
      where s.workspace_id in (select workspace_id from gone)
      order by s.workspace_id for update
    )
    update workspace_sequences s set expired_through = greatest(s.expired_through, gone.sequence)
    from gone join locked on locked.workspace_id = gone.workspace_id
    where s.workspace_id = gone.workspace_id and s.expired_through < gone.sequence
  `.execute(db);
}

/** Says of every workspace with rows in `relation` that its events up to the newest of them may be gone. */
export async function markExpired(db: Database, relation: string): Promise<void> {
  const { rows } = await sql<Newest>`
    select workspace_id, max(sequence) as sequence from ${sql.table(relation)} group by workspace_id order by workspace_id
  `.execute(db);
  for (let at = 0; at < rows.length; at += CHUNK) await raise(db, rows.slice(at, at + CHUNK));
}

/**
 * Deletes rows of the default partition with an ID below `cutoff`, or whose neighbors in the log are gone (IDs from a
 * wrong clock may be far in the future).
 */
export async function expireStray(db: Database, cutoff: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<Newest>`
      with gone as (delete from events_default where id < ${cutoff} returning workspace_id, sequence)
      select workspace_id, max(sequence) as sequence from gone group by workspace_id order by workspace_id
    `.execute(tx);
    if (rows.length) await raise(tx, rows);
  });
  await sql`
    delete from events_default e using workspace_sequences s
    where s.workspace_id = e.workspace_id and e.sequence <= s.expired_through
  `.execute(db);
}
