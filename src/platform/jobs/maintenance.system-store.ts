/** Deleting what is over, of all workspaces, some thousand rows in a transaction. */
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';

/** Deletes invitations that nobody accepted before `before`, with their tokens. @returns how many; at most `limit`. */
export async function deleteInvitations(db: Database, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    with over as (
      delete from invitations where ctid = any (array(
        select ctid from invitations where state = 'pending' and expires_at < ${before} limit ${limit} for update skip locked
      ))
      returning workspace_id, id
    ), tokens as (
      delete from invite_tokens t using over where t.workspace_id = over.workspace_id and t.invitation_id = over.id
    )
    select count(*) as n from over
  `.execute(db);
  return rows[0]!.n;
}
