/** Validates what a rule refers to: templates, recipients, URLs and models. */
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { type FieldError, invalid } from '../../../platform/http/problem.ts';
import type { AssertUrlAllowed } from '../../../core/webhooks/webhook-url.ts';
import { UNKNOWN_MODEL } from '../questions/ask-model.schema.ts';
import { checkDestinations } from '../destinations/destination-check.ts';
import { validateDestination } from '../destinations/destination-form.ts';
import type { MessagesPort, ModelsPort } from '../ports/ports.ts';
import { getRejection } from '../ports/refusal.ts';
import type { Template, Templates } from '../../../platform/templates/templates.ts';
import type { ActionObject } from './rule-action.schema.ts';
import { toDestination, getStepTemplates } from './step-input.ts';

export interface RuleCheckDeps {
  templates: Pick<Templates, 'check'>;
  messages: Pick<MessagesPort, 'types' | 'checkPlaces'>;
  models: Pick<ModelsPort, 'exists'>;
  assertUrlAllowed: AssertUrlAllowed;
}

/** The given parts of a rule to check. */
export interface ToCheck {
  filter: string | null;
  actions: readonly ActionObject[];
}

const at = (nth: number): string => `/actions/${nth}`;

/** Destinations use `type` for the `message_type` of an action. */
const renamed = ({ pointer, ...fault }: FieldError): FieldError => ({
  ...fault,
  pointer: pointer.replace(/^(\/actions\/\d+)\/type$/, '$1/message_type'),
});

const getFormErrors = (actions: readonly ActionObject[], types: readonly string[]): FieldError[] =>
  actions.flatMap((action, nth) =>
    action.type === 'send_message'
      ? validateDestination(toDestination(action), types, at(nth)).map(renamed)
      : [],
  );

function templatesIn({ filter, actions }: ToCheck): { pointer: string; template: Template }[] {
  const ofActions = actions.flatMap((action, nth) =>
    getStepTemplates(action).map(({ field, template }) => ({ pointer: `${at(nth)}/${field}`, template })),
  );
  return filter === null
    ? ofActions
    : [{ pointer: '/filter', template: { kind: 'condition', source: filter } }, ...ofActions];
}

async function getTemplateErrors(
  templates: RuleCheckDeps['templates'],
  workspaceId: string,
  rule: ToCheck,
): Promise<FieldError[]> {
  const found = templatesIn(rule);
  if (!found.length) return [];
  const faults = await templates.check(
    workspaceId,
    found.map(({ template }) => template),
  );
  // A text that may be rendered as either of two kinds is listed twice.
  const byPointer = new Map(
    faults.flatMap((fault, nth) =>
      fault ? [[found[nth]!.pointer, { pointer: found[nth]!.pointer, ...fault }]] : [],
    ),
  );
  return [...byPointer.values()];
}

async function getModelErrors(
  models: RuleCheckDeps['models'],
  workspaceId: string,
  actions: readonly ActionObject[],
): Promise<FieldError[]> {
  const known = await Promise.all(
    actions.map(
      async (action) => action.type !== 'ask_model' || (await models.exists(workspaceId, action.model)),
    ),
  );
  return known.flatMap((isKnown, nth) =>
    isKnown
      ? []
      : [
          {
            pointer: `${at(nth)}/model`,
            ...UNKNOWN_MODEL,
          },
        ],
  );
}

/**
 * Runs the checks that need workers and DNS lookups; must run before the transaction.
 * @throws Problem invalid_request, unprocessable, address_not_allowed
 */
export async function assertRuleCanBe(
  deps: RuleCheckDeps,
  workspaceId: string,
  rule: ToCheck,
): Promise<void> {
  const fieldErrors = [
    ...getFormErrors(rule.actions, deps.messages.types),
    ...(await getTemplateErrors(deps.templates, workspaceId, rule)),
  ];
  if (fieldErrors.length) throw invalid(fieldErrors);
  const unknown = await getModelErrors(deps.models, workspaceId, rule.actions);
  if (unknown.length) throw getRejection(unknown);
  for (const [nth, action] of rule.actions.entries())
    if (action.type === 'call_webhook') await deps.assertUrlAllowed(action.url, `${at(nth)}/url`);
}

/**
 * Checks that senders and recipients exist and that their channels support the content.
 * @throws Problem unprocessable, or the common code of all field errors
 */
export async function assertRecipients(
  unit: ReadUnit,
  { messages }: Pick<RuleCheckDeps, 'messages'>,
  workspaceId: string,
  actions: readonly ActionObject[],
): Promise<void> {
  const sending = actions.flatMap((action, nth) =>
    action.type === 'send_message' ? [{ nth, destination: toDestination(action) }] : [],
  );
  if (!sending.length) return;
  const destinations = sending.map(({ destination }) => destination);
  const fieldErrors = await checkDestinations(unit, messages, workspaceId, destinations, '');
  const ofActions = fieldErrors.map(({ pointer, ...fault }) => {
    const [, place = '', ...field] = pointer.split('/');
    return renamed({ ...fault, pointer: `${at(sending[Number(place)]!.nth)}/${field.join('/')}` });
  });
  if (ofActions.length) throw getRejection(ofActions);
}
