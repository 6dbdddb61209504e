/** The live publication log of one endpoint or of all endpoints. Its filters are part of the URL. */
import { Group } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconBroadcast } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { publicationQuery, publicationsQuery } from '../../api/publications.ts';
import { endpointQuery, endpointsQuery } from '../../api/publishing.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { type LookupFilter, spanStart } from '../../patterns/list/filter.ts';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { LiveLog } from '../../patterns/live/LiveLog.tsx';
import { ObjectName } from '../../patterns/ObjectName.tsx';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import { publicationColumns } from './publication-columns.tsx';
import { PUBLICATION_STATUSES, type PublicationSearch } from './publication-params.ts';
import { publicationLabel, statusLabel } from './publication-text.ts';
import { PublicationSheet } from './PublicationSheet.tsx';
import { PublicationState } from './PublicationState.tsx';
import { useLivePublications } from './use-live-publications.ts';

interface LogSearch extends PublicationSearch {
  /** The endpoint to filter by, in the log of all endpoints. */
  endpoint?: string;
}

interface PublicationLogProps {
  /** The endpoint whose publications are shown; undefined for all endpoints. */
  endpointId?: string;
  search: LogSearch;
  /** Whether a dialog is open over the page. */
  busy?: boolean;
}

/** The name of an endpoint beyond the first page of endpoints. */
function UnlistedEndpoint({ id }: { id: string }) {
  const { workspace } = useWorkspace();
  const { data, isPending } = useQuery({
    ...endpointQuery(workspace.id, id),
    refetchInterval: false,
    retry: false,
  });
  return isPending ? '…' : (data?.object.name ?? t('Deleted endpoint'));
}

/** Returns a filter by the endpoint of a publication. */
const endpointFilter = (workspaceId: string): LookupFilter => ({
  key: 'endpoint',
  label: t('Endpoint'),
  kind: 'lookup',
  options: (search) => ({
    queryKey: ['ws', workspaceId, 'endpoint-options', search],
    queryFn: async ({ client }) => {
      const found = await client.fetchInfiniteQuery(
        endpointsQuery(workspaceId, { search: search || undefined }),
      );
      return found.pages.flatMap(({ data }) => data.map(({ id, name }) => ({ value: id, label: name })));
    },
  }),
  labelFor: (id) => ({
    queryKey: ['ws', workspaceId, 'endpoint-name', id],
    queryFn: async ({ client }) => (await client.fetchQuery(endpointQuery(workspaceId, id))).object.name,
  }),
});

export function PublicationLog({ endpointId, search, busy = false }: PublicationLogProps) {
  const { workspace } = useWorkspace();
  const { status, since, publication: id } = search;
  const navigate = useNavigate();
  const allEndpoints = endpointId === undefined;
  const shownEndpoint = endpointId ?? search.endpoint;
  const [dialogOpen, setDialogOpen] = useState(false);
  const [openedAt] = useState(Date.now);
  const endpoints = useInfiniteQuery({ ...endpointsQuery(workspace.id, {}), enabled: allEndpoints });
  const publications = useInfiniteQuery(
    publicationsQuery(workspace.id, {
      endpoint_id: shownEndpoint,
      status,
      created_after: since && spanStart(since, openedAt),
    }),
  );
  const live = useLivePublications({ endpointId: shownEndpoint });
  const known = endpoints.data;
  const columns = useMemo(() => {
    const names = new Map(known?.map((one) => [one.id, one.name]));
    return publicationColumns(allEndpoints ? (one) => names.get(one) ?? <UnlistedEndpoint id={one} /> : null);
  }, [allEndpoints, known]);
  const open = (chosen: string) =>
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => ({ ...before, publication: chosen }),
    });
  return (
    <>
      <LiveLog
        part
        name="publications"
        title={t('Publications')}
        list={publications}
        columns={columns}
        selected={id}
        link={sheetLink('publication')}
        rowLabel={publicationLabel}
        failed={({ status: state }) => state === 'failed'}
        filters={[
          ...(allEndpoints ? [endpointFilter(workspace.id)] : []),
          {
            key: 'status',
            label: t('Status'),
            kind: 'choice',
            options: PUBLICATION_STATUSES.map((one) => ({ value: one, label: statusLabel(one) })),
          },
          { key: 'since', label: t('Received'), kind: 'span' },
        ]}
        live={live}
        empty={
          <EmptyList icon={IconBroadcast} title={t('No publications yet')}>
            {t('Requests to your publishing endpoints appear here, with the result for each destination.')}
          </EmptyList>
        }
      />
      <RecordSheet
        param="publication"
        rows={publications.data}
        single={(one) => publicationQuery(workspace.id, one)}
        title={(one) => (
          <Group gap="xs">
            <ObjectName id={one.endpoint_id} />
            <PublicationState publication={one} />
          </Group>
        )}
        busy={busy || dialogOpen}
      >
        {(one) => <PublicationSheet key={one.id} publication={one} onDialog={setDialogOpen} onOpen={open} />}
      </RecordSheet>
    </>
  );
}
