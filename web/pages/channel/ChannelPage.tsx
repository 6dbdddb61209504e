/** One account on a channel: its state as it is, how it is paired, what waits, what it can do, and what can be done with it. */
import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { channelsQuery, instanceQuery, useLiveInstances } from '../../api/instances.ts';
import type { Channel, Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { CapabilityTables } from './CapabilityTables.tsx';
import { ChannelDialogs } from './ChannelDialogs.tsx';
import { ChannelDetails } from './ChannelDetails.tsx';
import { type ChannelAction, ChannelHeader } from './ChannelHeader.tsx';
import { Pairing } from './Pairing.tsx';
import { Queue } from './Queue.tsx';
import { StateHistory } from './StateHistory.tsx';
import { StateNotice } from './StateNotice.tsx';
import { StatePanel } from './StatePanel.tsx';

const route = getRouteApi('/w/$workspace/channels/$id');

const TABS = [
  { value: 'queue', label: 'Queue' },
  { value: 'history', label: 'History' },
  { value: 'capabilities', label: 'Capabilities' },
  { value: 'settings', label: 'Settings' },
] as const;

export function ChannelPage() {
  const { workspace } = useWorkspace();
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(instanceQuery(workspace.id, id));
  const { data: channels } = useQuery(channelsQuery(workspace.id));
  useLiveInstances(workspace.id, id);
  // One that is gone is shown no more, though it was there before.
  if (data && !error)
    return (
      <Loaded key={data.id} instance={data} channel={channels?.find((one) => one.id === data.channel)} />
    );
  return (
    <>
      <PageHeader title="Channel" />
      {error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingList label="Loading the channel" />
      )}
    </>
  );
}

interface LoadedProps {
  instance: Instance;
  /** Undefined while it is not known, and where the server has it no more. */
  channel: Channel | undefined;
}

function Loaded({ instance, channel }: LoadedProps) {
  const write = useCan('instances:write');
  const { tab = 'queue' } = route.useSearch();
  const navigate = route.useNavigate();
  const [action, setAction] = useState<ChannelAction | null>(null);
  return (
    <>
      <ChannelHeader instance={instance} channel={channel} onAction={setAction} />
      <StatePanel instance={instance} />
      {instance.state === 'action_required' && <Pairing instanceId={instance.id} />}
      <StateNotice instance={instance} onEdit={write && channel ? () => setAction('edit') : undefined} />
      <Tabs
        value={tab}
        onChange={(value) =>
          void navigate({
            search: value === null || value === 'queue' ? {} : { tab: value as Exclude<typeof tab, 'queue'> },
            replace: true,
          })
        }
        mb="sm"
      >
        <Tabs.List>
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      {tab === 'queue' && (
        <Queue instance={instance} onClear={write ? () => setAction('clear-queue') : undefined} />
      )}
      {tab === 'history' && <StateHistory instanceId={instance.id} />}
      {tab === 'capabilities' && <CapabilityTables capabilities={instance.capabilities} />}
      {tab === 'settings' && <ChannelDetails instance={instance} channel={channel} />}
      <ChannelDialogs instance={instance} channel={channel} action={action} onClose={() => setAction(null)} />
    </>
  );
}
