/** The health check of the database. */
import { sql } from 'kysely';
import type { Epoch } from '../core/auth/epoch.ts';

/** A database that rejects writes (while it is moved, or as a standby) is still read, and short links go on. */
export async function checkDatabase(epoch: Pick<Epoch, 'refresh' | 'db'>): Promise<'ok' | 'degraded'> {
  await epoch.refresh();
  const { rows } = await sql<{ read_only: boolean }>`
    select current_setting('transaction_read_only')::boolean as read_only
  `.execute(epoch.db);
  return rows[0]!.read_only ? 'degraded' : 'ok';
}
