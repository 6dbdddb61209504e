/** The list of publishing endpoints, with its filters in the address. */
import { Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconBroadcast } from '@tabler/icons-react';
import { useMemo } from 'react';
import { instancesQuery } from '../../api/instances.ts';
import { type EndpointFilter, endpointsQuery } from '../../api/publishing.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { EmptyList } from '../../ui/ListStates.tsx';
import { endpointColumns } from './endpoint-columns.tsx';
import { AUTH_NAMES, type AuthType } from './publishing-text.ts';
import { useEndpointSwitch } from './use-endpoint-switch.tsx';

const route = getRouteApi('/w/$workspace/publishing');

const STATES = [
  { value: '', label: 'All' },
  { value: 'enabled', label: 'Enabled' },
  { value: 'disabled', label: 'Disabled' },
];

const FIRST_ENDPOINT = {
  method: 'POST',
  path: '/publishing-endpoints',
  body: {
    name: 'Blog',
    auth: { type: 'secret_url' },
    destinations: [{ instance_id: 'ins_…', to: 'alice', template: 'New: {{ payload.title }}' }],
  },
} as const;

/** @param create the button that makes one; absent where the reader may not */
export function Endpoints({ create }: { create: React.ReactNode }) {
  const { workspace } = useWorkspace();
  const write = useCan('publishing:write');
  const readsInstances = useCan('instances:read');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter: EndpointFilter = {
    ...(search.auth !== undefined && { auth_type: search.auth }),
    ...(search.state !== undefined && { enabled: search.state === 'enabled' }),
    ...(search.instance !== undefined && { instance_id: search.instance }),
  };
  const endpoints = useInfiniteQuery(endpointsQuery(workspace.id, filter));
  const { data: instances } = useInfiniteQuery({ ...instancesQuery(workspace.id), enabled: readsInstances });
  const { switchTo, dialog } = useEndpointSwitch();
  const columns = useMemo(
    () =>
      endpointColumns({
        instanceNames: new Map(instances?.map(({ id, name }) => [id, name])),
        onSwitch: write ? switchTo : undefined,
      }),
    [instances, write, switchTo],
  );
  const filtered = Object.keys(filter).length > 0;
  // Before the first one there is nothing to filter.
  const none = !filtered && endpoints.data?.length === 0;
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <>
      {!none && (
        <Group gap="sm" mb="sm">
          <SegmentedControl
            size="xs"
            aria-label="State"
            data={STATES}
            value={search.state ?? ''}
            onChange={(state) => go({ state: (state || undefined) as typeof search.state })}
          />
          <NativeSelect
            size="xs"
            aria-label="How senders prove themselves"
            data={[
              { value: '', label: 'Any sender' },
              ...Object.entries(AUTH_NAMES).map(([value, label]) => ({ value, label })),
            ]}
            value={search.auth ?? ''}
            onChange={({ currentTarget }) =>
              go({ auth: (currentTarget.value || undefined) as AuthType | undefined })
            }
          />
          {instances && instances.length > 1 && (
            <NativeSelect
              size="xs"
              aria-label="Publishes by"
              data={[
                { value: '', label: 'Any channel' },
                ...instances.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              value={search.instance ?? ''}
              onChange={({ currentTarget }) => go({ instance: currentTarget.value || undefined })}
            />
          )}
        </Group>
      )}
      <DataTable
        label="Publishing endpoints"
        list={endpoints}
        columns={columns}
        onSelect={(id) =>
          void navigate({
            to: '/w/$workspace/publishing/$id',
            params: { workspace: workspace.slug, id },
            search: {},
          })
        }
        empty={
          filtered ? (
            <Text c="dimmed" py="xl" ta="center">
              No endpoint matches these filters.
            </Text>
          ) : (
            <EmptyList
              icon={IconBroadcast}
              title="No publishing endpoints yet"
              action={create}
              call={FIRST_ENDPOINT}
            >
              An endpoint is an address that a shop, a blog, GitHub or a script of yours posts to. What it
              posts becomes a message for each destination: a person, a chat or a group, on any of your
              channels.
            </EmptyList>
          )
        }
      />
      {dialog}
    </>
  );
}
