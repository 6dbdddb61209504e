/** Open calls and budget slices of processes with a journal, across workspaces. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';

/** A process that is alive shows it four times a minute. One that was stopped may still bring its journal later. */
const ABANDONED_AFTER_SECONDS = 3_600;

/** Returns those workspaces that are not deleted. */
export async function findWorkspaces(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from workspaces where id = any(${[...ids]}::uuid[]) and deleted_at is null
  `.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/** Finds the open calls of a journal by workspace. */
export async function findCallsOf(tx: Tx, journalId: string): Promise<[string, string[]][]> {
  const { rows } = await sql<{ workspace_id: string; ids: string[] }>`
    select workspace_id, array_agg(id order by id) as ids from model_open_calls where journal_id = ${journalId}
    group by 1 order by 1
  `.execute(tx);
  return rows.map(({ workspace_id: workspaceId, ids }) => [workspaceId, ids]);
}

/** Ends all slices of a journal, in the order in which budgets are locked. */
export async function giveBackAll(tx: Tx, journalId: string): Promise<void> {
  await sql`
    select from model_budgets b join model_budget_slices s on s.workspace_id = b.workspace_id and s.budget_id = b.id
    where s.journal_id = ${journalId} order by b.workspace_id, b.id for update of b
  `.execute(tx);
  await sql`
    with ended as (delete from model_budget_slices where journal_id = ${journalId} returning *)
    update model_budgets b set reserved = greatest(0, b.reserved - greatest(0, e.amount)) from ended e
    where b.workspace_id = e.workspace_id and b.id = e.budget_id and b.window_start = e.window_start
  `.execute(tx);
}

/** Shows that the process of a journal is alive. */
export async function touchJournal(db: Db, journalId: string): Promise<void> {
  await sql`update journals set updated_at = now() where journal_id = ${journalId}`.execute(db);
}

/** Finds journals that hold something and have not been heard of for an hour. */
export async function findAbandoned(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select j.journal_id as id from journals j
    where j.updated_at < now() - ${sql.lit(ABANDONED_AFTER_SECONDS)} * interval '1 second' and (
      exists (select from model_budget_slices s where s.journal_id = j.journal_id)
      or exists (select from model_open_calls c where c.journal_id = j.journal_id)
    ) order by 1 limit 100
  `.execute(db);
  return rows.map(({ id }) => id);
}
