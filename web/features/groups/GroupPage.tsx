/** The page of a group: participants, settings and history. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import { PageTabs } from '../../patterns/PageTabs.tsx';
import { t } from '../../copy/text.ts';
import { groupQuery } from '../../api/groups.ts';
import { instanceQuery } from '../../api/instances.ts';
import { useLiveGroups } from '../../api/live-groups.ts';
import type { Group } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { useActions } from '../../patterns/actions/use-actions.tsx';
import { DetailPage } from '../../patterns/DetailPage.tsx';
import { getBlock } from './group-text.ts';
import { useGroupActions } from './group-actions.ts';
import { BACK, GroupHeader } from './GroupHeader.tsx';
import { BlockedNotice } from './BlockedNotice.tsx';
import { Participants } from './Participants.tsx';

const GroupHistory = lazily(() => import('./GroupHistory.tsx'), 'GroupHistory');

const GroupSettings = lazily(() => import('./GroupSettings.tsx'), 'GroupSettings');

const route = getRouteApi('/w/$workspace/groups/$id');

const TABS = [
  { value: 'participants', label: t('Participants') },
  { value: 'settings', label: t('Settings') },
  { value: 'history', label: t('History') },
] as const;

export function GroupPage() {
  const { workspace } = useWorkspace();
  const { id } = route.useParams();
  useLiveGroups(workspace.id, id);
  return (
    <DetailPage query={useQuery(groupQuery(workspace.id, id))} noun={t('Group')} back={BACK} live>
      {(group) => <Loaded key={group.id} group={group} />}
    </DetailPage>
  );
}

function Loaded({ group }: { group: Group }) {
  const { workspace } = useWorkspace();
  const writes = useCan('groups:write');
  const { tab = 'participants' } = route.useSearch();
  const { data: instance } = useQuery(instanceQuery(workspace.id, group.instance_id));
  const { actions, dialogs } = useActions(useGroupActions(instance));
  const block = getBlock(group, instance, writes);
  const shown = { group, instance };
  return (
    <>
      <GroupHeader {...shown} actions={actions} blocked={block !== null} />
      {block !== null && <BlockedNotice reason={block} group={group} />}
      <PageTabs tabs={TABS} value={tab} />
      <Suspense>
        {tab === 'participants' && <Participants {...shown} />}
        {tab === 'settings' && <GroupSettings {...shown} />}
        {tab === 'history' && <GroupHistory group={group} />}
      </Suspense>
      {dialogs}
    </>
  );
}
