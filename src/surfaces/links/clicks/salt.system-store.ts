/** Day salts, which all workspaces and processes share. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** What one day's visitors are hashed with; `day` as 2026-01-15, in UTC. */
export interface DaySalt {
  day: string;
  salt: Buffer;
}

/**
 * The salts of days as all processes have them: where a day has none yet, the one that is offered.
 * Concurrent callers agree: the first row stays.
 */
export async function agreeOnSalts(db: Db, offered: DaySalt[]): Promise<DaySalt[]> {
  const days = offered.map(({ day }) => day).sort();
  await sql`
    insert into click_salts (day, salt)
    select * from unnest(${offered.map(({ day }) => day)}::date[], ${offered.map(({ salt }) => salt)}::bytea[]) order by 1
    on conflict (day) do nothing
  `.execute(db);
  const { rows } = await sql<DaySalt>`
    select day::text as day, salt from click_salts where day = any (${days}::date[])
  `.execute(db);
  return rows;
}

/** Forgets the salts of days before `day`: no hash of those days can be tied to an address any more. */
export async function deleteSaltsBefore(db: Db, day: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from click_salts where day < ${day}::date`.execute(db);
  return Number(numAffectedRows);
}
