/** Loads rules, events and recorded steps of claimed runs, across all workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { Claimed } from './rule-queue.system-store.ts';
import type { RunRow } from './rule-run-present.ts';
import type { RuleRow } from './rule.store.ts';
import { readRun, runColumns, type SelectedRun } from './run.store.ts';

const getWorkspaces = (claimed: readonly Claimed[]) => claimed.map((one) => one.workspace_id);

/** Returns rules by ID, without deleted and disabled ones. */
export async function loadRules(db: Db, claimed: readonly Claimed[]): Promise<Map<string, RuleRow>> {
  const { rows } = await sql<RuleRow>`
    select r.* from (
      select distinct * from unnest(${getWorkspaces(claimed)}::uuid[], ${claimed.map((one) => one.rule_id)}::uuid[])
        as w (workspace_id, id)
    ) w
    join rules r on r.workspace_id = w.workspace_id and r.id = w.id
    where r.enabled
  `.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns started runs by ID. */
export async function loadRuns(db: Db, claimed: readonly Claimed[]): Promise<Map<string, RunRow>> {
  const begun = claimed.filter(({ started }) => started);
  if (!begun.length) return new Map();
  const ids = begun.map(({ id }) => id);
  const { rows } = await sql<SelectedRun>`
    select ${runColumns('r')} from unnest(${getWorkspaces(begun)}::uuid[], ${ids}::uuid[]) w (workspace_id, id)
    join rule_runs r on r.workspace_id = w.workspace_id and r.id = w.id
    where r.id = any (${ids}::uuid[])
  `.execute(db);
  return new Map(rows.map((row) => [row.id, readRun(row)]));
}
