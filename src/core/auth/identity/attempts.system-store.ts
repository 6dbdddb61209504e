/** Counters of attempts in fixed windows, shared by all processes. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export interface Counter {
  key: Buffer;
  windowSeconds: number;
}

export interface Count {
  key: Buffer;
  used: number;
  /** Until the window ends. */
  seconds: number;
}

/** Counts one attempt on each counter. One statement; rows are taken in order of key, so that two never deadlock. */
export async function countAttempts(db: Db, counters: Counter[]): Promise<Count[]> {
  const { rows } = await sql<Count>`
    insert into auth_attempts as a (key, used, window_ends)
    select key, 1, now() + make_interval(secs => seconds)
    from unnest(${counters.map(({ key }) => key)}::bytea[], ${counters.map(({ windowSeconds }) => windowSeconds)}::int[])
      as t (key, seconds)
    order by key
    on conflict (key) do update set
      used = case when a.window_ends <= now() then 1 else a.used + 1 end,
      window_ends = case when a.window_ends <= now() then excluded.window_ends else a.window_ends end
    returning key, used, greatest(1, ceil(extract(epoch from window_ends - now())))::int as seconds
  `.execute(db);
  return rows;
}

/** @returns how often a counter was used in its window, and for how long that lasts; null for none. */
export async function readCount(db: Db, key: Buffer): Promise<Count | null> {
  const { rows } = await sql<Count>`
    select key, used, greatest(1, ceil(extract(epoch from window_ends - now())))::int as seconds
    from auth_attempts where key = ${key} and window_ends > now()
  `.execute(db);
  return rows[0] ?? null;
}

/** Takes one attempt back from each counter. */
export async function uncountAttempts(db: Db, keys: Buffer[]): Promise<void> {
  await sql`
    with ordered as (select key from auth_attempts where key = any(${keys}::bytea[]) order by key for update)
    update auth_attempts a set used = greatest(a.used - 1, 0) from ordered where a.key = ordered.key
  `.execute(db);
}
