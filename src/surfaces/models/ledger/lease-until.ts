/** Leases of open calls count by the database's clock. */
import { sql } from 'kysely';

const LEASE_SECONDS = 60;
/** A process renews the leases of its calls this often. */
export const RENEW_MS = 15_000;

/** The end of a lease that begins now. */
export const leaseUntil = sql`clock_timestamp() + ${sql.lit(LEASE_SECONDS)} * interval '1 second'`;
