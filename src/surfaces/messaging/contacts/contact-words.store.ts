/** The words of contacts' names, usernames among them. Every statement that changes one is followed by `updateWords` in its transaction. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** Stores the current words of the names of contacts. Their rows are locked, or new. */
export async function updateWords(db: Db, workspaceId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    with named as (
      select c.id, word
      from contacts c
      cross join lateral split_name(concat_ws(' ', c.name, c.profile_name, c.username)) word
      where c.workspace_id = ${workspaceId} and c.id = any(${ids}::uuid[])
    ), removed as (
      delete from contact_words w
      where w.workspace_id = ${workspaceId} and w.contact_id = any(${ids}::uuid[])
        and not exists (select from named n where n.id = w.contact_id and n.word = w.word)
    )
    insert into contact_words (workspace_id, word, contact_id)
    select ${workspaceId}, word, id from named
    on conflict do nothing
  `.execute(db);
}

/** Splits a search text as names are split. */
export async function splitSearch(db: Db, text: string): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`select word from split_name(${text}) word`.execute(db);
  return rows.map(({ word }) => word);
}
