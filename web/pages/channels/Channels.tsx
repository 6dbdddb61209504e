/** The workspace's accounts on channels. */
import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { lazy, useMemo } from 'react';
import { channelsQuery, instancesKey, instancesQuery, useLiveInstances } from '../../api/instances.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { EmptyList } from '../../ui/ListStates.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { instanceColumns } from './instance-columns.tsx';
import { STATES, stateWord } from './instance-text.ts';

const ConnectSheet = lazy(async () => ({ default: (await import('./ConnectSheet.tsx')).ConnectSheet }));

const route = getRouteApi('/w/$workspace/channels');

const FIRST_INSTANCE = {
  method: 'POST',
  path: '/instances',
  body: { name: 'Support', channel: 'sandbox', settings: {}, credentials: {} },
} as const;

/** The sheet's part of the address, when it is closed. */
const CLOSED = { create: undefined, with: undefined };

export function Channels() {
  const { workspace } = useWorkspace();
  const write = useCan('instances:write');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const { data: channels = [] } = useQuery(channelsQuery(workspace.id));
  const instances = useInfiniteQuery(
    instancesQuery(workspace.id, {
      ...(search.channel !== undefined && { channel: search.channel }),
      ...(search.state !== undefined && { state: search.state }),
    }),
  );
  useLiveInstances(workspace.id);
  const columns = useMemo(() => instanceColumns(channels), [channels]);
  const filtered = search.state !== undefined || search.channel !== undefined;
  // Before the first instance there is nothing to filter.
  const none = !filtered && instances.data?.length === 0;

  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const open = (id: string) =>
    void navigate({ to: '/w/$workspace/channels/$id', params: { workspace: workspace.slug, id } });
  const connect = write && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ create: true })}>
      Connect a channel
    </Button>
  );

  return (
    <>
      <PageHeader
        title="Channels"
        description="Accounts that messages are sent from and come to, each kept connected until you say otherwise."
      >
        {connect}
      </PageHeader>
      {!none && (
        <Group gap="sm" mb="sm">
          <NativeSelect
            size="xs"
            aria-label="Channel"
            data={[
              { value: '', label: 'Any channel' },
              ...channels.map(({ id, title }) => ({ value: id, label: title })),
            ]}
            value={search.channel ?? ''}
            onChange={({ currentTarget }) => go({ channel: currentTarget.value || undefined })}
          />
          <NativeSelect
            size="xs"
            aria-label="State"
            data={[
              { value: '', label: 'Any state' },
              ...STATES.map((state) => ({ value: state, label: stateWord(state) })),
            ]}
            value={search.state ?? ''}
            onChange={({ currentTarget }) =>
              go({ state: (currentTarget.value || undefined) as typeof search.state })
            }
          />
        </Group>
      )}
      <DataTable
        label="Channels"
        list={instances}
        columns={columns}
        onSelect={open}
        empty={
          filtered ? (
            <Text c="dimmed" py="xl" ta="center">
              No channel matches these filters.
            </Text>
          ) : (
            <EmptyList
              icon={IconPlugConnected}
              title="No channels yet"
              action={connect}
              call={FIRST_INSTANCE}
            >
              Connect an account, and messages go out from it and come in by one API, whatever the channel.
              The sandbox needs no account at all: its contacts answer by themselves.
            </EmptyList>
          )
        }
      />
      <OnceOpened opened={search.create === true}>
        <ConnectSheet
          opened={search.create === true}
          channel={search.with}
          onChannel={(channel) => go({ with: channel })}
          onClose={() => go(CLOSED)}
          onDone={({ id }) => {
            void queryClient.invalidateQueries({ queryKey: instancesKey(workspace.id) });
            go(CLOSED);
            open(id);
          }}
        />
      </OnceOpened>
    </>
  );
}
