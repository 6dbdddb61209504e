/** The log of API requests: live, with counts above it. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconListDetails } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { memberNameQuery, memberOptionsQuery } from '../../api/members.ts';
import { pollFirstPage } from '../../api/list.ts';
import { operationOptionsQuery, requestQuery, requestsQuery } from '../../api/requests.ts';
import type { ApiRequest } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { TextLink } from '../../design/links.tsx';
import { useFromClock } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import type { Filter } from '../../patterns/list/filter.ts';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { LiveLog } from '../../patterns/live/LiveLog.tsx';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import { apiKeyFilter } from '../../patterns/list/key-filter.ts';
import { requestColumns } from './request-columns.tsx';
import {
  getPath,
  getSender,
  isChartWider,
  listFilter,
  METHODS,
  type Sender,
  SPANS,
  statusTone,
  usageFilter,
} from './request-text.ts';
import { RequestSheet } from './RequestSheet.tsx';
import { RequestUsageChart } from './RequestUsage.tsx';

const route = getRouteApi('/w/$workspace/requests');

const LIVE_MS = 2000;
const HOUR_MS = 3_600_000;
const CHART_HEIGHT = 120;

const SENDERS: { value: Sender; label: string }[] = [
  { value: 'api_key', label: t('API keys') },
  { value: 'user', label: t('People in the console') },
  { value: 'all', label: t('All senders') },
];

const personFilter = (workspaceId: string): Filter => ({
  kind: 'lookup',
  key: 'person',
  label: t('Person'),
  options: (text) => memberOptionsQuery(workspaceId, text),
  labelFor: (id) => memberNameQuery(workspaceId, id),
});

const getName = (request: ApiRequest): string => `${request.method} ${getPath(request)} ${request.status}`;

export function Requests() {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const readsUsage = useCan('usage:read');
  const readsKeys = useCan('api_keys:read');
  const sender = getSender(search);
  const usual = getSender({ ...search, actor: undefined });
  const [openedAt] = useState(Date.now);
  const [paused, setPaused] = useState(false);
  const hour = useFromClock((now) => Math.floor(now / HOUR_MS) * HOUR_MS);
  const list = useInfiniteQuery({
    ...requestsQuery(workspace.id, listFilter(search, openedAt)),
    refetchInterval: pollFirstPage(LIVE_MS, !paused),
  });
  const rows = list.data;
  // The IDs of requests are in the order of time.
  const [newest, setNewest] = useState<string>();
  if (newest === undefined && rows) setNewest(rows[0]?.id ?? '');
  const filters = useMemo(
    (): Filter[] => [
      { kind: 'flag', key: 'errors', label: t('Errors only') },
      {
        kind: 'choice',
        key: 'status',
        label: t('Status'),
        options: ['2xx', '3xx', '4xx', '5xx'].map((value) => ({ value, label: value })),
      },
      {
        kind: 'choice',
        key: 'method',
        label: t('Method'),
        options: METHODS.map((value) => ({ value, label: value })),
      },
      readsUsage
        ? {
            kind: 'lookup',
            key: 'operation',
            label: t('Operation'),
            options: (text) => operationOptionsQuery(workspace.id, text),
          }
        : { kind: 'text', key: 'operation', label: t('Operation'), placeholder: 'links.create' },
      { kind: 'text', key: 'error', label: t('Error code'), placeholder: 'invalid_request' },
      {
        kind: 'choice',
        key: 'actor',
        label: t('Sent by'),
        options: SENDERS,
        usual,
        clears: ['key', 'person'],
      },
      ...(sender === 'api_key' && readsKeys ? [apiKeyFilter(workspace.id)] : []),
      ...(sender === 'user' ? [personFilter(workspace.id)] : []),
      { kind: 'text', key: 'address', label: t('IP address'), placeholder: '203.0.113.7' },
      { kind: 'choice', key: 'since', label: t('Time'), options: SPANS },
    ],
    [workspace.id, readsUsage, readsKeys, sender, usual],
  );
  return (
    <>
      <LiveLog
        name="requests"
        title={t('Requests')}
        description={t('Every API request of the last 7 days, by API keys and by people in the console.')}
        notice={
          readsUsage &&
          // It would count requests that the list leaves out.
          !isChartWider(search) && (
            <RequestUsageChart
              filter={usageFilter(search, hour)}
              height={CHART_HEIGHT}
              errorsOnly={search.errors ?? false}
            />
          )
        }
        live={{ state: list.error ? 'retrying' : 'live', paused, onPause: setPaused }}
        filters={filters}
        list={list}
        columns={requestColumns}
        selected={search.id}
        fresh={({ id }) => newest !== undefined && id > newest}
        link={sheetLink()}
        rowLabel={getName}
        failed={({ status }) => statusTone(status) === 'bad'}
        empty={
          <EmptyList
            icon={IconListDetails}
            title={t('No requests of API keys yet')}
            call={{ method: 'GET', path: '/me' }}
            action={
              <TextLink
                to="/w/$workspace/requests"
                params={{ workspace: workspace.slug }}
                search={{ actor: 'all' }}
              >
                {t('View requests of all senders')}
              </TextLink>
            }
          >
            {t('Requests appear here about a second after they are sent.')}
          </EmptyList>
        }
      />
      <RecordSheet
        rows={rows}
        single={(id) => requestQuery(workspace.id, id)}
        title={(request) => <span className={ui.mono}>{`${request.method} ${getPath(request)}`}</span>}
      >
        {(request) => <RequestSheet request={request} />}
      </RecordSheet>
    </>
  );
}
