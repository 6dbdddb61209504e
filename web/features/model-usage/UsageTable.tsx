/** Usage by model, key, provider or route. Selecting a value filters the page by it. */
import { SegmentedControl, Text, UnstyledButton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { apiKeyNameQuery } from '../../api/api-keys.ts';
import { memberNameQuery } from '../../api/members.ts';
import { modelProviderNameQuery } from '../../api/model-providers.ts';
import { modelUsageExportPath, type ModelUsageQuery, modelUsageQuery } from '../../api/model-usage.ts';
import type { ModelUsageItem } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { formatNumber, t } from '../../copy/text.ts';
import ui from '../../design/ui.module.css';
import { ExportButton } from '../../patterns/ExportButton.tsx';
import { FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import classes from './model-usage.module.css';
import type { UsageSearch } from './usage-search.ts';
import { formatCost, formatLatency, formatTokens } from './usage-text.ts';

const GROUPS = [
  { value: 'model', label: t('Model') },
  { value: 'key', label: t('API key') },
  { value: 'provider', label: t('Provider') },
  { value: 'route', label: t('Route') },
] as const;

type Group = (typeof GROUPS)[number]['value'];

const NONE: Record<Group, string> = {
  model: t('None'),
  key: t('None'),
  provider: t('Built-in'),
  route: t('No route'),
};

interface UsageTableProps {
  search: UsageSearch;
  query: ModelUsageQuery;
  go: (change: { [K in Group | 'by']?: UsageSearch[K] | undefined }) => void;
}

export function UsageTable({ search, query, go }: UsageTableProps) {
  const { workspace } = useWorkspace();
  const by: Group = search.by ?? 'model';
  const grouped = { ...query, group_by: by };
  const { data, error, refetch } = useQuery({
    ...modelUsageQuery(workspace.id, grouped),
    placeholderData: keepPreviousData,
  });
  return (
    <section className={classes.card}>
      <div className={classes.cardHead}>
        <SegmentedControl
          size="xs"
          aria-label={t('Group by')}
          data={GROUPS.map(({ value, label }) => ({ value, label }))}
          value={by}
          onChange={(value) => go({ by: value === 'model' ? undefined : value })}
        />
        <ExportButton
          small
          label={t('Export {label}', { label: GROUPS.find(({ value }) => value === by)?.label ?? by })}
          path={modelUsageExportPath(grouped)}
          fileName={`model-usage-by-${by}.csv`}
        />
      </div>
      {/* The placeholder data may belong to another group. */}
      {data && data.group_by === by ? (
        <Numbers by={by} items={data.data} choose={(value) => go({ [by]: value })} />
      ) : error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingList />
      )}
    </section>
  );
}

interface NumbersProps {
  by: Group;
  items: readonly ModelUsageItem[];
  choose: (value: string) => void;
}

function Numbers({ by, items, choose }: NumbersProps) {
  const label = GROUPS.find(({ value }) => value === by)?.label ?? by;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a wide table is scrolled by keys
    <div className={classes.numbers} tabIndex={0} role="region" aria-label={t('Usage by {label}', { label })}>
      <table>
        <thead>
          <tr>
            <th scope="col">{label}</th>
            <th scope="col">{t('Calls')}</th>
            <th scope="col">{t('Failed')}</th>
            <th scope="col" className={classes.fine}>
              {t('Input tokens')}
            </th>
            <th scope="col" className={classes.fine}>
              {t('Output tokens')}
            </th>
            <th scope="col">{t('Cost')}</th>
            <th scope="col" className={classes.fine}>
              {t('First byte (p50)')}
            </th>
            <th scope="col" className={classes.fine}>
              {t('First byte (p95)')}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.value ?? ''}>
              <th scope="row">
                {item.value === null ? (
                  <Text c="dimmed">{NONE[by]}</Text>
                ) : (
                  <UnstyledButton
                    className={classes.value}
                    data-tip={t('Filter by this value')}
                    onClick={() => choose(item.value ?? '')}
                  >
                    <ValueName by={by} value={item.value} />
                  </UnstyledButton>
                )}
                <Text size="xs" c="dimmed" className={ui.narrowOnly}>
                  {t('{input} in, {output} out', {
                    input: formatTokens(item.input_tokens),
                    output: formatTokens(item.output_tokens),
                  })}
                  {` · ${formatLatency(item.first_byte_p50_ms)}`}
                </Text>
              </th>
              <td>{formatNumber(item.calls)}</td>
              <td>{formatNumber(item.failures)}</td>
              <td className={classes.fine}>{formatTokens(item.input_tokens)}</td>
              <td className={classes.fine}>{formatTokens(item.output_tokens)}</td>
              <td>{formatCost(item)}</td>
              <td className={classes.fine}>{formatLatency(item.first_byte_p50_ms)}</td>
              <td className={classes.fine}>{formatLatency(item.first_byte_p95_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The name of a key, person or provider; models and routes are their own. */
function ValueName({ by, value }: { by: Group; value: string }) {
  const { workspace } = useWorkspace();
  const named =
    by === 'provider'
      ? modelProviderNameQuery(workspace.id, value)
      : value.startsWith('usr_')
        ? memberNameQuery(workspace.id, value)
        : apiKeyNameQuery(workspace.id, value);
  const { data: name } = useQuery({ ...named, enabled: by === 'provider' || by === 'key', retry: false });
  if (name !== undefined) return name;
  return <span className={ui.mono}>{value}</span>;
}
