/** One group: who is in it, how it is set, what happened to it, and what can be done about it. */
import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { groupQuery } from '../../api/groups.ts';
import { instanceQuery } from '../../api/instances.ts';
import { useLiveGroups } from '../../api/live-groups.ts';
import type { Group } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { getBlock } from '../groups/group-text.ts';
import type { GroupAction } from './group-actions.ts';
import { GroupDialogs } from './GroupDialogs.tsx';
import { GroupHeader } from './GroupHeader.tsx';
import { GroupHistory } from './GroupHistory.tsx';
import { GroupSettings } from './GroupSettings.tsx';
import { BlockedState } from './Obstacle.tsx';
import { Participants } from './Participants.tsx';

const route = getRouteApi('/w/$workspace/groups/$id');

const TABS = [
  { value: 'participants', label: 'Participants' },
  { value: 'settings', label: 'Settings' },
  { value: 'history', label: 'History' },
] as const;

export function GroupPage() {
  const { workspace } = useWorkspace();
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(groupQuery(workspace.id, id));
  useLiveGroups(workspace.id, id);
  // One that is gone is shown no more, though it was there before.
  if (data && !error) return <Loaded key={data.id} group={data} />;
  return (
    <>
      <PageHeader title="Group" />
      {error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingList label="Loading the group" />
      )}
    </>
  );
}

function Loaded({ group }: { group: Group }) {
  const { workspace } = useWorkspace();
  const writes = useCan('groups:write');
  const { tab = 'participants' } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: instance } = useQuery(instanceQuery(workspace.id, group.instance_id));
  const [action, setAction] = useState<GroupAction | null>(null);
  const obstacle = getBlock(group, instance, writes);
  const shown = { group, instance, onAction: setAction };
  return (
    <>
      <GroupHeader {...shown} blocked={obstacle !== null} />
      {obstacle !== null && <BlockedState said={obstacle} group={group} />}
      <Tabs
        value={tab}
        onChange={(value) =>
          void navigate({
            search: value === 'settings' || value === 'history' ? { tab: value } : {},
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
      {tab === 'participants' && <Participants {...shown} />}
      {tab === 'settings' && <GroupSettings {...shown} />}
      {tab === 'history' && <GroupHistory group={group} />}
      <GroupDialogs group={group} instance={instance} action={action} onClose={() => setAction(null)} />
    </>
  );
}
