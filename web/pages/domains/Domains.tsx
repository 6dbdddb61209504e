/** Hosts of one's own for short links. */
import { Button, NativeSelect, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPlus, IconWorld } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import { domainQuery, domainsKey, domainsQuery } from '../../api/domains.ts';
import { useLiveEvents } from '../../api/live-events.ts';
import type { Domain } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { OnceOpened, SideSheet } from '../../ui/lazy-dialogs.tsx';
import { EmptyList } from '../../ui/ListStates.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import ui from '../../ui/ui.module.css';
import { STATES } from './domain-text.ts';
import type { DomainAction } from './DomainSheet.tsx';

const DomainSheet = lazy(async () => ({ default: (await import('./DomainSheet.tsx')).DomainSheet }));
const DomainDialog = lazy(async () => ({ default: (await import('./DomainDialog.tsx')).DomainDialog }));

const route = getRouteApi('/w/$workspace/domains');

const FIRST_DOMAIN = { method: 'POST', path: '/domains', body: { host: 'links.example.com' } } as const;

const COLUMNS: Column<Domain>[] = [
  {
    key: 'host',
    title: 'Host',
    render: ({ host }) => <span className={ui.mono}>{host}</span>,
  },
  {
    key: 'state',
    title: 'State',
    render: ({ state }) => <StateDot tone={STATES[state].tone}>{STATES[state].word}</StateDot>,
  },
  {
    key: 'checked_at',
    title: 'Looked for',
    from: 'medium',
    render: ({ checked_at: at }) => <RelativeTime at={at} none="not yet" />,
  },
  {
    key: 'created_at',
    title: 'Added',
    from: 'medium',
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];

export function Domains() {
  const { workspace } = useWorkspace();
  const writes = useCan('domains:write');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const list = useInfiniteQuery(domainsQuery(workspace.id, search.state));
  const listed = list.data?.find(({ id }) => id === search.id);
  // One that a link names, or that has just left the filter, need not be in the list.
  const single = useQuery({
    ...domainQuery(workspace.id, search.id ?? ''),
    enabled: search.id !== undefined && !listed && list.data !== undefined,
  });
  const opened = search.id === undefined ? undefined : (listed ?? single.data);
  const [action, setAction] = useState<DomainAction | null>(null);
  const refresh = () => void client.invalidateQueries({ queryKey: domainsKey(workspace.id) });
  useLiveEvents(workspace.id, 'domain.*', refresh);
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const none = search.state === undefined && list.data?.length === 0;
  const create = writes && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ create: true })}>
      Add a domain
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Domains"
        description={
          <>
            Hosts of your own for short links. Without any they are on{' '}
            <span className={ui.mono}>{window.location.host}</span>.
          </>
        }
      >
        {create}
      </PageHeader>
      {!none && (
        <NativeSelect
          size="xs"
          mb="sm"
          maw={200}
          aria-label="State"
          data={[
            { value: '', label: 'Any state' },
            ...Object.entries(STATES).map(([value, { word }]) => ({ value, label: word })),
          ]}
          value={search.state ?? ''}
          onChange={({ currentTarget }) =>
            go({ state: (currentTarget.value || undefined) as Domain['state'] | undefined })
          }
        />
      )}
      <DataTable
        label="Domains"
        list={list}
        columns={COLUMNS}
        selected={search.id}
        onSelect={(id) => go({ id })}
        empty={
          none ? (
            <EmptyList icon={IconWorld} title="No domains yet" action={create} call={FIRST_DOMAIN}>
              Point a host to this server and show by a DNS record that it is yours; then short links can be
              on it, and visitors see your name.
            </EmptyList>
          ) : (
            <Text c="dimmed" py="xl" ta="center">
              No domain is in this state.
            </Text>
          )
        }
      />
      <OnceOpened opened={opened !== undefined}>
        <SideSheet
          record={opened}
          ids={list.data?.map(({ id }) => id) ?? []}
          title={({ host }) => host}
          onSelect={(id) => go({ id })}
          busy={action !== null}
        >
          {(domain) => (
            <DomainSheet
              key={domain.id}
              domain={domain}
              action={action}
              onAction={setAction}
              onDone={(isGone) => {
                setAction(null);
                refresh();
                if (isGone) go({ id: undefined });
              }}
            />
          )}
        </SideSheet>
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
