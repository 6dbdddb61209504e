/**
 * Creates, updates and deletes rules; the engine runs them. Subscriptions follow the rule: an enabled rule has its
 * event patterns, a disabled one none. Lock order: the rule row before everything else of the rule.
 */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import {
  type EventType,
  isEventType,
  getPatterns,
  typesMatching,
} from '../../../core/vocabulary/event-catalog.ts';
import { changedFields } from '../../../core/unit/event-writer.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../../platform/http/etag.ts';
import { type List, toList, type Page } from '../../../platform/http/pagination.ts';
import { invalid, notFound } from '../../../platform/http/problem.ts';
import { withoutInspectToken } from '../../../core/webhooks/inspector-url.ts';
import { toUnknownEventError } from '../../../core/webhooks/webhook-input.ts';
import type { ActionObject } from './rule-action.schema.ts';
import { assertRecipients, assertRuleCanBe, type RuleCheckDeps } from './rule-checks.ts';
import { type NewRuleInput, readNewRule, readRuleChanges, type RuleInput } from './rule-input.ts';
import { presentRule, presentRuleForEvent } from './rule-present.ts';
import { assertMayRule } from './rule-scopes.ts';
import { mergeSecrets } from './rule-secret-merge.ts';
import { openRuleSecrets, sealRuleSecrets } from './actions/rule-secrets.ts';
import { cancelWaiting } from './rule-waiting.store.ts';
import type { CreateRuleBody, RuleObject, UpdateRuleBody } from './rule.schema.ts';
import * as store from './rule.store.ts';
import type { Quotas } from '../../../core/workspaces/quota.ts';

export interface RuleServiceDeps extends RuleCheckDeps {
  secrets: SecretBox;
  baseUrl: string;
  quotas: Quotas;
}

const withVersion = (row: store.CountedRule): WithVersion<{ rule: RuleObject }> => ({
  rule: presentRule(row),
  version: row.version,
});

const writeEvent = (
  unit: Unit,
  type: Extract<EventType, 'rule.created' | 'rule.updated' | 'rule.deleted'>,
  row: store.RuleRow,
  previous?: object,
): Promise<void> => {
  const object = presentRuleForEvent(row);
  return unit.events.write(unit, {
    workspaceId: row.workspace_id,
    type,
    resourceId: object.id,
    object,
    previous,
  });
};

/**
 * Returns the patterns that match a filter.
 * @param patternOrType in the format of rules
 * @throws Problem invalid_request
 */
function patternsFor(patternOrType: string | undefined): string[] | undefined {
  if (patternOrType === undefined) return undefined;
  if (isEventType(patternOrType)) return getPatterns(patternOrType);
  if (!typesMatching(patternOrType)) throw invalid([toUnknownEventError(patternOrType, '?event_type')]);
  return [patternOrType];
}

/** @throws Problem invalid_request */
export async function listRules(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  { eventType, ...filter }: Omit<store.RuleFilter, 'patterns'> & { eventType: string | undefined },
): Promise<List<RuleObject>> {
  const patterns = patternsFor(eventType);
  const rows = await store.listRules(unit.db, workspaceId, page, { ...filter, patterns });
  return toList(rows, page, ({ id }) => id, presentRule);
}

/** @throws Problem not_found */
export async function getRule(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ rule: RuleObject }>> {
  const row = await store.getRule(unit.db, workspaceId, id);
  if (!row) throw notFound('rule');
  return withVersion(row);
}

/** @throws Problem not_found */
export async function lockRule(unit: Unit, workspaceId: string, id: string): Promise<store.CountedRule> {
  const row = await store.lockRule(unit.db, workspaceId, id);
  if (!row) throw notFound('rule');
  return row;
}

const subscribe = (
  unit: Unit,
  { workspace_id: workspaceId, id, enabled, events }: store.RuleRow,
): Promise<void> => store.replaceSubscriptions(unit.db, workspaceId, id, enabled ? events : []);

/**
 * Validates a new rule, including slow checks; must run before the transaction.
 * @throws Problem invalid_request, insufficient_scope, unprocessable, address_not_allowed
 */
export async function prepareNewRule(
  deps: RuleCheckDeps,
  actor: WorkspaceActor,
  body: CreateRuleBody,
): Promise<void> {
  const { definition } = readNewRule(body);
  assertMayRule(actor, definition);
  await assertRuleCanBe(deps, actor.workspaceId, definition);
}

/** Modifies the actions in place. */
async function hideInspectTokens(
  unit: Unit,
  { baseUrl }: RuleServiceDeps,
  workspaceId: string,
  actions: readonly ActionObject[],
): Promise<void> {
  for (const action of actions)
    if (action.type === 'call_webhook')
      action.url = await withoutInspectToken(unit.db, baseUrl, workspaceId, action.url);
}

async function insert(
  unit: Unit,
  secrets: SecretBox,
  actor: WorkspaceActor,
  body: CreateRuleBody,
  { definition, given, rateLimit }: NewRuleInput,
): Promise<store.RuleRow> {
  const { workspaceId } = actor;
  const id = unit.newUuid();
  // Lists filter times by ID.
  const now = timeOfUuid(id);
  const merged = mergeSecrets(definition.actions, given, { actions: [], secrets: {} });
  return store.insertRule(unit.db, workspaceId, {
    id,
    name: body.name.trim(),
    description: body.description ?? null,
    enabled: body.enabled ?? true,
    events: definition.events,
    filter: definition.filter,
    actions: merged.actions,
    secrets_sealed: sealRuleSecrets(secrets, { workspace_id: workspaceId, id }, merged.secrets),
    rate_limit_per_minute: rateLimit.limit,
    rate_limit_burst: rateLimit.burst,
    metadata: body.metadata ?? {},
    created_by: actor.id,
    created_at: now,
    updated_at: now,
  });
}

