/** The models that a provider lists or was told to offer, with their IDs and prices. */
import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconCoin, IconRefresh, IconSparkles } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import atoms from '../../design/atoms.module.css';
import { refreshModelProvider } from '../../api/model-providers.ts';
import { listedModelsQuery } from '../../api/model-providers.ts';
import type { ListedModel, ModelProvider } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { CopyButton } from '../../design/CopyButton.tsx';
import ui from '../../design/ui.module.css';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import type { Action } from '../../patterns/actions/action.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { ResourceList } from '../../patterns/list/ResourceList.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { formatContext, formatPrice } from './provider-text.ts';

const PriceDialog = lazyDialog(() => import('./PriceDialog.tsx'), 'PriceDialog');

const route = getRouteApi('/w/$workspace/model-providers/$id');

const SOURCES: Record<NonNullable<ListedModel['price_source']>, string> = {
  configured: t('You'),
  listed: t('Provider'),
  local: t('Local'),
};

const COLUMNS: Column<ListedModel>[] = [
  {
    key: 'id',
    title: t('Model'),
    fixed: true,
    render: ({ id, model_ids: ids, pricing }) => {
      const names =
        ids.length === 0 ? (
          <span className={`${ui.mono} ${atoms.breaks} ${atoms.dimmed}`}>
            {id} {t('(not selected)')}
          </span>
        ) : (
          ids.map((one) => (
            <div key={one} className={ui.id}>
              <span className={`${ui.mono} ${atoms.breaks}`}>{one}</span>
              <CopyButton text={one} label={t('Copy model ID')} className={ui.idCopy} />
            </div>
          ))
        );
      return (
        <>
          {names}
          {pricing && (
            <Text size="xs" c="dimmed" className={ui.narrowOnly}>
              {t('{input} in · {output} out / 1M tokens', {
                input: formatPrice(pricing.input),
                output: formatPrice(pricing.output),
              })}
            </Text>
          )}
        </>
      );
    },
  },
  {
    key: 'context',
    title: t('Context'),
    align: 'right',
    from: 'wide',
    render: ({ context_length: tokens }) => formatContext(tokens),
  },
  {
    key: 'input',
    title: t('Input / 1M tokens'),
    align: 'right',
    from: 'medium',
    render: ({ pricing }) => formatPrice(pricing?.input),
  },
  {
    key: 'output',
    title: t('Output / 1M tokens'),
    align: 'right',
    from: 'medium',
    render: ({ pricing }) => formatPrice(pricing?.output),
  },
  {
    key: 'cached',
    title: t('Cached input / 1M tokens'),
    align: 'right',
    from: 'medium',
    render: ({ pricing }) => formatPrice(pricing?.cached_input),
  },
  {
    key: 'source',
    title: t('Price source'),
    from: 'medium',
    render: ({ price_source: source }) => (source === null ? t('Not set') : SOURCES[source]),
  },
];

interface ProviderModelsProps {
  provider: ModelProvider;
  /** Undefined if the user may not refresh the list. */
  onRefresh: (() => void) | undefined;
}

export function ProviderModels({ provider, onRefresh }: ProviderModelsProps) {
  const { workspace } = useWorkspace();
  const { q } = route.useSearch();
  const navigate = useNavigate();
  const list = useInfiniteQuery(listedModelsQuery(workspace.id, provider, q));
  const [priced, setPriced] = useState<{ model: ListedModel; opened: boolean } | null>(null);
  const actions = useMemo(
    (): Action<ListedModel>[] => [
      {
        id: 'price',
        label: () => t('Edit price'),
        icon: IconCoin,
        scope: 'providers:write',
        run: (model) => setPriced({ model, opened: true }),
      },
      {
        id: 'try',
        label: () => t('Open in playground'),
        icon: IconSparkles,
        scope: 'models:invoke',
        applies: ({ model_ids: ids }) => ids.length > 0,
        run: ({ model_ids: [model] }) =>
          void navigate({
            to: '/w/$workspace/models',
            params: { workspace: workspace.slug },
            search: { ...(model !== undefined && { model }) },
          }),
      },
    ],
    [navigate, workspace.slug],
  );
  return (
    <>
      <ResourceList
        part
        name="listed-models"
        title={t('Models')}
        search={t('Search models')}
        list={list}
        columns={COLUMNS}
        rowLabel={({ id }) => id}
        actions={actions}
        empty={
          <EmptyList
            icon={IconSparkles}
            title={t('No models listed')}
            action={
              onRefresh && (
                <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={onRefresh}>
                  {t('Refresh models')}
                </Button>
              )
            }
            call={refreshModelProvider(provider.id)}
          >
            {t('The list is read every hour. Refresh it now, or enter the models in the settings.')}
          </EmptyList>
        }
      />
      {(q !== undefined || list.data?.length !== 0) && (
        <AsCurl call={{ method: 'GET', path: `/model-providers/${provider.id}/models` }} />
      )}
      {priced && (
        <PriceDialog
          key={priced.model.id}
          opened={priced.opened}
          provider={provider}
          model={priced.model}
          onClose={() => setPriced({ ...priced, opened: false })}
        />
      )}
    </>
  );
}
