/**
 * Tests a rule: renders everything and executes nothing. No message is sent, no URL called, no model invoked; links are
 * created in a transaction that is rolled back. Later steps see sample outputs of earlier ones.
 */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import { mayDo } from '../../../core/vocabulary/scopes.ts';
import type { ReadUnit, Units } from '../../../core/unit/unit-of-work.ts';
import { isEventType, typesMatching } from '../../../core/vocabulary/event-catalog.ts';
import type { EventObject } from '../../../core/events/event.schema.ts';
import { getEvent } from '../../../core/events/event.service.ts';
import type { EventTypes } from '../../../core/events/event-type.service.ts';
import { invalid, Problem } from '../../../platform/http/problem.ts';
import { exampleId } from '../../../core/api/id-schema.ts';
import { toUnknownEventError } from '../../../core/webhooks/webhook-input.ts';
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type LinksPort, type MessagesPort, toOutgoing } from '../ports/ports.ts';
import type { Templates } from '../../../platform/templates/templates.ts';
import type { ActionObject } from './rule-action.schema.ts';
import type { RuleDefinition } from './rule-input.ts';
import { sampleOutput } from './rule-test-samples.ts';
import type { RuleTestObject, RuleTestStepObject, TestRuleBody } from './rule-test.schema.ts';
import { prepareStep, type RuleVariables, type StepInputError, type StepInput } from './step-input.ts';

export interface RuleTestDeps {
  eventTypes: EventTypes;
  baseUrl: string;
  units: Units;
  templates: Pick<Templates, 'render'>;
  messages: Pick<MessagesPort, 'check' | 'refusedUrls'>;
  links: LinksPort;
}

export interface TestedRule {
  /** Public ID; null for a rule that does not exist yet. */
  id: string | null;
  name: string;
  definition: RuleDefinition;
}

interface TestedEvent {
  event: EventObject;
  isSample: boolean;
}

type WithWhat = Pick<TestRuleBody, 'event_id' | 'event_type' | 'custom_event'>;

/** Returns the sample of a type, with the fields of `own` instead of its own. @throws Problem invalid_request */
function getSampleEvent(
  eventTypes: EventTypes,
  type: string,
  pointer: string,
  own: object = {},
): TestedEvent {
  if (!isEventType(type)) throw invalid([toUnknownEventError(type, pointer)]);
  return { event: { ...(eventTypes.get(type).sample as EventObject), ...own }, isSample: true };
}

/** @throws Problem invalid_request, insufficient_scope, not_found */
async function eventFor(
  unit: ReadUnit,
  eventTypes: EventTypes,
  actor: WorkspaceActor,
  { event_id: id, event_type: type, custom_event: own }: WithWhat,
  events: readonly string[],
): Promise<TestedEvent> {
  if ([id, type, own].filter((one) => one !== undefined).length > 1)
    throw invalid([
      {
        pointer: own === undefined ? '/event_type' : '/custom_event',
        code: 'ambiguous',
        detail: 'give only one of event_id, event_type and custom_event',
      },
    ]);
  if (own !== undefined) return getSampleEvent(eventTypes, own.type, '/custom_event/type', own);
  if (id === undefined)
    return getSampleEvent(eventTypes, type ?? typesMatching(events[0]!)![0]!, '/event_type');
  if (!mayDo(actor.scopes, 'events:read'))
    throw new Problem(
      'insufficient_scope',
      'Testing with an event from the log requires the scope events:read.',
    );
  const event = await getEvent(unit, actor.workspaceId, requireUuid('event', id), actor.scopes);
  return { event, isSample: false };
}

/** Thrown to roll back the transaction. */
const ROLLBACK = new Error('a trial is taken back');

async function tryLink(
  { units, links }: RuleTestDeps,
  workspaceId: string,
  ruleId: string,
  body: Record<string, unknown>,
): Promise<Problem | null> {
  try {
    await units.write(async (unit) => {
      await links.create(unit, workspaceId, ruleId, body);
      throw ROLLBACK;
    });
  } catch (error) {
    if (error instanceof Problem) return error;
    if (error !== ROLLBACK) throw error;
  }
  return null;
}

