/** The list of domains for short links. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconWorld } from '@tabler/icons-react';
import { domainQuery, domainsKey, domainsQuery } from '../../api/domains.ts';
import { useLiveEvents } from '../../api/live-events.ts';
import type { Domain } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { rich, t } from '../../copy/text.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { Status } from '../../design/Status.tsx';
import ui from '../../design/ui.module.css';
import { lazily } from '../../patterns/lazily.ts';
import type { Filter } from '../../patterns/list/filter.ts';
import { ListPage } from '../../patterns/list/ListPage.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { DOMAIN_ACTIONS, DomainDialog } from './domain-actions.ts';
import { STATES } from './domain-text.ts';

const DomainSheet = lazily(() => import('./DomainSheet.tsx'), 'DomainSheet');

const route = getRouteApi('/w/$workspace/domains');

const FIRST_DOMAIN = { method: 'POST', path: '/domains', body: { host: 'links.example.com' } } as const;

const FILTERS: Filter[] = [
  {
    key: 'state',
    kind: 'choice',
    label: t('Status'),
    options: Object.entries(STATES).map(([value, { label }]) => ({ value, label })),
  },
];

const COLUMNS: Column<Domain>[] = [
  {
    key: 'host',
    title: t('Hostname'),
    fixed: true,
    render: ({ host }) => <span className={ui.mono}>{host}</span>,
  },
  {
    key: 'state',
    title: t('Status'),
    render: ({ state }) => <Status tone={STATES[state].tone}>{STATES[state].label}</Status>,
  },
  {
    key: 'checked_at',
    title: t('Last checked'),
    from: 'medium',
    render: ({ checked_at: at }) => <RelativeTime at={at} none={t('Never')} />,
  },
  {
    key: 'created_at',
    title: t('Created'),
    from: 'medium',
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];

export function Domains() {
  const { workspace, defaultDomain } = useWorkspace();
  const search = route.useSearch();
  const client = useQueryClient();
  const refresh = () => void client.invalidateQueries({ queryKey: domainsKey(workspace.id) });
  useLiveEvents(workspace.id, 'domain.*', refresh);
  return (
    <ListPage
      name="domains"
      title={t('Domains')}
      description={rich(
        'Custom domains for short links. Without one, links use <host>{host}</host>.',
        { host: (words) => <span className={ui.mono}>{words}</span> },
        { host: defaultDomain },
      )}
      search={t('Search by hostname')}
      filters={FILTERS}
      list={useInfiniteQuery(domainsQuery(workspace.id, search.q, search.state))}
      columns={COLUMNS}
      rowLabel={({ host }) => host}
      actions={DOMAIN_ACTIONS}
      create={{ label: t('Create domain'), scope: 'domains:write', dialog: DomainDialog }}
      single={(id) => domainQuery(workspace.id, id)}
      sheet={(domain, actions) => (
        <DomainSheet key={domain.id} domain={domain} actions={actions} onChange={refresh} />
      )}
      refresh={refresh}
      empty={
        <EmptyList icon={IconWorld} title={t('No domains yet')} call={FIRST_DOMAIN}>
          {t('Use your own domain for short links. Point it to this server and verify it with a DNS record.')}
        </EmptyList>
      }
    />
  );
}
