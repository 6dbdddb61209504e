/** Statements on a table of leases (lease.ts), with the columns `id` and `lease_until`. */
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { LeaseStore } from './lease.ts';

/** Maximum expired leases returned at a time. */
const MAX_OVER = 20;

export interface LeaseRows extends Pick<LeaseStore, 'add' | 'renew'> {
  /** Returns the IDs of expired leases. */
  over(db: Database): Promise<string[]>;
}

export function leaseRows(name: 'delivery_workers' | 'rule_workers'): LeaseRows {
  const table = sql.table(name);
  const until = (leaseMs: number) => sql`now() + ${leaseMs} * interval '1 millisecond'`;
  return {
    async add(db, id, leaseMs) {
      await sql`
        insert into ${table} (id, lease_until) values (${id}, ${until(leaseMs)})
        on conflict (id) do update set lease_until = excluded.lease_until
      `.execute(db);
    },
    async renew(db, id, leaseMs) {
      const { numAffectedRows = 0n } = await sql`
        update ${table} set lease_until = ${until(leaseMs)} where id = ${id}
      `.execute(db);
      return numAffectedRows > 0n;
    },
    async over(db) {
      const { rows } = await sql<{ id: string }>`
        select id from ${table} where lease_until < now() limit ${sql.lit(MAX_OVER)}
      `.execute(db);
      return rows.map(({ id }) => id);
    },
  };
}
