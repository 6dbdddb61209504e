/** Reads the contacts of all workspaces whose words are still to be stored. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';

export interface ContactKey {
  workspace_id: string;
  id: string;
}

/** Marks the backfill as enqueued. @returns false if there is none, or another process has enqueued it */
export async function claimBackfill(db: Db): Promise<boolean> {
  const { rows } = await sql`
    update contact_word_backfill set enqueued_at = now() where enqueued_at is null returning singleton
  `.execute(db);
  return rows.length > 0;
}

export async function isBackfillPending(db: Db): Promise<boolean> {
  const { rows } = await sql`select from contact_word_backfill`.execute(db);
  return rows.length > 0;
}

export async function endBackfill(db: Db): Promise<void> {
  await sql`delete from contact_word_backfill`.execute(db);
}

/** Deletes the words of contacts that nodes of the earlier release deleted during the upgrade. */
export async function deleteOrphanedWords(db: Db): Promise<void> {
  await sql`
    delete from contact_words w
    where not exists (select from contacts c where c.workspace_id = w.workspace_id and c.id = w.contact_id)
  `.execute(db);
}

/** Locks the contacts after one until the transaction ends, in key order. */
export async function lockContactsAfter(db: Tx, after: ContactKey, limit: number): Promise<ContactKey[]> {
  const { rows } = await sql<ContactKey>`
    select workspace_id, id from contacts
    where (workspace_id, id) > (${after.workspace_id}::uuid, ${after.id}::uuid)
    order by workspace_id, id limit ${limit} for no key update
  `.execute(db);
  return rows;
}
