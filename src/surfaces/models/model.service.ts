/** Finds models across all providers of a workspace and records usage. */
import type { ReadUnit } from '../../core/unit-of-work.ts';
import { Problem } from '../../platform/http/problem.ts';
import { addModelUsage } from './model.store.ts';
import type { Model, ModelProvider, TokenUsage } from './provider.ts';

/** Returns the providers of a workspace. */
export type ProvidersOf = (workspaceId: string) => Promise<ModelProvider[]>;

export const presentModel = (model: Model) => ({
  ...model,
  object: 'model' as const,
  created: Math.floor(model.created.getTime() / 1000),
  provider_id: null,
});

export async function listModels(getProviders: ProvidersOf, workspaceId: string): Promise<Model[]> {
  const providers = await getProviders(workspaceId);
  return (await Promise.all(providers.map((provider) => provider.listModels(workspaceId)))).flat();
}

/**
 * Finds a model.
 * @throws Problem not_found with similar model IDs
 */
export async function findModel(
  getProviders: ProvidersOf,
  workspaceId: string,
  id: string,
): Promise<{ model: Model; provider: ModelProvider }> {
  for (const provider of await getProviders(workspaceId)) {
    if (!id.startsWith(`${provider.id}/`)) continue;
    const model = (await provider.listModels(workspaceId)).find((candidate) => candidate.id === id);
    if (model) return { model, provider };
  }
  throw new Problem(
    'not_found',
    `There is no model "${id.slice(0, 100)}". GET /models lists the available models.`,
    {
      errors: [
        { pointer: '/model', code: 'model_not_found', detail: 'must be the ID of a model from GET /models' },
      ],
    },
  );
}

/** Adds a call to the daily totals. */
export async function countUsage(
  unit: ReadUnit,
  workspaceId: string,
  actorId: string,
  model: string,
  usage: TokenUsage | null,
): Promise<void> {
  await addModelUsage(unit.db, workspaceId, {
    day: unit.clock().toISOString().slice(0, 10),
    actor: actorId,
    model,
    prompt: usage?.prompt_tokens ?? 0,
    completion: usage?.completion_tokens ?? 0,
  });
}
