/** Operations on model providers. */
import type { EventType } from '../../../core/vocabulary/event-catalog.ts';
import type { AssertUrlAllowed } from '../../../core/webhooks/webhook-url.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { getPage, toCompleteList } from '../../../platform/http/pagination.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { ModelProviderKind, presentKind } from './provider-kind.schema.ts';
import { PROVIDER_KINDS } from './provider-kinds.ts';
import { readNewProvider, readProviderChanges } from './provider-input.ts';
import { presentProvider } from './provider-present.ts';
import { applyTest, checkProvider, type ProviderTestDeps, testProvider } from './provider-test.service.ts';
import {
  CheckModelProvider,
  CreateModelProvider,
  ListedModel,
  ListedModelList,
  ModelProvider,
  ModelProviderList,
  ModelProviderTest,
  TestModelProvider,
  UpdateModelProvider,
} from './provider.schema.ts';
import * as service from './provider.service.ts';
import { applyList, readListOf } from './refresh.ts';

export interface ProviderOperationDeps extends service.ProviderDeps, ProviderTestDeps {
  /** Called after a commit that changes the models that calls can use. */
  catalogChanged: (workspaceId: string) => void;
  assertUrlAllowed: AssertUrlAllowed;
}

const HEALTH_EVENTS: readonly EventType[] = ['model_provider.failing', 'model_provider.recovered'];
const isModelName = (key: string): boolean => /^[\x21-\x7e]{1,200}$/.test(key);

