/** Prepares a rule test: a saved rule, a draft, or a draft over a saved rule, validated as on save. */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { notFound } from '../../../platform/http/problem.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { assertRecipients, assertRuleCanBe, type RuleCheckDeps } from './rule-checks.ts';
import { type RuleDefinition, readRuleChanges } from './rule-input.ts';
import { assertMayRule } from './rule-scopes.ts';
import { type RuleTestDeps, type TestedRule, testRule } from './rule-test.service.ts';
import type { RuleTestObject, TestRuleBody } from './rule-test.schema.ts';
import * as store from './rule.store.ts';

const NOT_MADE_YET = { name: 'New rule', events: [], filter: null, actions: [] };

/**
 * Prepares the test.
 * @param id ID of a saved rule; null for a draft, whose body has events and actions
 * @throws Problem not_found, invalid_request, insufficient_scope, unprocessable, address_not_allowed
 */
export async function prepareRuleTest(
  unit: ReadUnit,
  deps: RuleCheckDeps,
  actor: WorkspaceActor,
  id: string | null,
  body: TestRuleBody,
): Promise<TestedRule> {
  const { workspaceId } = actor;
  const saved = id === null ? NOT_MADE_YET : await store.readRule(unit.db, workspaceId, id);
  if (!saved) throw notFound('rule');
  const { events, filter, actions } = readRuleChanges(body);
  const definition: RuleDefinition = {
    events: events ?? saved.events,
    filter: filter === undefined ? saved.filter : filter,
    actions: actions ?? saved.actions,
  };
  assertMayRule(actor, definition);
  await assertRuleCanBe(deps, workspaceId, definition);
  await assertRecipients(unit, deps, workspaceId, definition.actions);
  return { id: id && publicId('rule', id), name: saved.name, definition };
}

/** @throws Problem invalid_request, insufficient_scope, not_found */
export const runRuleTest = (
  deps: RuleTestDeps,
  actor: WorkspaceActor,
  tested: TestedRule,
  { event_id, event_type, custom_event }: TestRuleBody,
): Promise<RuleTestObject> => testRule(deps, actor, tested, { event_id, event_type, custom_event });
