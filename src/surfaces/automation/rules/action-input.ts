/** Parses the actions of a request: assigns names, fills in defaults, and extracts secrets. */
import { escapePointer, type FieldError } from '../../../platform/http/problem.ts';
import { validateHeaders } from '../../../core/webhooks/webhook-headers.ts';
import { parseSecret } from '../../../platform/crypto/webhook-signature.ts';
import { readUrl } from '../../../core/webhooks/webhook-url.ts';
import type { ActionBody, ActionObject } from './rule-action.schema.ts';

/** Secrets of a call as given in a request. */
export interface GivenSecret {
  /** Pointer of the action, such as `/actions/0`. */
  pointer: string;
  /** Undefined keeps the current headers; null keeps the value of one header. */
  headers: Record<string, string | null> | undefined;
  /** Undefined keeps the current secret; null removes it. */
  secret: string | null | undefined;
}

/** Secrets by action name; only for webhook calls. */
export type GivenSecrets = Record<string, GivenSecret>;

type Of<T extends ActionBody['type']> = Extract<ActionBody, { type: T }>;
type ShownOf<T extends ActionObject['type']> = Extract<ActionObject, { type: T }>;
interface Head {
  name: string;
  when: string | null;
}

/** Returns the action names; omitted names are derived from the type, with a number if taken. */
function assignNames(actions: readonly ActionBody[], fieldErrors: FieldError[]): string[] {
  const taken = new Set<string>();
  for (const [nth, { name }] of actions.entries()) {
    if (name === undefined) continue;
    if (taken.has(name))
      fieldErrors.push({
        pointer: `/actions/${nth}/name`,
        code: 'duplicate',
        detail: 'is already the name of another action of this rule',
      });
    taken.add(name);
  }
  return actions.map(({ name, type }) => {
    if (name !== undefined) return name;
    let made: string = type;
    for (let number = 2; taken.has(made); number++) made = `${type}_${number}`;
    taken.add(made);
    return made;
  });
}

function readSendMessage(body: Of<'send_message'>, head: Head): ShownOf<'send_message'> {
  return {
    type: 'send_message',
    ...head,
    instance_id: body.instance_id,
    to: body.to ?? null,
    contact_id: body.contact_id ?? null,
    chat_id: body.chat_id ?? null,
    group_id: body.group_id ?? null,
    message_type: body.message_type ?? 'text',
    template: body.template ?? null,
    media: body.media ?? null,
    file_name: body.file_name ?? null,
    subject: body.subject ?? null,
    thread_id: body.thread_id ?? null,
    reply_to: body.reply_to ?? null,
  };
}

function readCallWebhook(
  body: Of<'call_webhook'>,
  head: Head,
  pointer: string,
  fieldErrors: FieldError[],
): ShownOf<'call_webhook'> {
  const found: FieldError[] = [];
  const address = readUrl({ url: body.url }, found);
  if (body.headers) found.push(...validateHeaders(body.headers));
  if (typeof body.secret === 'string' && !parseSecret(body.secret))
    found.push({
      pointer: '/secret',
      code: 'invalid_secret',
      detail: 'must be whsec_ followed by 24 to 64 base64-encoded bytes',
    });
  fieldErrors.push(
    ...found.map((fieldError) => ({ ...fieldError, pointer: `${pointer}${fieldError.pointer}` })),
  );
  return {
    type: 'call_webhook',
    ...head,
    url: address?.url ?? body.url,
    body: body.body ?? null,
    headers: Object.fromEntries(Object.keys(body.headers ?? {}).map((name) => [name, null])),
    signed: typeof body.secret === 'string',
  };
}

function readAction(
  body: ActionBody,
  name: string,
  pointer: string,
  fieldErrors: FieldError[],
): ActionObject {
  const head: Head = { name, when: body.when?.trim() ? body.when : null };
  switch (body.type) {
    case 'send_message':
      return readSendMessage(body, head);
    case 'create_link':
      return {
        type: 'create_link',
        ...head,
        url: body.url,
        slug: body.slug ?? null,
        domain: body.domain ?? null,
        tags: body.tags ?? [],
      };
    case 'call_webhook':
      return readCallWebhook(body, head, pointer, fieldErrors);
    default:
      return {
        type: 'ask_model',
        ...head,
        model: body.model,
        system: body.system ?? null,
        prompt: body.prompt,
        max_tokens: body.max_tokens ?? null,
      };
  }
}

/**
 * Reads the actions.
 * @param fieldErrors receives the field errors, with pointers into the rule body
 */
export function readActions(
  bodies: readonly ActionBody[],
  fieldErrors: FieldError[],
): { actions: ActionObject[]; given: GivenSecrets } {
  const names = assignNames(bodies, fieldErrors);
  const actions = bodies.map((body, nth) => readAction(body, names[nth]!, `/actions/${nth}`, fieldErrors));
  const given: GivenSecrets = {};
  for (const [nth, body] of bodies.entries())
    if (body.type === 'call_webhook')
      given[names[nth]!] = { pointer: `/actions/${nth}`, headers: body.headers, secret: body.secret };
  return { actions, given };
}

/** Returns the pointer to a header of an action. */
export const headerPointer = (pointer: string, name: string): string =>
  `${pointer}/headers/${escapePointer(name)}`;
