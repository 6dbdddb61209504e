/** Checks that the author of a rule may do what the rule does: the scopes of its events and actions, and its models. */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import { assertModelsAllowed } from '../../../core/auth/allowed-models.ts';
import { mayDo, type Scope } from '../../../core/vocabulary/scopes.ts';
import { CATALOG, typesMatching } from '../../../core/vocabulary/event-catalog.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { ActionObject, ActionType } from './rule-action.schema.ts';

const SCOPE_OF_ACTION: Record<ActionType, Scope> = {
  send_message: 'messages:write',
  create_link: 'links:create',
  call_webhook: 'webhooks:write',
  ask_model: 'models:invoke',
};

const getScopes = (events: readonly string[], actions: readonly Pick<ActionObject, 'type'>[]): Scope[] => [
  ...new Set([
    ...events.flatMap((pattern) => (typesMatching(pattern) ?? []).map((type) => CATALOG[type].scope)),
    ...actions.map(({ type }) => SCOPE_OF_ACTION[type]),
  ]),
];

/**
 * Checks the scopes, and that a key with `allowed_models` may call each model: a rule calls models without the key.
 * @param actor creates, updates, enables or replays the rule
 * @throws Problem insufficient_scope with the missing scopes; model_not_allowed
 */
export function assertMayRule(
  actor: WorkspaceActor,
  { events, actions }: { events: readonly string[]; actions: readonly ActionObject[] },
): void {
  const lacking = getScopes(events, actions).filter((scope) => !mayDo(actor.scopes, scope));
  if (lacking.length)
    throw new Problem(
      'insufficient_scope',
      `The events and actions of the rule require the scope${lacking.length > 1 ? 's' : ''} ${lacking.join(', ')}.`,
    );
  assertModelsAllowed(
    actor,
    actions.flatMap((action, nth) =>
      action.type === 'ask_model' ? [[`/actions/${nth}/model`, action.model] as const] : [],
    ),
  );
}
