/** Which models an API key may call: IDs of models and routes (`route/name`), or all models of a provider (`provider/*`). */
import { Problem } from '../../platform/http/problem.ts';
import type { Actor } from './actor.ts';

/** Whether a list allows a model, or everything that another entry of a list allows. Null allows all. */
export const allowsModel = (allowed: ReadonlySet<string> | null, model: string): boolean =>
  allowed === null || allowed.has(model) || allowed.has(`${model.slice(0, model.indexOf('/'))}/*`);

/** Whether the caller may call a model. Only API keys are limited. A route counts by its own name. */
export const mayCallModel = (actor: Actor | { kind?: undefined }, model: string): boolean =>
  actor.kind !== 'api_key' || allowsModel(actor.allowedModels, model);

/**
 * Checks that the caller may call models, by the IDs that the caller sent.
 * @param models JSON pointer → model
 * @throws Problem model_not_allowed
 */
export function assertModelsAllowed(
  actor: Actor | { kind?: undefined },
  models: readonly (readonly [pointer: string, model: string])[],
): void {
  const lacking = models.filter(([, model]) => !mayCallModel(actor, model));
  if (!lacking.length) return;
  const names = [...new Set(lacking.map(([, model]) => `"${model.slice(0, 100)}"`))].join(', ');
  throw new Problem(
    'model_not_allowed',
    `The key may not call ${names}. GET /models lists the models that it may call.`,
    {
      errors: lacking.map(([pointer]) => ({
        pointer,
        code: 'model_not_allowed',
        detail: "must be one of the key's allowed_models",
      })),
    },
  );
}
