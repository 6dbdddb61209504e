/** Parses and validates request bodies of rules; reports all field errors together. */
import type { RateLimit } from '../../../core/auth/actor.ts';
import { typesMatching } from '../../../core/vocabulary/event-catalog.ts';
import { type FieldError, invalid } from '../../../platform/http/problem.ts';
import { getRateLimit } from '../../../core/api/rate-limit.schema.ts';
import { toUnknownEventError } from '../../../core/webhooks/webhook-input.ts';
import { type GivenSecrets, readActions } from './action-input.ts';
import type { ActionObject } from './rule-action.schema.ts';
import type { CreateRuleBody, UpdateRuleBody } from './rule.schema.ts';

/** The behavior of a rule, without its name. */
export interface RuleDefinition {
  events: string[];
  /** A condition; null for all events. */
  filter: string | null;
  /** As returned by the API; each has a unique name. */
  actions: ActionObject[];
}

export interface RuleInput {
  /** Null if omitted. */
  events: string[] | null;
  /** Undefined if omitted. */
  filter: string | null | undefined;
  actions: ActionObject[] | null;
  /** The given secrets of `actions`, by name. */
  given: GivenSecrets;
  rateLimit: RateLimit | undefined;
}

const DEFAULT_RATE: RateLimit = { limit: 60, burst: 30 };

function readEvents(given: readonly string[], fieldErrors: FieldError[]): string[] {
  for (const [nth, pattern] of given.entries())
    if (!typesMatching(pattern)) fieldErrors.push(toUnknownEventError(pattern, `/events/${nth}`));
  return [...new Set(given)];
}

/** Treats a blank condition as none. */
const toCondition = (text: string | null): string | null => (text?.trim() ? text : null);

/** @throws Problem invalid_request */
export function readRuleChanges(
  body: Pick<UpdateRuleBody, 'events' | 'filter' | 'actions' | 'rate_limit'>,
): RuleInput {
  const fieldErrors: FieldError[] = [];
  const events = body.events ? readEvents(body.events, fieldErrors) : null;
  const read = body.actions ? readActions(body.actions, fieldErrors) : null;
  const rate = body.rate_limit;
  if (fieldErrors.length) throw invalid(fieldErrors);
  return {
    events,
    filter: body.filter === undefined ? undefined : toCondition(body.filter),
    actions: read?.actions ?? null,
    given: read?.given ?? {},
    rateLimit: rate === undefined ? undefined : getRateLimit(rate)!,
  };
}

export interface NewRuleInput {
  definition: RuleDefinition;
  given: GivenSecrets;
  rateLimit: RateLimit;
}

/** @throws Problem invalid_request */
export function readNewRule(body: CreateRuleBody): NewRuleInput {
  const { events, filter, actions, given, rateLimit } = readRuleChanges(body);
  return {
    definition: { events: events!, filter: filter ?? null, actions: actions! },
    given,
    rateLimit: rateLimit ?? DEFAULT_RATE,
  };
}
