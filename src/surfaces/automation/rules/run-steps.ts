/**
 * Executes a run step by step. A step that writes to the database shares a transaction with its record. A step that
 * calls out (a webhook, a model) holds no transaction and is recorded afterwards. After a crash, the run resumes at its
 * step, and only a call may be repeated.
 */
import type { RawBuilder } from 'kysely';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import type { EventObject } from '../../../core/events/event.schema.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { Exchange } from '../../../core/webhooks/delivery/sender.ts';
import { type LinksPort, type MessagesPort, type ModelsPort, toOutgoing } from '../ports/ports.ts';
import type { Templates } from '../../../platform/templates/templates.ts';
import { askModel } from '../questions/ask-model.ts';
import { callWebhook } from './actions/call-webhook.ts';
import { createLink } from './actions/create-link.ts';
import { failed, type StepOutcome } from '../ports/outcome.ts';
import { findRejection, sendMessage } from './actions/send-message.ts';
import type { ActionObject } from './rule-action.schema.ts';
import { getCausationChain, withCausationChain } from './rule-chain.ts';
import type { RunStepObject } from './rule-run.schema.ts';
import { NO_SECRETS, openRuleSecrets, getActionSecrets } from './actions/rule-secrets.ts';
import type { RuleRow } from './rule.store.ts';
import { truncateInput } from './run-kept.ts';
import {
  cancelRun,
  checkClaim,
  record,
  recordEnd,
  type Recorded,
  recordStepError,
  type Running,
} from './run-record.ts';
import * as store from './run.store.ts';
import { prepareStep, type StepInput } from './step-input.ts';
import { currentTime } from '../../../platform/time/clock.ts';

export interface StepDeps {
  /** Runs the transaction of a step: few at once, in which workspaces take turns. */
  write<T>(workspaceId: string, work: (unit: Unit) => Promise<T>): Promise<T>;
  templates: Pick<Templates, 'render'>;
  secrets: SecretBox;
  exchange: Exchange;
  messages: MessagesPort;
  links: LinksPort;
  models: ModelsPort;
  /** Reports each completed or failed step. */
  onStep: (type: ActionObject['type'], outcome: StepOutcome, seconds: number) => void;
}

export interface ActiveRun extends Running {
  /** The current rule: its name and its secrets. */
  rule: RuleRow;
  event: EventObject;
}

type CallInput = Extract<StepInput, { type: 'call_webhook' | 'ask_model' }>;
type WrittenInput = Exclude<StepInput, CallInput>;

const getVariables = ({ rule, event, run }: ActiveRun) => ({
  event,
  steps: Object.fromEntries(
    run.steps.flatMap(({ name, status, output }) => (status === 'succeeded' ? [[name, output ?? {}]] : [])),
  ),
  rule: { id: publicId('rule', rule.id), name: rule.name },
});

/** The rule may have changed since the run started: secrets are sent only to the URL that they were given for. */
function call(
  { exchange, secrets }: StepDeps,
  { claimed, rule, event }: ActiveRun,
  { name }: RunStepObject,
  { url, body }: Extract<StepInput, { type: 'call_webhook' }>['input'],
  signal: AbortSignal,
): Promise<StepOutcome> {
  const present = rule.actions.find((action) => action.name === name);
  if (present?.type !== 'call_webhook' || present.url !== url)
    return Promise.resolve(
      failed({ code: 'rule_changed', detail: 'The URL of this call was changed after the run started.' }),
    );
  const outgoing = {
    id: `${publicId('rule_run', claimed.id)}_${name}`,
    url,
    body,
    eventType: event.type,
    workspaceId: claimed.workspace_id,
  };
  const own = getActionSecrets(openRuleSecrets(secrets, rule), name) ?? NO_SECRETS;
  return callWebhook(exchange, outgoing, own, signal);
}

const callOut = (
  deps: StepDeps,
  active: ActiveRun,
  step: RunStepObject,
  prepared: CallInput,
  signal: AbortSignal,
): Promise<StepOutcome> =>
  prepared.type === 'call_webhook'
    ? call(deps, active, step, prepared.input, signal)
    : askModel(
        deps.models,
        active.claimed.workspace_id,
        publicId('rule', active.rule.id),
        prepared.input,
        signal,
      );

