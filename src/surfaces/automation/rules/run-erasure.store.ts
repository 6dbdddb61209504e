/** Erases personal data of a contact from rule runs. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { ErasedPerson } from '../../../core/events/erasure/person.ts';

/** Returns the last ID of the next page of runs; null at the end. */
export async function endOfPage(
  db: Db,
  workspaceId: string,
  after: string,
  size: number,
): Promise<string | null> {
  const { rows } = await sql<{ id: string | null }>`
    select max(id::text)::uuid as id from (
      select id from rule_runs where workspace_id = ${workspaceId} and id > ${after} order by id limit ${size}
    ) page
  `.execute(db);
  return rows[0]!.id;
}

/**
 * Clears inputs and outputs of steps: in runs for events about the contact, and in completed runs that name it.
 * Actions, times and results stay.
 */
export async function emptyRuns(
  db: Db,
  { workspaceId, erasureId, erasedAt }: ErasedPerson,
  range: { after: string; through: string },
  patterns: readonly string[],
): Promise<void> {
  await sql`
    update rule_runs r set
      steps = (
        select coalesce(jsonb_agg(step || jsonb_build_object('input', null, 'output', null, 'error',
          case when jsonb_typeof(step -> 'error') = 'object'
            then jsonb_build_object('code', step -> 'error' -> 'code', 'detail', '') end) order by nth), '[]')
        from jsonb_array_elements(r.steps) with ordinality s (step, nth)
      ),
      error_detail = case when error_detail is null then null else '' end
    where workspace_id = ${workspaceId} and id > ${range.after} and id <= ${range.through} and (
      exists (
        select from erased_events e
        where e.workspace_id = ${workspaceId} and e.erasure_id = ${erasureId} and e.event_id = r.event_id
      )
      or (finished_at is not null and created_at <= ${erasedAt} and steps::text like any(${patterns}::text[]))
    )
  `.execute(db);
}
