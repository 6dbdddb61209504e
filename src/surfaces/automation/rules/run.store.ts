/** Stores runs, the counters of their rules, and the resources that they caused. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { CausationChain } from '../../../core/unit/event-writer.ts';
import { parseOwnLossless } from '../../../platform/json/own-json.ts';
import { storableJson } from '../../../core/unit/event-payload.ts';
import type { RunRow } from './rule-run-present.ts';

const COLUMNS = (
  'workspace_id id rule_id event_id event_type event_sequence status error_code error_detail definition chain ' +
  'replay_of finished_at created_at updated_at'
).split(' ');

/** All columns; steps as text for `readRun`, because they hold JSON of others. @param table its alias */
export const runColumns = (table: string): RawBuilder<unknown> =>
  sql.raw([...COLUMNS, 'steps::text as steps'].map((column) => `${table}.${column}`).join(', '));

/** A run as selected by `runColumns`. */
export type SelectedRun = Omit<RunRow, 'steps'> & { steps: string };

export const readRun = (row: SelectedRun): RunRow => ({
  ...row,
  steps: parseOwnLossless(row.steps) as RunRow['steps'],
});

/** The state of a rule that decides about runs, locked against updates until the end of the transaction. */
export interface RuleNow {
  enabled: boolean;
  rate_limit_per_minute: number;
  rate_limit_burst: number;
}

export async function lockRule(db: Db, workspaceId: string, ruleId: string): Promise<RuleNow | undefined> {
  const { rows } = await sql<RuleNow>`
    select enabled, rate_limit_per_minute, rate_limit_burst from rules
    where workspace_id = ${workspaceId} and id = ${ruleId} for key share
  `.execute(db);
  return rows[0];
}

export interface Allowance {
  /** Runs that the rate limit currently allows. */
  tokens: number;
  /** Stops that may still be reported in this minute. */
  reportable: number;
}

/** Locks the counters of a rule. */
export async function lockCounters(
  db: Db,
  workspaceId: string,
  ruleId: string,
  rule: RuleNow,
  maxReported: number,
): Promise<Allowance> {
  await sql`
    insert into rule_counters (workspace_id, rule_id) values (${workspaceId}, ${ruleId}) on conflict do nothing
  `.execute(db);
  const { rows } = await sql<Allowance>`
    update rule_counters set
      tokens = least(
        ${rule.rate_limit_burst}::float8,
        tokens + ${rule.rate_limit_per_minute}::float8 / 60 * greatest(0, extract(epoch from clock_timestamp() - tokens_at))
      ),
      tokens_at = clock_timestamp(),
      stops_told = case when stops_told_since < clock_timestamp() - interval '1 minute' then 0 else stops_told end,
      stops_told_since = case
        when stops_told_since < clock_timestamp() - interval '1 minute' then clock_timestamp() else stops_told_since
      end
    where workspace_id = ${workspaceId} and rule_id = ${ruleId}
    returning tokens, ${maxReported}::int - stops_told as reportable
  `.execute(db);
  return rows[0]!;
}

export interface Counted {
  matched?: number;
  skipped?: number;
  succeeded?: number;
  failed?: number;
  stopped?: number;
  /** Tokens used. */
  tokensUsed?: number;
  /** Stops reported. */
  reported?: number;
  stoppedAs?: string | null;
}

/** Builds the statement that adds to the counters; no effect if the rule is gone. */
export function counting(workspaceId: string, ruleId: string, counted: Counted): RawBuilder<unknown> {
  const {
    matched = 0,
    skipped = 0,
    succeeded = 0,
    failed = 0,
    stopped = 0,
    tokensUsed = 0,
    reported = 0,
    stoppedAs = null,
  } = counted;
  return sql`
    update rule_counters set
      matched = matched + ${matched}::int, skipped = skipped + ${skipped}::int,
      succeeded = succeeded + ${succeeded}::int, failed = failed + ${failed}::int, stopped = stopped + ${stopped}::int,
      tokens = greatest(0, tokens - ${tokensUsed}::int), stops_told = stops_told + ${reported}::int,
      last_run_at = case when ${matched}::int > 0 then now() else last_run_at end,
      last_failed_at = case when ${failed}::int > 0 then now() else last_failed_at end,
      last_stopped_as = coalesce(${stoppedAs}::text, last_stopped_as),
      last_stopped_at = case when ${stoppedAs}::text is not null then now() else last_stopped_at end
    where workspace_id = ${workspaceId} and rule_id = ${ruleId}
  `;
}

export async function insertRuns(db: Db, workspaceId: string, runs: readonly RunRow[]): Promise<void> {
  if (!runs.length) return;
  await db
    .insertInto('rule_runs')
    .values(
      runs.map(({ definition, steps, chain, ...run }) => ({
        ...run,
        workspace_id: workspaceId,
        definition: storableJson(definition),
        steps: storableJson(steps),
        chain: chain === null ? null : JSON.stringify(chain),
      })),
    )
    .execute();
}

/** Builds the statement that saves a run. */
export const saving = (workspaceId: string, run: RunRow): RawBuilder<unknown> => sql`
  update rule_runs set status = ${run.status}, steps = ${storableJson(run.steps)}::jsonb,
    error_code = ${run.error_code}, error_detail = ${run.error_detail},
    finished_at = ${run.finished_at}::timestamptz, updated_at = ${run.updated_at}::timestamptz
  where workspace_id = ${workspaceId} and id = ${run.id}
`;

/**
 * Builds the statement that registers a resource: its later events count as caused by these rules.
 * @param resourceId public ID
 */
export const causing = (
  workspaceId: string,
  resourceId: string,
  chain: CausationChain,
): RawBuilder<unknown> => sql`
  insert into caused_resources (workspace_id, resource_id, chain)
  values (${workspaceId}, ${resourceId}, ${JSON.stringify(chain)}::jsonb)
  on conflict (workspace_id, resource_id) do nothing
`;
