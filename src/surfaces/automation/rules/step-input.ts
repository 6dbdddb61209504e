/**
 * Renders the templates of an action into its input. Shared by the engine and rule tests, so that a test shows what a
 * run would do.
 */
import { parseForeignJson } from '../../../platform/json/foreign-json.ts';
import { parseLossless } from '../../../platform/json/lossless-json.ts';
import type { Question } from '../questions/ask-model.ts';
import { destinationBody } from '../destinations/destination-body.ts';
import { getDestinationTemplates } from '../destinations/destination-templates.ts';
import type { EventObject } from '../../../core/events/event.schema.ts';
import type { DestinationObject } from '../destinations/destination.schema.ts';
import type { MessageBody } from '../ports/ports.ts';
import {
  type Rendered,
  RENDERED_BOUNDS,
  type Template,
  type TemplateKind,
  type Templates,
} from '../../../platform/templates/templates.ts';
import type { ActionObject } from './rule-action.schema.ts';

type ActionOf<T extends ActionObject['type']> = Extract<ActionObject, { type: T }>;

/** Template variables of a rule. */
export interface RuleVariables {
  event: EventObject;
  /** Outputs by action name; without skipped actions. */
  steps: Record<string, object>;
  /** `id` is the public ID. */
  rule: { id: string; name: string };
}

export interface StepInputs {
  /** In the form of `POST /messages`. */
  send_message: MessageBody;
  /** In the form of `POST /links`. */
  create_link: { url: string; slug?: string; domain?: string; tags: string[] };
  /** `body` is posted as JSON: the rendered template, or the event. */
  call_webhook: { url: string; body: unknown };
  ask_model: Question;
}
export type StepInput = {
  [T in ActionObject['type']]: { type: T; input: StepInputs[T] };
}[ActionObject['type']];

/** `code` is the code of a template error, or `template_empty`. */
export interface StepInputError {
  code: string;
  detail: string;
}

export type PreparedStep =
  | { outcome: 'skipped' }
  | { outcome: 'failed'; fault: StepInputError }
  | { outcome: 'ready'; step: StepInput };

export interface StepTemplate {
  /** The field of the action. */
  field: string;
  template: Template;
}

/** Returns the destination part of a `send_message` action. */
export const toDestination = ({
  message_type: type,
  ...action
}: ActionOf<'send_message'>): DestinationObject => ({
  instance_id: action.instance_id,
  to: action.to,
  contact_id: action.contact_id,
  chat_id: action.chat_id,
  group_id: action.group_id,
  type,
  template: action.template,
  media: action.media,
  file_name: action.file_name,
  subject: action.subject,
  thread_id: action.thread_id,
});

function getFields(action: ActionObject): StepTemplate[] {
  const one = (field: string, source: string | null, kind: TemplateKind = 'text'): StepTemplate[] =>
    source === null ? [] : [{ field, template: { kind, source } }];
  switch (action.type) {
    case 'send_message':
      return [
        ...getDestinationTemplates(toDestination(action)).map(({ field, template }) => ({
          field: field === 'type' ? 'message_type' : field,
          template,
        })),
        ...one('reply_to', action.reply_to),
      ];
    case 'create_link':
      return [...one('url', action.url), ...one('slug', action.slug)];
    case 'call_webhook':
      return one('body', action.body, 'json');
    default:
      return [...one('system', action.system), ...one('prompt', action.prompt)];
  }
}

/** Returns all templates of an action, its condition first. */
export const getStepTemplates = (action: ActionObject): StepTemplate[] => [
  ...(action.when === null
    ? []
    : [{ field: 'when', template: { kind: 'condition' as const, source: action.when } }]),
  ...getFields(action),
];

/** Rendered templates by field, without `when`. */
type Made = ReadonlyMap<string, Rendered>;

const failed = (field: string, { code, detail }: StepInputError): PreparedStep => ({
  outcome: 'failed',
  fault: { code, detail: `${field}: ${detail}` },
});
const ready = (step: StepInput): PreparedStep => ({ outcome: 'ready', step });

