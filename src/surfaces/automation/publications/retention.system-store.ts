/** Deletes expired publications across all workspaces. */
import { sql } from 'kysely';
import type { Database, Db } from '../../../platform/db/database.ts';

/** Cursor in order of creation. */
export interface RetentionCursor {
  id: string;
  /** As text: a Date would lose microseconds. */
  created_at: string;
}

/**
 * Deletes completed publications.
 * @returns the number deleted, up to `limit`
 */
export async function deletePublications(db: Database, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    with over as (
      delete from publications where ctid = any (array(
        select ctid from publications where finished_at < ${before} order by finished_at limit ${limit}
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

/**
 * Records updates for publications that have been unfinished since `before`, oldest first.
 * @param after cursor of the previous batch
 * @returns the next cursor; null at the end. Publications that only wait for a scheduled time are skipped.
 */
export async function recheck(
  db: Database,
  before: Date,
  after: RetentionCursor | null,
  limit: number,
): Promise<RetentionCursor | null> {
  const { rows } = await sql<RetentionCursor & { scanned: number }>`
    with open as materialized (
      select workspace_id, id, status, created_at from publications
      where finished_at is null and created_at < ${before}
        ${after ? sql`and (created_at, id) > (${after.created_at}::timestamptz, ${after.id}::uuid)` : sql``}
      order by created_at, id limit ${limit}
    ), told as (
      insert into publication_news (workspace_id, publication_id)
      select workspace_id, id from open where status = 'publishing'
    )
    select id, created_at::text, (select count(*)::int from open) as scanned
    from open order by open.created_at desc, id desc limit 1
  `.execute(db);
  const [last] = rows;
  return last?.scanned === limit ? { id: last.id, created_at: last.created_at } : null;
}

/** Removes the queue rows of a deleted workspace. */
export async function removeQueuedOfWorkspace(db: Db, workspaceId: string): Promise<void> {
  await sql`delete from publication_queue where workspace_id = ${workspaceId}`.execute(db);
}