/**
 * Creates a rule from a prepared body.
 * @throws Problem invalid_request, insufficient_scope, quota_exceeded, unprocessable
 */
export async function createRule(
  unit: Unit,
  deps: RuleServiceDeps,
  actor: WorkspaceActor,
  body: CreateRuleBody,
): Promise<WithVersion<{ rule: RuleObject }>> {
  const input = readNewRule(body);
  assertMayRule(actor, input.definition);
  await deps.quotas.assert(unit, actor.workspaceId, 'rules');
  await assertRecipients(unit, deps, actor.workspaceId, input.definition.actions);
  await hideInspectTokens(unit, deps, actor.workspaceId, input.definition.actions);
  const row = await insert(unit, deps.secrets, actor, body, input);
  await subscribe(unit, row);
  await writeEvent(unit, 'rule.created', row);
  return { rule: presentRuleForEvent(row), version: row.version };
}

/** @throws Problem invalid_request, unprocessable, address_not_allowed */
export async function prepareRuleChange(
  deps: RuleCheckDeps,
  actor: WorkspaceActor,
  body: UpdateRuleBody,
): Promise<void> {
  const { filter, actions } = readRuleChanges(body);
  // Omitted fields were validated when they were set.
  await assertRuleCanBe(deps, actor.workspaceId, { filter: filter ?? null, actions: actions ?? [] });
}

function actionsChange(secrets: SecretBox, row: store.RuleRow, input: RuleInput): store.RuleChange {
  if (!input.actions) return {};
  const before = { actions: row.actions, secrets: openRuleSecrets(secrets, row) };
  const merged = mergeSecrets(input.actions, input.given, before);
  return { actions: merged.actions, secrets_sealed: sealRuleSecrets(secrets, row, merged.secrets) };
}

const getSettings = (body: UpdateRuleBody, { events, filter, rateLimit }: RuleInput): store.RuleChange => ({
  ...(body.name === undefined ? {} : { name: body.name.trim() }),
  ...(body.description === undefined ? {} : { description: body.description }),
  ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
  ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
  ...(events ? { events } : {}),
  ...(filter === undefined ? {} : { filter }),
  ...(rateLimit ? { rate_limit_per_minute: rateLimit.limit, rate_limit_burst: rateLimit.burst } : {}),
});

/**
 * Updates a rule from a prepared body; omitted fields keep their values.
 * @throws Problem invalid_request, not_found, precondition_failed, insufficient_scope, unprocessable
 */
export async function updateRule(
  unit: Unit,
  deps: RuleServiceDeps,
  actor: WorkspaceActor,
  id: string,
  body: UpdateRuleBody,
  ifMatch: IfMatch,
): Promise<WithVersion<{ rule: RuleObject }>> {
  const { workspaceId } = actor;
  const input = readRuleChanges(body);
  const row = await lockRule(unit, workspaceId, id);
  assertMatches(ifMatch, row, 'rule');
  // Disabling needs no scope beyond updating rules.
  const onlyDisables = body.enabled === false && Object.keys(body).length === 1;
  if (!onlyDisables)
    assertMayRule(actor, { events: input.events ?? row.events, actions: input.actions ?? row.actions });
  if (input.actions) {
    await assertRecipients(unit, deps, workspaceId, input.actions);
    await hideInspectTokens(unit, deps, workspaceId, input.actions);
  }
  const change = { ...getSettings(body, input), ...actionsChange(deps.secrets, row, input) };
  return withVersion({ ...row, ...(await changeRule(unit, row, change)) });
}

/**
 * Writes a change.
 * @param row locked
 * @returns the updated row
 */
async function changeRule(unit: Unit, row: store.RuleRow, change: store.RuleChange): Promise<store.RuleRow> {
  const { workspace_id: workspaceId, id } = row;
  const after = await store.updateRule(unit.db, workspaceId, id, change, unit.clock());
  await subscribe(unit, after);
  if (row.enabled && !after.enabled) await cancelWaiting(unit.db, workspaceId, id);
  const previous = changedFields(presentRuleForEvent(row), presentRuleForEvent(after));
  await writeEvent(unit, 'rule.updated', after, previous);
  return after;
}

/** Disables a rule; no effect if it is already disabled or deleted. */
export async function disableRule(unit: Unit, workspaceId: string, id: string): Promise<void> {
  const row = await store.lockRule(unit.db, workspaceId, id);
  if (row?.enabled) await changeRule(unit, row, { enabled: false });
}

/**
 * Deletes a rule and cancels its pending work; past runs stay until they expire.
 * @throws Problem not_found, precondition_failed
 */
export async function deleteRule(
  unit: Unit,
  workspaceId: string,
  id: string,
  ifMatch: IfMatch,
): Promise<{ name: string }> {
  const row = await lockRule(unit, workspaceId, id);
  assertMatches(ifMatch, row, 'rule');
  await cancelWaiting(unit.db, workspaceId, id);
  await store.deleteRule(unit.db, workspaceId, id);
  await writeEvent(unit, 'rule.deleted', row);
  return { name: row.name };
}
