/** The log of publications, of one endpoint or of all, live, with its filters in the address. */
import { Group, NativeSelect, SegmentedControl } from '@mantine/core';
import { useDocumentVisibility } from '@mantine/hooks';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconBroadcast } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { type PublicationFilter, publicationQuery, publicationsQuery } from '../../api/publications.ts';
import { endpointsQuery } from '../../api/publishing.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { OnceOpened, SideSheet } from '../../ui/lazy-dialogs.tsx';
import { EmptyList, NoMatch } from '../../ui/ListStates.tsx';
import { LiveState } from '../../ui/LiveState.tsx';
import { publicationColumns } from './publication-columns.tsx';
import { PUBLICATION_STATUSES, type PublicationSearch } from './publication-params.ts';
import { statusWord } from './publication-text.ts';
import { PublicationSheet } from './PublicationSheet.tsx';
import { PublicationState } from './PublicationState.tsx';
import { useLivePublications } from './use-live-publications.ts';

const HOUR_MS = 3_600_000;
const SPANS = [
  { value: '', label: 'All' },
  { value: '1', label: '1 h' },
  { value: '24', label: '24 h' },
  { value: '168', label: '7 days' },
];

export interface LogSearch extends PublicationSearch {
  /** Where the log is of all endpoints: the one that is looked at. */
  endpoint?: string;
}

interface PublicationLogProps {
  /** The endpoint whose log it is; undefined for that of all. */
  endpointId?: string;
  search: LogSearch;
  onSearch: (change: LogSearch) => void;
  /** A dialog stands over the page. */
  busy?: boolean;
  /** What stands where nothing came yet. */
  empty?: React.ReactNode;
}

export function PublicationLog({ endpointId, search, onSearch, busy = false, empty }: PublicationLogProps) {
  const { workspace } = useWorkspace();
  const { status, since, publication: id } = search;
  const ofAll = endpointId === undefined;
  const visible = useDocumentVisibility() === 'visible';
  const [paused, setPaused] = useState(false);
  const [asking, setAsking] = useState(false);
  const [openedAt] = useState(Date.now);
  const client = useQueryClient();
  const endpoints = useInfiniteQuery({ ...endpointsQuery(workspace.id, {}), enabled: ofAll });
  const of = endpointId ?? search.endpoint;
  const filter: PublicationFilter = {
    ...(of !== undefined && { endpoint_id: of }),
    ...(status !== undefined && { status }),
    ...(since !== undefined && { created_after: new Date(openedAt - Number(since) * HOUR_MS).toISOString() }),
  };
  const query = publicationsQuery(workspace.id, filter);
  const publications = useInfiniteQuery(query);
  const isLong = (client.getQueryData(query.queryKey)?.pages.length ?? 0) > 1;
  const stream = useLivePublications(workspace.id, { endpointId: of, paused: paused || isLong });
  const listed = publications.data?.find((one) => one.id === id);
  const single = useQuery({ ...publicationQuery(workspace.id, id ?? ''), enabled: !!id && !listed });
  const shown = id === undefined ? undefined : (listed ?? single.data);
  const known = endpoints.data;
  const columns = useMemo(() => {
    const names = new Map(known?.map((one) => [one.id, one.name]));
    return publicationColumns(ofAll ? (one) => names.get(one) ?? one : null);
  }, [ofAll, known]);
  const filtered = status !== undefined || since !== undefined || (ofAll && search.endpoint !== undefined);
  const isIdle = paused || !visible;
  return (
    <>
      <Group gap="sm" mb="sm">
        {ofAll && (
          <NativeSelect
            size="xs"
            aria-label="Endpoint"
            data={[
              { value: '', label: 'Any endpoint' },
              ...(known?.map((one) => ({ value: one.id, label: one.name })) ?? []),
            ]}
            value={search.endpoint ?? ''}
            onChange={({ currentTarget }) => onSearch({ endpoint: currentTarget.value || undefined })}
          />
        )}
        <NativeSelect
          size="xs"
          aria-label="Status"
          data={[
            { value: '', label: 'Any status' },
            ...PUBLICATION_STATUSES.map((one) => ({ value: one, label: statusWord(one) })),
          ]}
          value={status ?? ''}
          onChange={({ currentTarget }) =>
            onSearch({ status: (currentTarget.value || undefined) as typeof status })
          }
        />
        <SegmentedControl
          size="xs"
          aria-label="Received within"
          data={SPANS}
          value={since ?? ''}
          onChange={(value) => onSearch({ since: value || undefined })}
        />
        <LiveState
          paused={paused}
          onPause={setPaused}
          tone={isIdle || isLong ? 'idle' : stream === 'live' ? 'live' : 'warn'}
          said={
            isIdle
              ? 'paused'
              : isLong
                ? 'not live: older ones are shown'
                : stream === 'live'
                  ? 'live'
                  : 'connecting'
          }
        />
      </Group>
      <DataTable
        label="Publications"
        list={publications}
        columns={columns}
        selected={id}
        onSelect={(chosen) => onSearch({ publication: chosen })}
        empty={
          filtered ? (
            <NoMatch
              of="publication"
              further={publications.hasNextPage ? () => void publications.fetchNextPage() : undefined}
            />
          ) : (
            (empty ?? (
              <EmptyList icon={IconBroadcast} title="Nothing received yet">
                Each request to a publishing endpoint is written down here, with what became of each of its
                destinations.
              </EmptyList>
            ))
          )
        }
      />
      <OnceOpened opened={shown !== undefined}>
        <SideSheet
          record={shown}
          ids={publications.data?.map((one) => one.id) ?? []}
          title={(one) => <PublicationState publication={one} />}
          onSelect={(chosen) => onSearch({ publication: chosen })}
          busy={busy || asking}
        >
          {(one) => (
            <PublicationSheet
              key={one.id}
              publication={one}
              onAsking={setAsking}
              onOpen={(chosen) => onSearch({ publication: chosen })}
            />
          )}
        </SideSheet>
      </OnceOpened>
    </>
  );
}