/**
 * Executes the step in the given transaction.
 * @returns includes statements that register created resources, whose later events count as caused by this run
 */
async function writeStep(
  unit: Unit,
  { messages, links }: StepDeps,
  { claimed, rule, run }: ActiveRun,
  prepared: WrittenInput,
): Promise<{ outcome: StepOutcome; caused: RawBuilder<unknown>[] }> {
  const { workspace_id: workspaceId } = claimed;
  const chain = getCausationChain(run.chain, rule.id, run.id);
  const caused = withCausationChain(unit, chain);
  const ruleId = publicId('rule', rule.id);
  const asksModel = run.definition.actions.some(({ type }) => type === 'ask_model');
  const { outcome, made } =
    prepared.type === 'send_message'
      ? await sendMessage(caused, messages, workspaceId, ruleId, toOutgoing(prepared.input, asksModel))
      : await createLink(caused, links, workspaceId, ruleId, prepared.input);
  return { outcome, caused: made.map((id) => store.causing(workspaceId, id, chain)) };
}

/**
 * Executes a run until it ends, waits, or its claim is lost.
 * @param worker owner of the claim
 * @param signal aborts when the claim is lost: completed steps are recorded, the rest is not
 */
export async function executeRun(
  deps: StepDeps,
  worker: string,
  active: ActiveRun,
  signal: AbortSignal,
): Promise<Recorded> {
  const { run } = active;
  const { workspace_id: workspaceId } = active.claimed;
  const settle = (work: (unit: Unit) => Promise<Recorded>): Promise<Recorded> =>
    deps.write(workspaceId, async (unit) => {
      const still = await checkClaim(unit, worker, active);
      if (still === 'lost') return still;
      return still === 'canceled' ? cancelRun(unit, active) : work(unit);
    });

  for (;;) {
    signal.throwIfAborted();
    const step = run.steps.find(({ status }) => status === 'pending');
    if (!step) return settle((unit) => recordEnd(unit, active));
    const action = run.definition.actions.find(({ name }) => name === step.name)!;
    const prepared = await prepareStep(deps.templates, workspaceId, getVariables(active), action);
    if (prepared.outcome === 'skipped') {
      Object.assign(step, { status: 'skipped', finished_at: currentTime().toISOString() });
      continue;
    }
    if (prepared.outcome === 'failed') {
      const { fault } = prepared;
      const mayPass = fault.code === 'template_budget';
      return settle((unit) => recordStepError(unit, worker, active, step, { failure: fault, mayPass }));
    }
    const ready = prepared.step;
    step.input = truncateInput(ready.input);
    const started = performance.now();
    const told = (outcome: StepOutcome): StepOutcome => {
      deps.onStep(ready.type, outcome, (performance.now() - started) / 1000);
      return outcome;
    };
    let recorded: Recorded;
    if (ready.type === 'call_webhook' || ready.type === 'ask_model') {
      const outcome = told(await callOut(deps, active, step, ready, signal));
      recorded = await deps.write(workspaceId, async (unit) => {
        const still = await checkClaim(unit, worker, active);
        if (still === 'lost') return still;
        // A success is recorded in any case. A failure, which would schedule a retry, is not recorded if the rule was
        // disabled in the meantime.
        if (still === 'canceled' && outcome.failure) return cancelRun(unit, active);
        const so = await record(unit, worker, active, step, outcome);
        return so === 'next' && still === 'canceled' ? cancelRun(unit, active) : so;
      });
    } else {
      const rejected = ready.type === 'send_message' ? await findRejection(deps.messages, ready.input) : null;
      recorded = await settle(async (unit) => {
        const { outcome, caused } = rejected
          ? { outcome: rejected, caused: [] }
          : await writeStep(unit, deps, active, ready);
        return record(unit, worker, active, step, told(outcome), caused);
      });
    }
    if (recorded !== 'next') return recorded;
  }
}
