/** Columns of the list of model providers. */
import { Text } from '@mantine/core';
import type { ModelProvider, ModelProviderKind } from '../../api/types.ts';
import { formatNumber, t } from '../../copy/text.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { Status } from '../../design/Status.tsx';
import ui from '../../design/ui.module.css';
import type { Column } from '../../patterns/table/column.ts';
import classes from './model-providers.module.css';
import { getState } from './provider-text.ts';

export function ProviderState({ provider }: { provider: ModelProvider }) {
  const { tone, label } = getState(provider);
  return <Status tone={tone}>{label}</Status>;
}

export const providerColumns = (kinds: readonly ModelProviderKind[]): Column<ModelProvider>[] => [
  {
    key: 'name',
    title: t('Provider'),
    fixed: true,
    render: ({ name, slug }) => (
      <div className={classes.name}>
        <Text truncate>{name}</Text>
        {slug !== name.toLowerCase() && (
          <Text size="xs" c="dimmed" truncate className={ui.mono}>
            {slug}
          </Text>
        )}
      </div>
    ),
  },
  {
    key: 'kind',
    title: t('Kind'),
    from: 'medium',
    render: ({ kind }) => kinds.find(({ id }) => id === kind)?.name ?? kind,
  },
  {
    key: 'state',
    title: t('Status'),
    render: (provider) => (
      <>
        <ProviderState provider={provider} />
        {provider.last_error && (
          <Text
            size="xs"
            c="dimmed"
            lineClamp={3}
            className={classes.error}
            title={provider.last_error.detail}
          >
            {provider.last_error.detail}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'models',
    title: t('Models'),
    align: 'right',
    from: 'medium',
    render: ({ models_count: count }) => formatNumber(count),
  },
  {
    key: 'listed_at',
    title: t('Models updated'),
    from: 'wide',
    render: ({ listed_at: at }) => <RelativeTime at={at} none={t('Never')} />,
  },
  {
    key: 'created_at',
    title: t('Created'),
    from: 'widest',
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];
