/** The list of domains for short links. */
import { Button } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPlus, IconWorld } from '@tabler/icons-react';
import { useState } from 'react';
import { domainQuery, domainsKey, domainsQuery } from '../../api/domains.ts';
import { useLiveEvents } from '../../api/live-events.ts';
import type { Domain } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { rich, t } from '../../copy/text.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { Status } from '../../design/Status.tsx';
import ui from '../../design/ui.module.css';
import { lazily } from '../../patterns/lazily.ts';
import { OnceOpened } from '../../patterns/lazy-dialogs.tsx';
import type { Filter } from '../../patterns/list/filter.ts';
import { ResourceList } from '../../patterns/list/ResourceList.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import { type DomainAction, domainActions } from './domain-actions.ts';
import { STATES } from './domain-text.ts';

const DomainSheet = lazily(() => import('./DomainSheet.tsx'), 'DomainSheet');
const DomainDialog = lazily(() => import('./DomainDialog.tsx'), 'DomainDialog');
const DomainDialogs = lazily(() => import('./DomainDialogs.tsx'), 'DomainDialogs');

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
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const list = useInfiniteQuery(domainsQuery(workspace.id, search.q, search.state));
  const [acting, setActing] = useState<{ domain: Domain; action: DomainAction | null } | null>(null);
  const refresh = () => void client.invalidateQueries({ queryKey: domainsKey(workspace.id) });
  useLiveEvents(workspace.id, 'domain.*', refresh);
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const actions = domainActions((domain, action) => setActing({ domain, action }));
  const create = useCan('domains:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ create: true })}>
      {t('Create domain')}
    </Button>
  );
  return (
    <>
      <ResourceList
        name="domains"
        title={t('Domains')}
        description={rich(
          'Custom domains for short links. Without one, links use <host>{host}</host>.',
          { host: (words) => <span className={ui.mono}>{words}</span> },
          { host: defaultDomain },
        )}
        buttons={create}
        search={t('Search by hostname')}
        filters={FILTERS}
        list={list}
        columns={COLUMNS}
        selected={search.id}
        link={sheetLink()}
        rowLabel={({ host }) => host}
        actions={actions}
        empty={
          <EmptyList icon={IconWorld} title={t('No domains yet')} call={FIRST_DOMAIN}>
            {t(
              'Use your own domain for short links. Point it to this server and verify it with a DNS record.',
            )}
          </EmptyList>
        }
      />
      <RecordSheet
        rows={list.data}
        single={(id) => domainQuery(workspace.id, id)}
        title={({ host }) => host}
        busy={(acting?.action ?? null) !== null || search.create === true}
      >
        {(domain) => <DomainSheet key={domain.id} domain={domain} actions={actions} onChange={refresh} />}
      </RecordSheet>
      <OnceOpened opened={acting !== null}>
        {acting && (
          <DomainDialogs
            key={acting.domain.id}
            domain={acting.domain}
            action={acting.action}
            onClose={() => setActing({ ...acting, action: null })}
            onDone={(isGone) => {
              setActing({ ...acting, action: null });
              refresh();
              if (isGone && search.id === acting.domain.id) go({ id: undefined });
            }}
          />
        )}
      </OnceOpened>
      <OnceOpened opened={search.create === true}>
        <DomainDialog
          opened={search.create === true}
          domain={null}
          onClose={() => go({ create: undefined })}
          onDone={({ id }) => {
            refresh();
            go({ create: undefined, id });
          }}
        />
      </OnceOpened>
    </>
  );
}
