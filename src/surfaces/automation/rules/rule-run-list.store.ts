/**
 * Lists runs. Lists follow an index: all runs of a workspace, of a rule, or failed and stopped runs of a rule. Other
 * filters scan a window of WINDOW rows; if the window is exhausted, the next page continues after it.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { idRange } from '../../../platform/db/uuid-time.ts';
import type { Page } from '../../../platform/http/pagination.ts';
import type { RunRow } from './rule-run-present.ts';
import type { RunStatus } from './rule-run-state.ts';
import { readRun, runColumns, type SelectedRun } from './run.store.ts';

const WINDOW = 20_000;
const INDEXED: readonly string[] = ['failed', 'stopped'];

export interface RunFilter {
  /** Uuid. */
  ruleId?: string;
  status?: RunStatus;
  eventType?: string;
  createdAfter?: string;
  createdBefore?: string;
}

export interface FoundRuns {
  rows: RunRow[];
  /** Where the next page starts if the scan window was exhausted. */
  windowEnd: string | null;
}

/** Lists runs, newest first, with one row more than the page. */
export async function listRuns(
  db: Db,
  workspaceId: string,
  page: Page,
  { ruleId, status, eventType, ...created }: RunFilter,
): Promise<FoundRuns> {
  const { from, below } = idRange(page.after, created);
  const ofRule = ruleId ? sql`and rule_id = ${ruleId}` : sql``;
  const byIndex = ruleId && status && INDEXED.includes(status) ? sql`and status = ${status}` : sql``;
  const isWindow = eventType !== undefined || (status !== undefined && !(ruleId && INDEXED.includes(status)));
  const limit = isWindow ? WINDOW : page.limit + 1;
  const scanned = (columns: RawBuilder<unknown>) => sql`
    select ${columns} from rule_runs
    where workspace_id = ${workspaceId} ${ofRule} ${byIndex} and id >= ${from} and id < ${below}
    order by id desc limit ${limit}`;
  const { rows: selected } = await sql<SelectedRun>`
    select ${runColumns('r')} from (${scanned(sql`*`)}) r
    where true ${status ? sql`and status = ${status}` : sql``}
      ${eventType ? sql`and event_type = ${eventType}` : sql``}
    order by id desc limit ${page.limit + 1}
  `.execute(db);
  const rows = selected.map(readRun);
  if (!isWindow || rows.length > page.limit) return { rows, windowEnd: null };
  const end = await sql<{ id: string }>`
    select id from (${scanned(sql`id`)}) r order by id desc offset ${WINDOW - 1}`.execute(db);
  return { rows, windowEnd: end.rows[0]?.id ?? null };
}

export async function getRun(db: Db, workspaceId: string, id: string): Promise<RunRow | undefined> {
  const { rows } = await sql<SelectedRun>`
    select ${runColumns('r')} from rule_runs r where r.workspace_id = ${workspaceId} and r.id = ${id}
  `.execute(db);
  return rows[0] && readRun(rows[0]);
}