export const providerOperations = (deps: ProviderOperationDeps): Operation[] => [
  operation(
    {
      id: 'model_provider_kinds.list',
      method: 'GET',
      path: '/model-provider-kinds',
      tag: 'Model providers',
      summary: 'List model provider kinds',
      description: 'Returns all kinds of model providers without pagination.',
      access: 'providers:read',
      success: { status: 200, description: 'All kinds.', schema: toListSchema(ModelProviderKind) },
    },
    () => ({ body: toCompleteList(PROVIDER_KINDS.map(presentKind)) }),
  ),
  operation(
    {
      id: 'model_providers.create',
      method: 'POST',
      path: '/model-providers',
      tag: 'Model providers',
      summary: 'Create a model provider',
      description:
        'Its models are listed in the background, first within seconds and then every hour. They appear in `GET /models` as `{slug}/{model}`.',
      access: 'providers:write',
      body: CreateModelProvider,
      bodyExample: {
        kind: 'openai_compatible',
        name: 'Our models',
        base_url: 'https://models.example.com/v1',
        api_key: 'sk-example',
      },
      success: { status: 201, description: 'The model provider.', schema: ModelProvider },
      errors: ['slug_taken', 'quota_exceeded', 'address_not_allowed', 'model_not_allowed'],
      events: ['model_provider.created'],
      audit: 'model_provider',
    },
    ({ body }) => deps.assertUrlAllowed(readNewProvider(body).baseUrl, '/base_url'),
    async ({ actor, body, unit }) => {
      unit.afterCommit(() => deps.catalogChanged(actor.workspaceId));
      const { provider, version } = await service.createProvider(unit, deps, actor, body);
      const { slug, kind, base_url: url } = provider;
      return {
        body: provider,
        version,
        created: true,
        auditDetails: { slug, kind, origin: new URL(url).origin },
      };
    },
  ),
  operation(
    {
      id: 'model_providers.list',
      method: 'GET',
      path: '/model-providers',
      tag: 'Model providers',
      summary: 'List model providers',
      description: 'The built-in provider `fairlead` is not included.',
      access: 'providers:read',
      query: ModelProviderList,
      success: {
        status: 200,
        description: 'A page of model providers, newest first.',
        schema: toListSchema(ModelProvider),
      },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listProviders(unit, actor.workspaceId, getPage(query), {
        search: query.search,
        kind: query.kind,
        state: query.state,
        enabled: query.enabled,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
  operation(
    {
      id: 'model_providers.get',
      method: 'GET',
      path: '/model-providers/{id}',
      tag: 'Model providers',
      summary: 'Get a model provider',
      access: 'providers:read',
      params: IdParams('model_provider'),
      success: { status: 200, description: 'The model provider.', schema: ModelProvider },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('model_provider', params.id);
      const { provider, version } = await service.getProvider(unit, actor.workspaceId, id);
      return { body: provider, version };
    },
  ),
  operation(
    {
      id: 'model_providers.update',
      method: 'PATCH',
      path: '/model-providers/{id}',
      tag: 'Model providers',
      summary: 'Update a model provider',
      description:
        'Omitted fields stay unchanged; the kind cannot be changed. `headers` replaces all headers, and null keeps the value of a header. You must give the API key and all header values again when the origin of `base_url` changes.',
      access: 'providers:write',
      params: IdParams('model_provider'),
      body: UpdateModelProvider,
      bodyExample: { timeout_seconds: 120, models: [{ id: 'gpt-5', alias: 'fast' }] },
      success: { status: 200, description: 'The updated model provider.', schema: ModelProvider },
      errors: ['slug_taken', 'unprocessable', 'address_not_allowed', 'model_not_allowed'],
      events: ['model_provider.updated'],
      audit: 'model_provider',
    },
    async ({ body }) => {
      const { baseUrl } = readProviderChanges(body);
      if (baseUrl !== undefined) await deps.assertUrlAllowed(baseUrl, '/base_url');
    },
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('model_provider', params.id);
      unit.afterCommit(() => deps.catalogChanged(actor.workspaceId));
      const { provider, version } = await service.updateProvider(unit, deps, actor, id, body, ifMatch);
      return { body: provider, version, auditDetails: { changed: Object.keys(body) } };
    },
  ),
  operation(
    {
      id: 'model_providers.delete',
      method: 'DELETE',
      path: '/model-providers/{id}',
      tag: 'Model providers',
      summary: 'Delete a model provider',
      description:
        'Its models can no longer be called. Calls that are in progress continue. Routes skip its models, and usage keeps its calls.',
      access: 'providers:write',
      params: IdParams('model_provider'),
      success: { status: 204, description: 'Deleted.' },
      events: ['model_provider.deleted'],
      audit: 'model_provider',
    },
    async ({ actor, params, unit, ifMatch }) => {
      const id = requireUuid('model_provider', params.id);
      unit.afterCommit(() => deps.catalogChanged(actor.workspaceId));
      const { slug, kind } = await service.deleteProvider(unit, actor.workspaceId, id, ifMatch);
      return { body: undefined, auditDetails: { slug, kind } };
    },
  ),
  listModels(),
  refreshProvider(deps),
  testOne(deps),
  checkUnsaved(deps),
];

const listModels = (): Operation =>
  operation(
    {
      id: 'model_providers.list_models',
      method: 'GET',
      path: '/model-providers/{id}/models',
      tag: 'Model providers',
      summary: 'List the models of a model provider',
      description:
        'Lists all models that the provider offered when its list was last read, and those in `models` of the provider, in the order of their names, with prices. `model_ids` shows which of them the workspace can call.',
      access: 'providers:read',
      params: IdParams('model_provider'),
      query: ListedModelList,
      success: {
        status: 200,
        description: 'A page of models, by name.',
        schema: toListSchema(ListedModel),
      },
    },
    async ({ actor, params, query, unit }) => {
      const id = requireUuid('model_provider', params.id);
      const page = getPage(query, isModelName);
      return {
        body: await service.listModelsOfProvider(unit, actor.workspaceId, id, page, query.search),
      };
    },
  );

const refreshProvider = (deps: ProviderOperationDeps): Operation =>
  operation(
    {
      id: 'model_providers.refresh',
      method: 'POST',
      path: '/model-providers/{id}/refresh',
      tag: 'Model providers',
      summary: 'Refresh the models of a model provider',
      description:
        'Reads the model list now, within 20 seconds, and returns the provider with the result: `models_count` and `listed_at`, or `last_error`. If the list cannot be read, the previous models stay.',
      access: 'providers:write',
      params: IdParams('model_provider'),
      success: { status: 200, description: 'The model provider after reading.', schema: ModelProvider },
      events: HEALTH_EVENTS,
      audit: 'model_provider',
    },
    ({ actor, params, unit }) =>
      readListOf(unit, deps, actor.workspaceId, requireUuid('model_provider', params.id)),
    async ({ actor, params, unit, prepared }) => {
      const id = requireUuid('model_provider', params.id);
      unit.afterCommit(() => deps.catalogChanged(actor.workspaceId));
      const row = await applyList(unit, actor.workspaceId, id, prepared);
      return {
        body: presentProvider(row),
        version: row.version,
        auditDetails: { models_count: row.models_count, error: row.last_error?.code ?? null },
      };
    },
  );

const testOne = (deps: ProviderOperationDeps): Operation =>
  operation(
    {
      id: 'model_providers.test',
      method: 'POST',
      path: '/model-providers/{id}/test',
      tag: 'Model providers',
      summary: 'Test a model provider',
      description:
        'Lists the models and makes one short call, within 50 seconds in total. The call may cost a fraction of a cent; it counts toward budgets and usage. The result also updates the state of the provider.',
      access: 'providers:write',
      params: IdParams('model_provider'),
      body: TestModelProvider,
      bodyExample: {},
      success: { status: 200, description: 'The result of the test.', schema: ModelProviderTest },
      errors: ['budget_exceeded', 'price_unknown', 'model_not_allowed', 'unsupported_by_provider'],
      events: [...HEALTH_EVENTS, 'budget.threshold_reached'],
      audit: 'model_provider',
    },
    ({ actor, params, body, unit }) =>
      testProvider(unit, deps, actor, requireUuid('model_provider', params.id), body.model ?? null),
    async ({ actor, params, unit, prepared }) => {
      const id = requireUuid('model_provider', params.id);
      unit.afterCommit(() => deps.catalogChanged(actor.workspaceId));
      const result = await applyTest(unit, actor.workspaceId, id, prepared);
      return {
        body: result,
        auditTarget: params.id,
        auditDetails: { ok: result.ok, model: result.call?.model ?? null },
      };
    },
  );

const checkUnsaved = (deps: ProviderOperationDeps): Operation =>
  operation(
    {
      id: 'model_providers.check',
      method: 'POST',
      path: '/model-providers/check',
      whenFull: 'goes_on',
      tag: 'Model providers',
      summary: 'Check settings of a model provider',
      description:
        'Tests a model provider before you create it: lists the models and makes one short call, within 50 seconds in total. The settings are not stored. The call may cost a fraction of a cent; it counts toward budgets and usage.',
      access: 'providers:write',
      body: CheckModelProvider,
      bodyExample: { kind: 'openai', api_key: 'sk-example' },
      success: { status: 200, description: 'The result of the check.', schema: ModelProviderTest },
      errors: [
        'address_not_allowed',
        'budget_exceeded',
        'price_unknown',
        'model_not_allowed',
        'unsupported_by_provider',
      ],
      events: ['budget.threshold_reached'],
      transaction: 'none',
      idempotency: 'refused',
    },
    async ({ actor, body, unit }) => {
      await deps.assertUrlAllowed(readNewProvider(body).baseUrl, '/base_url');
      return { body: await checkProvider(unit, deps, actor, body) };
    },
  );
