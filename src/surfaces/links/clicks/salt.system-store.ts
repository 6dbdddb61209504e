/** Stores the daily salts, which all workspaces and processes share. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** The salt of a day (as 2026-01-15, in UTC). */
export interface DaySalt {
  day: string;
  salt: Buffer;
}

/**
 * Returns the shared salts of days, and stores the offered salt for days that have none. Concurrent callers agree,
 * because the first insert wins.
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

/** Deletes the salts of days before `day`. Hashes of those days can then no longer be linked to an IP address. */
export async function deleteSaltsBefore(db: Db, day: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from click_salts where day < ${day}::date`.execute(db);
  return Number(numAffectedRows);
}
