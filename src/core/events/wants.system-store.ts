/** Stores which workspaces have open streams interested in on-demand event types, across all workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export interface Interest {
  workspace_id: string;
  type: string;
}

const columns = (interests: readonly Interest[]) => sql`
  unnest(${interests.map((want) => want.workspace_id)}::uuid[], ${interests.map((want) => want.type)}::text[]) k (workspace_id, type)
`;

/** Registers or renews the holder's interest for `leaseMs` milliseconds from now. */
export async function registerInterest(
  db: Db,
  holder: string,
  interests: readonly Interest[],
  leaseMs: number,
): Promise<void> {
  await sql`
    insert into event_wants (workspace_id, type, holder, until)
    select workspace_id, type, ${holder}, now() + ${leaseMs} * interval '1 ms' from ${columns(interests)}
    order by workspace_id, type
    on conflict (workspace_id, type, holder) do update set until = excluded.until
  `.execute(db);
}

export async function releaseInterest(db: Db, holder: string, interests: readonly Interest[]): Promise<void> {
  await sql`
    delete from event_wants w using ${columns(interests)}
    where w.holder = ${holder} and w.workspace_id = k.workspace_id and w.type = k.type
  `.execute(db);
}

/** Returns those of the workspaces that have an open stream interested in the type. */
export async function findWanting(db: Db, workspaceIds: readonly string[], type: string): Promise<string[]> {
  const { rows } = await sql<{ workspace_id: string }>`
    select distinct workspace_id from event_wants
    where workspace_id = any (${workspaceIds}::uuid[]) and type = ${type} and until > now()
  `.execute(db);
  return rows.map((row) => row.workspace_id);
}

/** Deletes the expired interest of processes that ended without releasing it. */
export async function deleteExpiredInterest(db: Db): Promise<void> {
  await sql`delete from event_wants where until < now() - interval '1 minute'`.execute(db);
}
