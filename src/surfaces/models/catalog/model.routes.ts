/** Operations on models in OpenAI's shape: an OpenAI client pointed at /api/v1 works unchanged. */
import { mayCallModel } from '../../../core/auth/allowed-models.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { toCompleteList } from '../../../platform/http/pagination.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { type Catalog, modelNotFound } from './catalog.ts';
import { presentModel } from './model-present.ts';
import { Model, ModelParams } from './model.schema.ts';

export interface CatalogOperationDeps {
  catalog: Catalog;
}

export const catalogOperations = ({ catalog }: CatalogOperationDeps): Operation[] => [
  operation(
    {
      id: 'models.list',
      method: 'GET',
      path: '/models',
      tag: 'Models',
      summary: 'List models',
      description:
        'Returns all models in one response, as OpenAI clients expect: the built-in `fairlead/echo`, the models of enabled providers, and routes. An API key sees the models that it may call.',
      access: 'models:read',
      success: { status: 200, description: 'The models.', schema: toListSchema(Model) },
      openAi: true,
    },
    async ({ actor }) => {
      const models = (await catalog.list(actor.workspaceId)).filter(({ id }) => mayCallModel(actor, id));
      return { body: toCompleteList(models.map(presentModel)) };
    },
  ),
  operation(
    {
      id: 'models.get',
      method: 'GET',
      path: '/models/{id*}',
      tag: 'Models',
      summary: 'Get a model',
      access: 'models:read',
      params: ModelParams,
      success: { status: 200, description: 'The model.', schema: Model },
      openAi: true,
    },
    async ({ actor, params }) => {
      if (!mayCallModel(actor, params.id)) throw modelNotFound(params.id);
      return { body: presentModel(await catalog.get(actor.workspaceId, params.id)) };
    },
  ),
];
