/** The list of model providers. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useLiveEvents } from '../../api/live-events.ts';
import {
  modelProviderKindsQuery,
  type ModelProviderFilter,
  modelProvidersQuery,
  refreshModelProviders,
} from '../../api/model-providers.ts';
import type { ModelProvider } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import type { Filter } from '../../patterns/list/filter.ts';
import { ListPage } from '../../patterns/list/ListPage.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { ProviderSheet } from './provider-actions.ts';
import { providerColumns } from './provider-columns.tsx';
import { STATE_OPTIONS } from './provider-text.ts';
import { TestResult } from './TestResult.tsx';
import { useProviderActions, useProviderTest } from './use-provider-actions.ts';

const route = getRouteApi('/w/$workspace/model-providers');

const FIRST_PROVIDER = {
  method: 'POST',
  path: '/model-providers',
  body: { kind: 'openai', api_key: 'sk-…' },
} as const;

interface ProviderSearch {
  q?: string;
  kind?: string;
  state?: 'active' | 'failing' | 'disabled';
}

const getFilter = ({ q, kind, state }: ProviderSearch): ModelProviderFilter => ({
  ...(q !== undefined && { search: q }),
  ...(kind !== undefined && { kind: kind as ModelProvider['kind'] }),
  ...(state === 'disabled' ? { enabled: false } : state !== undefined && { state, enabled: true }),
});

export function Providers() {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const list = useInfiniteQuery(modelProvidersQuery(workspace.id, getFilter(search)));
  const { data: kinds } = useQuery(modelProviderKindsQuery(workspace.id));
  const refresh = () => void refreshModelProviders(client, workspace.id);
  useLiveEvents(workspace.id, 'model_provider.*', refresh);
  const test = useProviderTest();
  const actions = useProviderActions(({ id }) => test.mutate(id));
  const columns = useMemo(() => providerColumns(kinds ?? []), [kinds]);
  const filters = useMemo(
    (): Filter[] => [
      {
        key: 'kind',
        kind: 'choice',
        label: t('Kind'),
        options: (kinds ?? []).map(({ id, name }) => ({ value: id, label: name })),
      },
      { key: 'state', kind: 'choice', label: t('Status'), options: STATE_OPTIONS },
    ],
    [kinds],
  );
  const link = ({ id }: { id: string }) => ({
    to: '/w/$workspace/model-providers/$id' as const,
    params: { workspace: workspace.slug, id },
  });
  return (
    <ListPage
      name="model-providers"
      title={t('Model providers')}
      description={t('AI services and local servers whose models you call through this API.')}
      notice={<TestResult test={test} />}
      search={t('Search by name or slug')}
      filters={filters}
      list={list}
      columns={columns}
      link={link}
      rowLabel={({ name }) => name}
      actions={actions}
      example={{ type: 'model_provider.created', with: { models_count: 64 } }}
      empty={
        <EmptyList title={t('No model providers yet')} call={FIRST_PROVIDER}>
          {t(
            'Connect OpenAI, Anthropic, a local Ollama or any OpenAI-compatible server. Your programs call all of them with one key, one format and your budgets.',
          )}
        </EmptyList>
      }
      create={{
        label: t('Connect provider'),
        scope: 'providers:write',
        pushes: true,
        dialog: ProviderSheet,
        onDone: (provider) => void navigate({ ...link(provider), search: { test: true } }),
      }}
      refresh={refresh}
    />
  );
}
