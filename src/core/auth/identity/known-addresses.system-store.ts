/** Addresses that users signed in from, as hashes of email, address and password hash. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export async function isKnownAddress(db: Db, key: Buffer): Promise<boolean> {
  const row = await db
    .selectFrom('known_addresses')
    .select('key')
    .where('key', '=', key)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row !== undefined;
}

/** Remembers an address for `seconds` more. Writes at most once a day for an address that is known. */
export async function rememberAddress(db: Db, key: Buffer, seconds: number): Promise<void> {
  await sql`
    insert into known_addresses as a (key, expires_at) values (${key}, now() + make_interval(secs => ${seconds}))
    on conflict (key) do update set expires_at = excluded.expires_at
    where a.expires_at < excluded.expires_at - interval '1 day'
  `.execute(db);
}
