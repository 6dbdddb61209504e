/** Operations on rules. */
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { exampleId, IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { prepareRuleTest, runRuleTest } from './rule-test-request.ts';
import type { RuleTestDeps } from './rule-test.service.ts';
import { RuleTest, TestRule, TestRuleDefinition } from './rule-test.schema.ts';
import { CreateRule, Rule, RuleList, UpdateRule } from './rule.schema.ts';
import * as service from './rule.service.ts';
import { onlyDisables } from '../../../core/api/storage-guard.ts';

const TAG = 'Rules';
const REFUSALS = [
  'model_not_allowed',
  'unprocessable',
  'address_not_allowed',
  'unsupported_by_channel',
  'invalid_address',
] as const;

export type RuleDeps = service.RuleServiceDeps & RuleTestDeps;

const answerHours = {
  events: ['message.received'],
  filter: 'event.data.object.text.body | contains_ignore_case: "hours"',
  actions: [
    {
      type: 'send_message' as const,
      instance_id: exampleId('instance'),
      to: '{{ event.data.object.from }}',
      template: 'We are open from nine to five.',
    },
  ],
};

export const ruleOperations = (deps: RuleDeps): Operation[] => [
  operation(
    {
      id: 'rules.create',
      method: 'POST',
      path: '/rules',
      tag: TAG,
      summary: 'Create a rule',
      description:
        'When an event matches, the actions run in order. All texts are Liquid templates with `event`, `steps` (outputs of earlier actions) and `rule`. Requires the scopes of all event types and actions of the rule: `messages:write`, `links:create` or `links:write`, `webhooks:write`, `models:invoke`.',
      access: 'rules:write',
      body: CreateRule,
      bodyExample: { name: 'Answer opening hours', ...answerHours },
      success: { status: 201, description: 'The rule.', schema: Rule },
      errors: ['quota_exceeded', ...REFUSALS],
      events: ['rule.created'],
      audit: 'rule',
    },
    ({ actor, body }) => service.prepareNewRule(deps, actor, body),
    async ({ actor, body, unit }) => {
      const { rule, version } = await service.createRule(unit, deps, actor, body);
      const actions = rule.actions.map(({ type }) => type);
      const auditDetails = { name: rule.name, events: rule.events, actions };
      return { body: rule, version, created: true, auditDetails };
    },
  ),
  operation(
    {
      id: 'rules.list',
      method: 'GET',
      path: '/rules',
      tag: TAG,
      summary: 'List rules',
      access: 'rules:read',
      query: RuleList,
      success: { status: 200, description: 'A page of rules, newest first.', schema: toListSchema(Rule) },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listRules(unit, actor.workspaceId, getPage(query), {
        enabled: query.enabled,
        eventType: query.event_type,
        search: query.search,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
  operation(
    {
      id: 'rules.test_definition',
      method: 'POST',
      path: '/rules/test',
      whenFull: 'goes_on',
      tag: TAG,
      summary: 'Test a rule before creating it',
      description:
        'Shows what each action would do with an event from the log or the sample of an event type. No action is executed: no message is sent, no URL is called, and no model is invoked. Later actions see sample outputs of earlier ones. Requires the same scopes as creating the rule.',
      access: 'rules:write',
      body: TestRuleDefinition,
      bodyExample: { ...answerHours, event_type: 'message.received' },
      success: { status: 200, description: 'The result of the test.', schema: RuleTest },
      errors: ['not_found', ...REFUSALS],
      idempotency: 'refused',
      transaction: 'none',
    },
    async ({ actor, body, unit }) => {
      const tested = await prepareRuleTest(unit, deps, actor, null, body);
      return { body: await runRuleTest(deps, actor, tested, body) };
    },
  ),
  operation(
    {
      id: 'rules.get',
      method: 'GET',
      path: '/rules/{id}',
      tag: TAG,
      summary: 'Get a rule',
      access: 'rules:read',
      params: IdParams('rule'),
      success: { status: 200, description: 'The rule.', schema: Rule },
    },
    async ({ actor, params, unit }) => {
      const { rule, version } = await service.getRule(
        unit,
        actor.workspaceId,
        requireUuid('rule', params.id),
      );
      return { body: rule, version };
    },
  ),
  operation(
    {
      id: 'rules.update',
      method: 'PATCH',
      path: '/rules/{id}',
      whenFull: onlyDisables,
      tag: TAG,
      summary: 'Update a rule',
      description:
        'Omitted fields keep their values; `events` and `actions` are replaced as a whole. A `call_webhook` action that keeps its name also keeps `headers` and `secret` if they are omitted, and null as the value of a header keeps that value. You must give all of them again when the origin of its url changes. `enabled: false` cancels pending runs. Requires the scopes of all event types and actions of the updated rule; to disable it, `rules:write` is enough.',
      access: 'rules:write',
      params: IdParams('rule'),
      body: UpdateRule,
      bodyExample: { filter: 'event.data.object.text.body contains "open"', rate_limit: 120 },
      success: { status: 200, description: 'The updated rule.', schema: Rule },
      errors: [...REFUSALS],
      events: ['rule.updated'],
      audit: 'rule',
    },
    ({ actor, body }) => service.prepareRuleChange(deps, actor, body),
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('rule', params.id);
      const { rule, version } = await service.updateRule(unit, deps, actor, id, body, ifMatch);
      return { body: rule, version, auditDetails: { changed: Object.keys(body) } };
    },
  ),
  operation(
    {
      id: 'rules.delete',
      method: 'DELETE',
      path: '/rules/{id}',
      tag: TAG,
      summary: 'Delete a rule',
      description:
        'The rule starts no further runs, and pending runs are canceled. A run in progress ends before its next action. Its past runs remain until they expire.',
      access: 'rules:write',
      params: IdParams('rule'),
      success: { status: 204, description: 'Deleted.' },
      events: ['rule.deleted'],
      audit: 'rule',
    },
    async ({ actor, params, unit, ifMatch }) => {
      const id = requireUuid('rule', params.id);
      const { name } = await service.deleteRule(unit, actor.workspaceId, id, ifMatch);
      return { body: undefined, auditDetails: { name } };
    },
  ),
  operation(
    {
      id: 'rules.test',
      method: 'POST',
      path: '/rules/{id}/test',
      whenFull: 'goes_on',
      tag: TAG,
      summary: 'Test a rule',
      description:
        'Shows what each action would do with an event from the log or the sample of an event type. `events`, `filter` and `actions` override those of the saved rule. No action is executed: no message is sent, no URL is called, and no model is invoked. Later actions see sample outputs of earlier ones. Requires the same scopes as saving the rule.',
      access: 'rules:write',
      alsoNeeds: ['rules:read'],
      params: IdParams('rule'),
      body: TestRule,
      bodyExample: { event_type: 'message.received' },
      success: { status: 200, description: 'The result of the test.', schema: RuleTest },
      errors: [...REFUSALS],
      idempotency: 'refused',
      transaction: 'none',
    },
    async ({ actor, params, body, unit }) => {
      const id = requireUuid('rule', params.id);
      const tested = await prepareRuleTest(unit, deps, actor, id, body);
      return { body: await runRuleTest(deps, actor, tested, body) };
    },
  ),
];
