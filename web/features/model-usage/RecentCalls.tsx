/** The newest model calls; a sheet shows one, with its prompt and response where the workspace stores them. */
import { Badge, Box, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { modelCallQuery, modelCallsQuery } from '../../api/model-calls.ts';
import type { ModelCall } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { formatNumber, rich, t } from '../../copy/text.ts';
import { TextLink } from '../../design/links.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { Status } from '../../design/Status.tsx';
import ui from '../../design/ui.module.css';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { DataTable } from '../../patterns/table/DataTable.tsx';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import { ObjectName } from '../../patterns/ObjectName.tsx';
import { formatDuration } from '../../design/duration-text.ts';
import { CallSheet } from './CallSheet.tsx';
import { formatUsd } from '../budgets/budget-text.ts';
import { OUTCOMES } from './usage-text.ts';

const COLUMNS: Column<ModelCall>[] = [
  {
    key: 'outcome',
    title: t('Status'),
    fixed: true,
    width: 120,
    render: ({ outcome }) => <Status tone={OUTCOMES[outcome].tone}>{OUTCOMES[outcome].label}</Status>,
  },
  {
    key: 'model',
    title: t('Model'),
    fixed: true,
    render: ({ model, test }) => (
      <>
        <span className={ui.mono}>{model}</span> {test && <Badge>{t('Test')}</Badge>}
      </>
    ),
  },
  {
    key: 'actor',
    title: t('Called by'),
    from: 'wide',
    render: ({ actor }) => <ObjectName id={actor} />,
  },
  {
    key: 'route',
    title: t('Route'),
    from: 'widest',
    render: ({ route }) => <span className={ui.mono}>{route}</span>,
  },
  {
    key: 'tokens',
    title: t('Tokens'),
    align: 'right',
    from: 'medium',
    width: 110,
    render: ({ input_tokens: input, output_tokens: output }) => formatNumber(input + output),
  },
  {
    key: 'cost',
    title: t('Cost'),
    align: 'right',
    from: 'wide',
    width: 100,
    render: ({ cost_usd: cost, outcome }) => {
      if (cost === null) return t('Unknown');
      return cost === 0 && outcome === 'failed' ? '–' : formatUsd(cost);
    },
  },
  {
    key: 'duration_ms',
    title: t('Duration'),
    align: 'right',
    from: 'medium',
    width: 100,
    render: ({ duration_ms: ms }) => formatDuration(ms),
  },
  {
    key: 'created_at',
    title: t('Created'),
    width: 140,
    sorted: true,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];

/** @param props.selected ID of the call whose sheet is open */
export function RecentCalls({ selected }: { selected: string | undefined }) {
  const { workspace } = useWorkspace();
  const list = useInfiniteQuery(modelCallsQuery(workspace.id));
  return (
    <Box component="section" mt="xl">
      <Title order={2} size="h4" mb={4}>
        {t('Recent calls')}
      </Title>
      <Text c="dimmed" mb="sm">
        {rich("Calls over a budget are rejected and aren't listed. <link>View rejected calls</link>", {
          link: (words) => (
            <TextLink
              to="/w/$workspace/requests"
              params={{ workspace: workspace.slug }}
              search={{ actor: 'all', error: 'budget_exceeded' }}
            >
              {words}
            </TextLink>
          ),
        })}
      </Text>
      <DataTable
        label={t('Recent calls')}
        list={list}
        columns={COLUMNS}
        selected={selected}
        failed={({ outcome }) => outcome === 'failed' || outcome === 'interrupted'}
        rowLabel={({ model, outcome }) => `${model} ${outcome}`}
        link={sheetLink('call')}
        empty={<Text c="dimmed">{t('Calls of the last 90 days appear here when they end.')}</Text>}
      />
      <RecordSheet
        param="call"
        rows={list.data}
        single={(id) => modelCallQuery(workspace.id, id)}
        title={({ model }) => <span className={ui.mono}>{model}</span>}
      >
        {(call) => <CallSheet call={call} />}
      </RecordSheet>
    </Box>
  );
}
