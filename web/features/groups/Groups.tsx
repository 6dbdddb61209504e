/** Lists the groups that the workspace's instances are or were in. */
import { Suspense } from 'react';
import { Button } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconDoorEnter, IconPlus, IconUsersGroup } from '@tabler/icons-react';
import { groupsQuery, refreshGroups } from '../../api/groups.ts';
import { useLiveGroups } from '../../api/live-groups.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { lazily } from '../../patterns/lazily.ts';
import type { Filter } from '../../patterns/list/filter.ts';
import { ResourceList } from '../../patterns/list/ResourceList.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { instanceFilter } from '../instances/instance-filter.ts';
import { GROUP_COLUMNS } from './group-columns.tsx';
import { MEMBERSHIPS, membershipLabel } from './group-text.ts';

const NewGroupSheet = lazyDialog(() => import('./NewGroupSheet.tsx'), 'NewGroupSheet');
const JoinDialog = lazyDialog(() => import('./JoinDialog.tsx'), 'JoinDialog');
const GroupProgress = lazily(() => import('./GroupProgress.tsx'), 'GroupProgress');

const route = getRouteApi('/w/$workspace/groups');

const FIRST_GROUP = {
  method: 'POST',
  path: '/groups',
  body: { instance_id: 'ins_…', subject: 'Spring campaign', participants: [{ address: 'alice' }] },
} as const;

const MEMBERSHIP: Filter = {
  kind: 'choice',
  key: 'membership',
  label: t('Membership'),
  options: MEMBERSHIPS.map((value) => ({ value, label: membershipLabel(value) })),
};

export function Groups() {
  const { workspace } = useWorkspace();
  const writes = useCan('groups:write');
  const search = route.useSearch();
  const { q, instance, membership } = search;
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const list = useInfiniteQuery(groupsQuery(workspace.id, { search: q, instance_id: instance, membership }));
  useLiveGroups(workspace.id);
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const linkTo = (id: string) =>
    ({ to: '/w/$workspace/groups/$id', params: { workspace: workspace.slug, id } }) as const;
  const form = {
    instanceId: instance,
    onStarted: (job: { id: string } | null) => go({ job: job?.id }),
    onClose: () => go({ open: undefined }),
    onOpen: (id: string) => void navigate(linkTo(id)),
  };
  const hasProgress = search.job !== undefined && search.open === undefined;
  const create = writes && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ open: 'new' })}>
      {t('Create group')}
    </Button>
  );
  return (
    <>
      <ResourceList
        name="groups"
        title={t('Groups')}
        description={t('Groups that your instances belong to.')}
        buttons={
          writes && (
            <>
              <Button
                variant="default"
                leftSection={<IconDoorEnter size={16} />}
                onClick={() => go({ open: 'join' })}
              >
                {t('Join')}
              </Button>
              {create}
            </>
          )
        }
        notice={
          <Suspense>
            {' '}
            {hasProgress && (
              <GroupProgress
                key={search.job}
                jobId={search.job ?? ''}
                onOver={() => void refreshGroups(client, workspace.id)}
                onClose={() => go({ job: undefined })}
              />
            )}
          </Suspense>
        }
        search={t('Name or address')}
        filters={[instanceFilter(workspace.id), MEMBERSHIP]}
        list={list}
        columns={GROUP_COLUMNS}
        link={({ id }) => linkTo(id)}
        rowLabel={({ subject }) => subject}
        empty={
          <EmptyList icon={IconUsersGroup} title={t('No groups yet')} call={FIRST_GROUP}>
            {t('Groups appear here when one of your instances creates, joins or is added to one.')}
          </EmptyList>
        }
      />
      <NewGroupSheet opened={writes && search.open === 'new'} {...form} />
      <JoinDialog opened={writes && search.open === 'join'} {...form} />
    </>
  );
}