const toError = ({ code, message, errors }: Problem): StepInputError => ({
  code,
  detail: errors.length ? errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ') : message,
});

/** Returns why a step would be rejected. Values of sample events are not checked: they refer to nothing real. */
async function findRejection(
  deps: RuleTestDeps,
  workspaceId: string,
  ruleId: string,
  step: StepInput,
  { isSample, asksModel }: { isSample: boolean; asksModel: boolean },
): Promise<StepInputError | null> {
  if (step.type === 'create_link') {
    const problem = await tryLink(deps, workspaceId, ruleId, step.input);
    return problem && toError(problem);
  }
  if (step.type !== 'send_message' || isSample) return null;
  const bodies = [step.input];
  const [rejected] = await deps.messages.refusedUrls(bodies);
  const [problem] = rejected
    ? [rejected]
    : await deps.messages.check(deps.units.read, workspaceId, [toOutgoing(step.input, asksModel)]);
  return problem ? toError(problem) : null;
}

async function testStep(
  deps: RuleTestDeps,
  workspaceId: string,
  variables: RuleVariables,
  action: ActionObject,
  about: { isSample: boolean; asksModel: boolean },
): Promise<RuleTestStepObject> {
  const { name, type } = action;
  const prepared = await prepareStep(deps.templates, workspaceId, variables, action);
  const shown = { name, type, input: null, output: null, error: null };
  if (prepared.outcome === 'skipped') return { ...shown, status: 'skipped' };
  const output = sampleOutput(action, prepared, deps.baseUrl);
  if (prepared.outcome === 'failed') return { ...shown, status: 'failed', output, error: prepared.fault };
  const input = prepared.step.input as Record<string, unknown>;
  const error = await findRejection(deps, workspaceId, variables.rule.id, prepared.step, about);
  return { ...shown, status: error ? 'failed' : 'would_run', input, output, error };
}

async function getVerdict(
  templates: RuleTestDeps['templates'],
  workspaceId: string,
  variables: RuleVariables,
  { events, filter }: RuleDefinition,
): Promise<Pick<RuleTestObject, 'matches' | 'reason' | 'error'>> {
  const isFor = events.some((pattern) =>
    typesMatching(pattern)?.some((type) => type === variables.event.type),
  );
  if (!isFor) return { matches: false, reason: 'event_type', error: null };
  if (filter === null) return { matches: true, reason: null, error: null };
  const [rendered] = await templates.render(workspaceId, variables, [{ kind: 'condition', source: filter }]);
  const { text, fault } = rendered!;
  if (fault) return { matches: false, reason: 'filter', error: { code: fault.code, detail: fault.detail } };
  return { matches: text === 'true', reason: text === 'true' ? null : 'filter', error: null };
}

/**
 * Tests a rule.
 * @param rule validated, and `actor` has its scopes
 * @throws Problem invalid_request, insufficient_scope, not_found
 */
export async function testRule(
  deps: RuleTestDeps,
  actor: WorkspaceActor,
  rule: TestedRule,
  withWhat: WithWhat,
): Promise<RuleTestObject> {
  const { workspaceId } = actor;
  const { definition, name } = rule;
  const { event, isSample } = await eventFor(
    deps.units.read,
    deps.eventTypes,
    actor,
    withWhat,
    definition.events,
  );
  const id = rule.id ?? exampleId('rule');
  const variables: RuleVariables = { event, steps: {}, rule: { id, name } };
  const verdict = await getVerdict(deps.templates, workspaceId, variables, definition);
  const asksModel = definition.actions.some(({ type }) => type === 'ask_model');
  const steps: RuleTestStepObject[] = [];
  for (const action of definition.actions) {
    const step = await testStep(deps, workspaceId, variables, action, { isSample, asksModel });
    if (step.output) variables.steps[action.name] = step.output;
    steps.push(step);
  }
  return {
    object: 'rule_test',
    rule_id: rule.id,
    ...verdict,
    event,
    event_is_sample: isSample,
    steps,
  };
}
