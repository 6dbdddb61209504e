/** Stores rules, their subscriptions and counters. */
import { likePattern } from '../../../platform/db/like-pattern.ts';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { RuleCounters, Rules } from '../../../platform/db/tables.ts';
import { idRange } from '../../../platform/db/uuid-time.ts';
import type { Page } from '../../../platform/http/pagination.ts';
import type { ActionObject } from './rule-action.schema.ts';

/** `actions` are as returned by the API; their secrets are in `secrets_sealed`. */
export type RuleRow = Omit<Selectable<Rules>, 'actions' | 'metadata'> & {
  actions: ActionObject[];
  metadata: Record<string, string>;
};

const COUNTED = [
  'matched',
  'skipped',
  'succeeded',
  'failed',
  'stopped',
  'last_run_at',
  'last_failed_at',
  'last_stopped_as',
  'last_stopped_at',
] as const;

export type RuleCounts = Pick<Selectable<RuleCounters>, (typeof COUNTED)[number]>;
/** Counters are null for a rule that no event has reached yet. */
export type CountedRule = RuleRow & { [K in keyof RuleCounts]: RuleCounts[K] | null };

export type NewRule = Omit<RuleRow, 'workspace_id' | 'version'>;
export type RuleChange = Partial<Omit<NewRule, 'id' | 'created_at' | 'created_by'>>;

export interface RuleFilter {
  search?: string;
  enabled?: boolean;
  /** Only rules with one of these patterns. */
  patterns?: string[];
  createdAfter?: string;
  createdBefore?: string;
}

const counted = (db: Db, workspaceId: string) =>
  db
    .selectFrom('rules')
    .leftJoin('rule_counters', (join) =>
      join
        .onRef('rule_counters.workspace_id', '=', 'rules.workspace_id')
        .onRef('rule_counters.rule_id', '=', 'rules.id'),
    )
    .selectAll('rules')
    .select(COUNTED)
    .where('rules.workspace_id', '=', workspaceId);

/** Lists rules, newest first, with one row more than the page. */
export async function listRules(
  db: Db,
  workspaceId: string,
  page: Page,
  { search, enabled, patterns, ...created }: RuleFilter,
): Promise<CountedRule[]> {
  const { from, below } = idRange(page.after, created);
  let query = counted(db, workspaceId)
    .orderBy('rules.id', 'desc')
    .limit(page.limit + 1);
  query = query.where('rules.id', '>=', from).where('rules.id', '<', below);
  if (search !== undefined) query = query.where('rules.name', 'ilike', likePattern(search));
  if (enabled !== undefined) query = query.where('rules.enabled', '=', enabled);
  if (patterns) query = query.where(sql<boolean>`rules.events && ${patterns}::text[]`);
  return (await query.execute()) as CountedRule[];
}

export const getRule = (db: Db, workspaceId: string, id: string): Promise<CountedRule | undefined> =>
  counted(db, workspaceId).where('rules.id', '=', id).executeTakeFirst() as Promise<CountedRule | undefined>;

/** Reads a rule without counters, for the engine. */
export const readRule = (db: Db, workspaceId: string, id: string): Promise<RuleRow | undefined> =>
  db
    .selectFrom('rules')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst() as Promise<RuleRow | undefined>;

/** Locks the row until the end of the transaction; counters stay unlocked. */
export const lockRule = (db: Tx, workspaceId: string, id: string): Promise<CountedRule | undefined> =>
  counted(db, workspaceId).where('rules.id', '=', id).forUpdate('rules').executeTakeFirst() as Promise<
    CountedRule | undefined
  >;

const asJson = ({ actions, metadata }: { actions?: ActionObject[]; metadata?: object }) => ({
  ...(actions ? { actions: JSON.stringify(actions) } : {}),
  ...(metadata ? { metadata: JSON.stringify(metadata) } : {}),
});

export async function insertRule(
  db: Db,
  workspaceId: string,
  { actions, metadata, ...rule }: NewRule,
): Promise<RuleRow> {
  return (await db
    .insertInto('rules')
    .values({
      ...rule,
      workspace_id: workspaceId,
      actions: JSON.stringify(actions),
      metadata: JSON.stringify(metadata),
    })
    .returningAll()
    .executeTakeFirstOrThrow()) as RuleRow;
}

export async function updateRule(
  db: Db,
  workspaceId: string,
  id: string,
  { actions, metadata, ...change }: RuleChange,
  now: Date,
): Promise<RuleRow> {
  return (await db
    .updateTable('rules')
    .set({ ...change, ...asJson({ actions, metadata }), updated_at: now, version: sql`version + 1` })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()) as RuleRow;
}

/** Deletes a rule with its counters and subscriptions. Its runs stay until they expire. */
export async function deleteRule(db: Db, workspaceId: string, id: string): Promise<void> {
  for (const table of ['rule_subscriptions', 'rule_counters'] as const)
    await db.deleteFrom(table).where('workspace_id', '=', workspaceId).where('rule_id', '=', id).execute();
  await db.deleteFrom('rules').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}

/**
 * Replaces the subscriptions.
 * @param patterns empty for a disabled rule
 */
export async function replaceSubscriptions(
  db: Db,
  workspaceId: string,
  ruleId: string,
  patterns: readonly string[],
): Promise<void> {
  await db
    .deleteFrom('rule_subscriptions')
    .where('workspace_id', '=', workspaceId)
    .where('rule_id', '=', ruleId)
    .execute();
  if (patterns.length)
    await db
      .insertInto('rule_subscriptions')
      .values(patterns.map((pattern) => ({ workspace_id: workspaceId, rule_id: ruleId, pattern })))
      .execute();
}

/** Counts rules for the quota. */
export async function countRules(db: Db, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('rules')
    .select(sql<number>`count(*)`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}
