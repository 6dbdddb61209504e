/**
 * Merges the secrets of a rule on update. To move a call to another host, the credentials must be given again:
 * otherwise anyone who may edit the rule could send them to their own host.
 */
import type { FieldError } from '../../../platform/http/problem.ts';
import { getRejection } from '../ports/refusal.ts';
import { type GivenSecret, type GivenSecrets, headerPointer } from './action-input.ts';
import type { ActionObject } from './rule-action.schema.ts';
import {
  type ActionSecrets,
  NO_SECRETS,
  type RuleSecrets,
  getActionSecrets,
} from './actions/rule-secrets.ts';

type Call = Extract<ActionObject, { type: 'call_webhook' }>;

const isCall = (action: ActionObject): action is Call => action.type === 'call_webhook';
const getOrigin = (call: Call): string => new URL(call.url).origin;

const AGAIN = 'must be given again when the origin of the url changes';
const required = (pointer: string, detail: string): FieldError => ({ pointer, code: 'required', detail });

/**
 * Merges the headers of a call.
 * @param moved whether the origin of the call changed
 */
function mergeHeaders(
  { pointer, headers }: GivenSecret,
  stored: ActionSecrets,
  moved: boolean,
  fieldErrors: FieldError[],
): Record<string, string> {
  if (headers === undefined) {
    if (moved && Object.keys(stored.headers).length) fieldErrors.push(required(`${pointer}/headers`, AGAIN));
    return stored.headers;
  }
  const present = new Map(Object.entries(stored.headers).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]): [string, string] => {
      if (value !== null) return [name, value];
      const before = present.get(name.toLowerCase());
      if (before === undefined)
        fieldErrors.push(required(headerPointer(pointer, name), 'has no current value to keep'));
      else if (moved) fieldErrors.push(required(headerPointer(pointer, name), AGAIN));
      return [name, before ?? ''];
    }),
  );
}

function mergeSecret(
  { pointer, secret }: GivenSecret,
  stored: ActionSecrets,
  moved: boolean,
  fieldErrors: FieldError[],
): string | null {
  if (secret !== undefined) return secret;
  if (moved && stored.secret !== null)
    fieldErrors.push(required(`${pointer}/secret`, `${AGAIN}; null removes it`));
  return stored.secret;
}

export interface MergedSecrets {
  /** With all header names and whether calls are signed. */
  actions: ActionObject[];
  secrets: RuleSecrets;
}

/**
 * Merges secrets.
 * @param before the previous actions and secrets; a call keeps those of the action with the same name
 * @throws Problem unprocessable
 */
export function mergeSecrets(
  actions: readonly ActionObject[],
  given: GivenSecrets,
  before: { actions: readonly ActionObject[]; secrets: RuleSecrets },
): MergedSecrets {
  const fieldErrors: FieldError[] = [];
  const secrets: RuleSecrets = {};
  const merged = actions.map((action): ActionObject => {
    if (!isCall(action)) return action;
    const said = given[action.name]!;
    const former = before.actions.filter(isCall).find(({ name }) => name === action.name);
    const stored = (former && getActionSecrets(before.secrets, action.name)) ?? NO_SECRETS;
    const moved = former !== undefined && getOrigin(former) !== getOrigin(action);
    const headers = mergeHeaders(said, stored, moved, fieldErrors);
    const secret = mergeSecret(said, stored, moved, fieldErrors);
    if (Object.keys(headers).length || secret !== null) secrets[action.name] = { headers, secret };
    return {
      ...action,
      headers: Object.fromEntries(Object.keys(headers).map((name) => [name, null])),
      signed: secret !== null,
    };
  });
  if (fieldErrors.length) throw getRejection(fieldErrors);
  return { actions: merged, secrets };
}
