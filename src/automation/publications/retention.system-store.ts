/** Removing what is over, of all workspaces. */
import { sql } from 'kysely';
import type { Database, Queryable } from '../../db/database.ts';

/** @returns how many; at most `most` */
export async function deletePublications(db: Database, before: Date, most: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    with over as (
      delete from publications where ctid = any (array(
        select ctid from publications where finished_at < ${before} order by finished_at limit ${most}
        for update skip locked
      ))
      returning workspace_id, id
    ), inputs as (
      delete from publication_inputs i using over
      where i.workspace_id = over.workspace_id and i.publication_id = over.id
    ), results as (
      delete from publication_results r using over
      where r.workspace_id = over.workspace_id and r.publication_id = over.id
    )
    select count(*)::int as n from over
  `.execute(db);
  return rows[0]!.n;
}

/** Leaves word of publications that are under way since `before`. */
export async function askAgain(db: Database, before: Date, most: number): Promise<void> {
  await sql`
    insert into publication_news (workspace_id, publication_id)
    select workspace_id, id from (
      select workspace_id, id, status from publications
      where finished_at is null and created_at < ${before} order by created_at limit ${most}
    ) open
    where status = 'publishing'
  `.execute(db);
}

/** Of a workspace that is deleted, nothing is published any more. */
export async function removeWaitingOf(db: Queryable, workspaceId: string): Promise<void> {
  await sql`delete from publication_queue where workspace_id = ${workspaceId}`.execute(db);
}
