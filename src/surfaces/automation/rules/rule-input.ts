/** What a caller writes about a rule, read and checked for its form, with every fault told at once. */
import type { RateLimit } from '../../../core/auth/actor.ts';
import { typesMatching } from '../../../core/events/catalogue.ts';
import { type FieldError, invalid } from '../../../platform/http/problem.ts';
import { rateLimitOf } from '../../../core/api/rate-limit.schema.ts';
import { toUnknownEventError } from '../../../core/webhooks/webhook-input.ts';
import { type GivenSecrets, readActions } from './action-input.ts';
import type { ActionObject } from './rule-action.schema.ts';
import type { CreateRuleBody, UpdateRuleBody } from './rule.schema.ts';

/** What a rule does, apart from what it is called. */
export interface RuleDefinition {
  events: string[];
  /** A condition; null for all events. */
  filter: string | null;
  /** As the API shows them; each has a name of its own. */
  actions: ActionObject[];
}

export interface RuleInput {
  /** Null where none were given. */
  events: string[] | null;
  /** Undefined where nothing was said. */
  filter: string | null | undefined;
  actions: ActionObject[] | null;
  /** What was said of the secrets of `actions`, by name. */
  given: GivenSecrets;
  rateLimit: RateLimit | undefined;
}

const DEFAULT_RATE: RateLimit = { limit: 60, burst: 30 };

function readEvents(given: readonly string[], faults: FieldError[]): string[] {
  for (const [nth, pattern] of given.entries())
    if (!typesMatching(pattern)) faults.push(toUnknownEventError(pattern, `/events/${nth}`));
  return [...new Set(given)];
}

/** A condition of blanks alone is none. */
const conditionOf = (text: string | null): string | null => (text?.trim() ? text : null);

/** @throws Problem invalid_request */
export function readRuleChanges(
  body: Pick<UpdateRuleBody, 'events' | 'filter' | 'actions' | 'rate_limit'>,
): RuleInput {
  const faults: FieldError[] = [];
  const events = body.events ? readEvents(body.events, faults) : null;
  const read = body.actions ? readActions(body.actions, faults) : null;
  const rate = body.rate_limit;
  if (faults.length) throw invalid(faults);
  return {
    events,
    filter: body.filter === undefined ? undefined : conditionOf(body.filter),
    actions: read?.actions ?? null,
    given: read?.given ?? {},
    rateLimit: rate === undefined ? undefined : rateLimitOf(rate)!,
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
