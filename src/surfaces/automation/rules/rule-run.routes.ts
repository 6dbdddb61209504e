/** Operations on runs of rules. */
import { FIRST_UUID } from '../../../platform/db/uuid-time.ts';
import { requireUuid, toUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { RuleRun, RuleRunList, RuleRunReplay, RunsOfRuleList } from './rule-run.schema.ts';
import * as service from './rule-run.service.ts';
import type { RunStatus } from './rule-run-state.ts';

const TAG = 'Rules';
const KEPT = 'Runs are stored for 30 days.';
const HIDDEN =
  '`input` and `output` of steps are null unless you may read events of the type that triggered the run.';

export interface RuleRunDeps {
  /** Wakes the engine of this process. */
  wakeRules: () => void;
}

interface RunQuery {
  status?: RunStatus;
  event_type?: string;
  created_after?: string;
  created_before?: string;
}

const getFilter = (query: RunQuery) => ({
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
      description: `Runs with each step, newest first. Events that did not match the filter are only counted in the \`stats\` of the rule. ${KEPT} ${HIDDEN}`,
      access: 'rules:read',
      params: IdParams('rule'),
      query: RunsOfRuleList,
      success: { status: 200, description: 'A page of runs.', schema: toListSchema(RuleRun) },
    },
    async ({ actor, params, query, unit }) => ({
      body: await service.listRunsOfRule(
        unit,
        actor,
        requireUuid('rule', params.id),
        getPage(query),
        getFilter(query),
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
      description: `Newest first, including runs of deleted rules. ${KEPT} ${HIDDEN}`,
      access: 'rules:read',
      query: RuleRunList,
      success: { status: 200, description: 'A page of runs.', schema: toListSchema(RuleRun) },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listRuns(unit, actor, getPage(query), {
        ...getFilter(query),
        // An invalid ID matches no rule.
        ruleId: query.rule_id === undefined ? undefined : (toUuid('rule', query.rule_id) ?? FIRST_UUID),
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
      summary: 'Replay a run of a rule',
      description:
        'Runs the current version of the rule again with the same event. All actions are repeated, including those that succeeded before. The loop guard applies as to any run. Requires the scopes of the event and of the actions.',
      access: 'rules:write',
      params: IdParams('rule_run'),
      success: { status: 202, description: 'The run is queued.', schema: RuleRunReplay },
      errors: ['conflict', 'event_expired', 'model_not_allowed'],
      audit: 'rule_run',
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('rule_run', params.id);
      const replay = await service.replayRun(unit, actor, id, wakeRules);
      return { body: replay, auditTarget: params.id, auditDetails: { run: replay.run_id } };
    },
  ),
];
