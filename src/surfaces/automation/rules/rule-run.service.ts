/** Lists and replays runs of rules. */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { Scope } from '../../../core/vocabulary/scopes.ts';
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { maySeeType } from '../../../core/vocabulary/event-catalog.ts';
import { isErasedEvent } from '../../../core/events/erasure/redact.ts';
import { getEvent } from '../../../core/events/event.store.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { type List, toList, type Page } from '../../../platform/http/pagination.ts';
import { notFound, Problem } from '../../../platform/http/problem.ts';
import * as list from './rule-run-list.store.ts';
import { presentRun, type RunRow } from './rule-run-present.ts';
import type { RuleRunObject } from './rule-run.schema.ts';
import { assertMayRule } from './rule-scopes.ts';
import { queueReplay } from './rule-waiting.store.ts';
import { getRule, lockRule } from './rule.service.ts';

/** Hides inputs and outputs from callers who may not read the event. */
const showTo =
  (scopes: ReadonlySet<Scope>) =>
  (row: RunRow): RuleRunObject =>
    presentRun(row, !maySeeType(scopes, row.event_type));

/** Lists runs of one rule or all rules. */
export async function listRuns(
  unit: ReadUnit,
  { workspaceId, scopes }: Pick<WorkspaceActor, 'workspaceId' | 'scopes'>,
  page: Page,
  filter: list.RunFilter,
): Promise<List<RuleRunObject>> {
  const { rows, windowEnd } = await list.listRuns(unit.db, workspaceId, page, filter);
  return toList(rows, page, ({ id }) => id, showTo(scopes), windowEnd);
}

/**
 * Lists runs of an existing rule.
 * @throws Problem not_found
 */
export async function listRunsOfRule(
  unit: ReadUnit,
  actor: WorkspaceActor,
  ruleId: string,
  page: Page,
  filter: Omit<list.RunFilter, 'ruleId'>,
): Promise<List<RuleRunObject>> {
  await getRule(unit, actor.workspaceId, ruleId);
  return listRuns(unit, actor, page, { ...filter, ruleId });
}

async function requireRun(unit: ReadUnit, workspaceId: string, id: string): Promise<RunRow> {
  const row = await list.getRun(unit.db, workspaceId, id);
  if (!row) throw notFound('run of a rule');
  return row;
}

/** @throws Problem not_found */
export const getRun = async (unit: ReadUnit, actor: WorkspaceActor, id: string): Promise<RuleRunObject> =>
  showTo(actor.scopes)(await requireRun(unit, actor.workspaceId, id));

export interface Replay {
  object: 'rule_run_replay';
  run_id: string;
  replay_of: string;
  rule_id: string;
  event_id: string;
}

/**
 * Queues the event of a run again, for the current version of the rule.
 * @param wake wakes the engine of this process after the commit
 * @throws Problem not_found (also for a deleted rule), conflict, insufficient_scope, event_expired
 */
export async function replayRun(
  unit: Unit,
  actor: WorkspaceActor,
  id: string,
  wake: () => void,
): Promise<Replay> {
  const { workspaceId } = actor;
  const run = await requireRun(unit, workspaceId, id);
  const rule = await lockRule(unit, workspaceId, run.rule_id);
  if (!rule.enabled)
    throw new Problem(
      'conflict',
      'The rule is disabled. Enable it first: PATCH /rules/{id} with `enabled: true`.',
    );
  assertMayRule(actor, { events: [run.event_type], actions: rule.actions });
  const event = await getEvent(unit.db, workspaceId, run.event_id);
  if (!event || isErasedEvent(event))
    throw new Problem('event_expired', 'The event of this run is no longer stored.');
  const runId = await queueReplay(unit.db, workspaceId, run, unit.newUuid());
  unit.afterCommit(wake);
  return {
    object: 'rule_run_replay',
    run_id: publicId('rule_run', runId),
    replay_of: publicId('rule_run', run.id),
    rule_id: publicId('rule', run.rule_id),
    event_id: publicId('event', run.event_id),
  };
}