/** Returns the thread of the message that the event is about, if the given message goes to the same chat. */
function getThread(body: MessageBody, { data }: EventObject): string | null {
  const told = data.object as Partial<Record<string, unknown>>;
  if (told['object'] !== 'message' || typeof told['thread_id'] !== 'string') return null;
  if (told['instance_id'] !== body['instance_id']) return null;
  const { id, kind } = told['chat'] as { id: string; kind: string };
  const isInbound = told['direction'] === 'inbound';
  const address = kind === 'direct' && isInbound ? told['from'] : told['to'];
  const isSame =
    body['chat_id'] === id ||
    (body['to'] !== undefined && body['to'] === address) ||
    (kind === 'direct' && body['contact_id'] !== undefined && body['contact_id'] === told['contact_id']);
  return isSame ? told['thread_id'] : null;
}

function messageStep(
  action: ActionOf<'send_message'>,
  rendered: readonly Rendered[],
  event: EventObject,
): PreparedStep {
  const made = action.reply_to === null ? rendered : rendered.slice(0, -1);
  const { body, fieldErrors } = destinationBody(toDestination(action), made);
  if (fieldErrors) return failed(fieldErrors[0]!.pointer.slice(1), fieldErrors[0]!);
  const replyTo = action.reply_to === null ? '' : rendered.at(-1)!.text!.trim();
  const threadId = replyTo === '' && body['thread_id'] === undefined ? getThread(body, event) : null;
  const input = {
    ...body,
    ...(replyTo === '' ? {} : { reply_to: replyTo }),
    ...(threadId === null ? {} : { thread_id: threadId }),
  };
  return ready({ type: 'send_message', input });
}

function otherStep(action: Exclude<ActionObject, { type: 'send_message' }>, made: Made, event: EventObject) {
  const text = (field: string): string => made.get(field)?.text ?? '';
  if (action.type === 'create_link') {
    const slug = text('slug').trim();
    return ready({
      type: 'create_link',
      input: {
        url: text('url').trim(),
        ...(slug === '' ? {} : { slug }),
        ...(action.domain === null ? {} : { domain: action.domain }),
        tags: action.tags,
      },
    });
  }
  if (action.type === 'call_webhook') {
    const body: unknown =
      action.body === null ? event : parseForeignJson(text('body'), RENDERED_BOUNDS, parseLossless);
    return ready({ type: 'call_webhook', input: { url: action.url, body } });
  }
  const { model, max_tokens, system } = action;
  const input = {
    model,
    system: system === null ? null : text('system'),
    prompt: text('prompt'),
    max_tokens,
  };
  return ready({ type: 'ask_model', input });
}

/**
 * Renders an action; executes nothing.
 * @returns `skipped` if its condition is false, regardless of errors in other templates
 */
export async function prepareStep(
  templates: Pick<Templates, 'render'>,
  workspaceId: string,
  variables: RuleVariables,
  action: ActionObject,
): Promise<PreparedStep> {
  const all = getStepTemplates(action);
  const sources = all.map(({ template }) => template);
  const rendered = sources.length ? await templates.render(workspaceId, variables, sources) : [];
  const own = action.when === null ? rendered : rendered.slice(1);
  if (action.when !== null) {
    const [condition] = rendered;
    if (condition!.fault) return failed('when', condition!.fault);
    if (condition!.text !== 'true') return { outcome: 'skipped' };
  }
  // If a text was rendered as two kinds, the destination decides which one applies.
  const fields = all.slice(all.length - own.length);
  const wrong = own.findIndex(({ fault }, nth) => fault && fields[nth]!.field !== 'template');
  if (wrong !== -1) return failed(fields[wrong]!.field, own[wrong]!.fault!);
  if (action.type === 'send_message') return messageStep(action, own, variables.event);
  return otherStep(action, new Map(own.map((one, nth) => [fields[nth]!.field, one])), variables.event);
}
