/**
 * When windows of budgets begin and end, in SQL: by the workspace's time zone, so that all processes and statements agree.
 */
import { type RawBuilder, sql } from 'kysely';

/**
 * The start of the window that a moment lies in; null for `total`, which never starts again.
 * @param kind `window_kind` of a budget
 * @param zone IANA name
 */
export const windowStartSql = (
  kind: RawBuilder<unknown>,
  now: Date,
  zone: RawBuilder<unknown>,
): RawBuilder<Date | null> =>
  sql`case when ${kind} in ('day', 'month') then date_trunc(${kind}, ${now}::timestamptz, ${zone}) end`;

/** The start of the next window; null for `total`. */
export const nextWindowSql = (
  kind: RawBuilder<unknown>,
  now: Date,
  zone: RawBuilder<unknown>,
): RawBuilder<Date | null> => sql`case when ${kind} in ('day', 'month') then (
    date_trunc(${kind}, ${now}::timestamptz at time zone ${zone}) + ('1 ' || ${kind})::interval
  ) at time zone ${zone} end`;
