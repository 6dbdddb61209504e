/** Operations on runs of rules. */
import { FIRST_UUID } from '../../../platform/db/uuid-time.ts';
import { requireUuid, uuidOf } from '../../../platform/http/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { pageOf } from '../../../platform/http/pagination.ts';
import { IdParams, ListOf } from '../../../platform/http/schema.ts';
import { RuleRun, RuleRunList, RuleRunReplay, RunsOfRuleList } from './rule-run.schema.ts';
import * as service from './rule-run.service.ts';
import type { RunStatus } from './rule-run-state.ts';

const TAG = 'Rules';
const KEPT = 'Runs are kept for 30 days.';
const HIDDEN =
  '`input` and `output` of its steps are shown only to who may read events of the type that started it; to others they are null.';

export interface RuleRunDeps {
  /** Tells the engine of this process that something waits. */
  wakeRules: () => void;
}

interface RunQuery {
  status?: RunStatus;
  event_type?: string;
  created_after?: string;
  created_before?: string;
}

const filterOf = (query: RunQuery) => ({
  status: query.status,
  eventType: query.event_type,
  createdAfter: query.created_after,
  createdBefore: query.created_before,
});

export const ruleRunOperations = ({ wakeRules }: RuleRunDeps): Operation[] => [
  operation(
    {
      id: 'rules.list_runs',
      method: 'GET',
      path: '/rules/{id}/runs',
      tag: TAG,
      summary: 'List runs of a rule',
      description: `What the rule did, newest first, with each step. Events that its filter held back are only counted, in its \`stats\`. ${KEPT} ${HIDDEN}`,
      access: 'rules:read',
      params: IdParams('rule'),
      query: RunsOfRuleList,
      success: { status: 200, description: 'A page of runs.', schema: ListOf(RuleRun) },
    },
    async ({ actor, params, query, unit }) => ({
      body: await service.listRunsOfRule(
        unit,
        actor,
        requireUuid('rule', params.id),
        pageOf(query),
        filterOf(query),
      ),
    }),
  ),
  operation(
    {
      id: 'rule_runs.list',
      method: 'GET',
      path: '/rule-runs',
      tag: TAG,
      summary: 'List runs of all rules',
      description: `Newest first, also those of rules that are deleted by now. ${KEPT} ${HIDDEN}`,
      access: 'rules:read',
      query: RuleRunList,
      success: { status: 200, description: 'A page of runs.', schema: ListOf(RuleRun) },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listRuns(unit, actor, pageOf(query), {
        ...filterOf(query),
        // An id that cannot be is one of no rule.
        ruleId: query.rule_id === undefined ? undefined : (uuidOf('rule', query.rule_id) ?? FIRST_UUID),
      }),
    }),
  ),
  operation(
    {
      id: 'rule_runs.get',
      method: 'GET',
      path: '/rule-runs/{id}',
      tag: TAG,
      summary: 'Get a run of a rule',
      description: `${KEPT} ${HIDDEN}`,
      access: 'rules:read',
      params: IdParams('rule_run'),
      success: { status: 200, description: 'The run.', schema: RuleRun },
    },
    async ({ actor, params, unit }) => ({
      body: await service.getRun(unit, actor, requireUuid('rule_run', params.id)),
    }),
  ),
  operation(
    {
      id: 'rule_runs.replay',
      method: 'POST',
      path: '/rule-runs/{id}/replay',
      tag: TAG,
      summary: 'Repeat a run of a rule',
      description:
        'Runs again with the same event, by the rule as it is now: all its actions, also those that succeeded before. The loop guard looks at it as at any run. You need the scopes of the event and of what the rule does.',
      access: 'rules:write',
      params: IdParams('rule_run'),
      success: { status: 202, description: 'It is queued.', schema: RuleRunReplay },
      errors: ['conflict', 'event_expired'],
      audit: 'rule_run',
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('rule_run', params.id);
      const replay = await service.replayRun(unit, actor, id, wakeRules);
      return { body: replay, auditTarget: params.id, auditDetails: { run: replay.run_id } };
    },
  ),
];
