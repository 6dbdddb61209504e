/** The page of an instance: live status, pairing, queue, activity, history, capabilities and settings. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import { PageTabs } from '../../patterns/PageTabs.tsx';
import { t } from '../../copy/text.ts';
import { channelsQuery, instanceQuery, instancesKey, useLiveInstances } from '../../api/instances.ts';
import type { Channel, Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { useActions } from '../../patterns/actions/use-actions.tsx';
import { DetailPage } from '../../patterns/DetailPage.tsx';
import { useInstanceActions } from './instance-actions.ts';
import { BACK, InstanceHeader } from './InstanceHeader.tsx';
import { Queue } from './Queue.tsx';
import { StatePanel } from './StatePanel.tsx';

const Activity = lazily(() => import('./Activity.tsx'), 'Activity');
const CapabilityTables = lazily(() => import('./CapabilityTables.tsx'), 'CapabilityTables');
const InstanceDetails = lazily(() => import('./InstanceDetails.tsx'), 'InstanceDetails');
const Pairing = lazily(() => import('./Pairing.tsx'), 'Pairing');
const StateHistory = lazily(() => import('./StateHistory.tsx'), 'StateHistory');
const UnprocessedUpdates = lazily(() => import('./UnprocessedUpdates.tsx'), 'UnprocessedUpdates');
const StateNotice = lazily(() => import('./StateNotice.tsx'), 'StateNotice');

const route = getRouteApi('/w/$workspace/instances/$id');

const TABS = [
  { value: 'queue', label: t('Queue') },
  { value: 'activity', label: t('Activity') },
  { value: 'history', label: t('History') },
  { value: 'capabilities', label: t('Capabilities') },
  { value: 'settings', label: t('Settings') },
] as const;

export function InstancePage() {
  const { workspace } = useWorkspace();
  const { id } = route.useParams();
  const { data: channels } = useQuery(channelsQuery(workspace.id));
  useLiveInstances(workspace.id, id);
  return (
    <DetailPage query={useQuery(instanceQuery(workspace.id, id))} noun={t('Instance')} back={BACK} live>
      {(instance) => (
        <Loaded
          key={instance.id}
          instance={instance}
          channel={channels?.find(({ id: one }) => one === instance.channel)}
        />
      )}
    </DetailPage>
  );
}

interface LoadedProps {
  instance: Instance;
  /** Undefined while loading, and if the server no longer has this channel. */
  channel: Channel | undefined;
}

function Loaded({ instance, channel }: LoadedProps) {
  const write = useCan('instances:write');
  const readsMessages = useCan('messages:read');
  const { tab = 'queue' } = route.useSearch();
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { actions, run, dialogs } = useActions(useInstanceActions(), async ({ id }, { isGone }) => {
    if (isGone) {
      await navigate({ to: BACK.to, params: { workspace: workspace.slug } });
      // Only after leaving the page: a mounted query would be fetched again.
      client.removeQueries({ queryKey: instanceQuery(workspace.id, id).queryKey });
    }
    void client.invalidateQueries({ queryKey: instancesKey(workspace.id) });
  });
  return (
    <>
      <InstanceHeader instance={instance} channel={channel} actions={actions} />
      <StatePanel instance={instance} />
      <Suspense>
        {instance.state === 'action_required' && <Pairing instanceId={instance.id} />}
        <StateNotice
          instance={instance}
          onEdit={write && channel ? () => run('edit', instance) : undefined}
        />
      </Suspense>
      <PageTabs tabs={TABS} value={tab} />
      <Suspense>
        {tab === 'queue' && (
          <Queue instance={instance} onClear={write ? () => run('clear-queue', instance) : undefined} />
        )}
        {tab === 'activity' && <Activity instanceId={instance.id} />}
        {tab === 'history' && <StateHistory instanceId={instance.id} />}
        {tab === 'capabilities' && <CapabilityTables capabilities={instance.capabilities} />}
        {tab === 'settings' && <InstanceDetails instance={instance} channel={channel} />}
        {readsMessages && instance.unprocessed_updates.count > 0 && (
          <UnprocessedUpdates instance={instance} />
        )}
      </Suspense>
      {dialogs}
    </>
  );
}
