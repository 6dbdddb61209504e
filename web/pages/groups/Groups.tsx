/** The groups that accounts on the channels are in, or were. */
import { Button, Group as Row, NativeSelect } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconDoorEnter, IconPlus, IconUsersGroup } from '@tabler/icons-react';
import { lazy, useMemo } from 'react';
import { type GroupFilter, groupsQuery, refreshGroups } from '../../api/groups.ts';
import { instancesQuery } from '../../api/instances.ts';
import { useLiveGroups } from '../../api/live-groups.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { EmptyList, NoMatch } from '../../ui/ListStates.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { groupColumns } from './group-columns.tsx';
import { canGroups, MEMBERSHIPS, membershipWord } from './group-text.ts';

const NewGroupSheet = lazy(async () => ({ default: (await import('./NewGroupSheet.tsx')).NewGroupSheet }));
const JoinDialog = lazy(async () => ({ default: (await import('./JoinDialog.tsx')).JoinDialog }));
const GroupProgress = lazy(async () => ({ default: (await import('./GroupProgress.tsx')).GroupProgress }));

const route = getRouteApi('/w/$workspace/groups');

const FIRST_GROUP = {
  method: 'POST',
  path: '/groups',
  body: { instance_id: 'ins_…', subject: 'Spring campaign', participants: [{ address: 'alice' }] },
} as const;

interface Search {
  q?: string;
  instance?: string;
  membership?: GroupFilter['membership'];
}

const filterOf = ({ q, instance, membership }: Search): GroupFilter => ({
  ...(q !== undefined && { q }),
  ...(instance !== undefined && { instance_id: instance }),
  ...(membership !== undefined && { membership }),
});

export function Groups() {
  const { workspace } = useWorkspace();
  const writes = useCan('groups:write');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const filter = filterOf(search);
  const list = useInfiniteQuery(groupsQuery(workspace.id, filter));
  const { data: instances } = useInfiniteQuery(instancesQuery(workspace.id));
  useLiveGroups(workspace.id);
  const columns = useMemo(() => groupColumns(instances ?? []), [instances]);
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const open = (id: string) =>
    void navigate({ to: '/w/$workspace/groups/$id', params: { workspace: workspace.slug, id } });
  const isFiltered = Object.keys(filter).length > 0;
  const none = !isFiltered && list.data?.length === 0;
  // A page of the API looks through a bounded number: there may be more behind it.
  const further = list.hasNextPage ? () => void list.fetchNextPage() : undefined;
  const create = writes && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ open: 'new' })}>
      New group
    </Button>
  );
  return (
    <>
      <PageHeader title="Groups" description="Groups that your accounts are in, on channels that have such.">
        {writes && (
          <Button
            variant="default"
            leftSection={<IconDoorEnter size={16} />}
            onClick={() => go({ open: 'join' })}
          >
            Join
          </Button>
        )}
        {create}
      </PageHeader>
      <OnceOpened opened={search.job !== undefined && search.open === undefined}>
        {search.job !== undefined && search.open === undefined && (
          <GroupProgress
            key={search.job}
            jobId={search.job}
            onOver={() => void refreshGroups(client, workspace.id)}
            onClose={() => go({ job: undefined })}
          />
        )}
      </OnceOpened>
      {!none && <Filters search={search} instances={instances?.filter(canGroups) ?? []} go={go} />}
      <DataTable
        label="Groups"
        list={list}
        columns={columns}
        onSelect={open}
        empty={
          isFiltered ? (
            <NoMatch of="group" further={further} />
          ) : (
            <EmptyList icon={IconUsersGroup} title="No groups yet" action={create} call={FIRST_GROUP}>
              A group that one of your accounts is in, or is added to, shows up here by itself. You can make
              one, or join one by its invitation.
            </EmptyList>
          )
        }
      />
      <OnceOpened opened={search.open === 'new'}>
        <NewGroupSheet
          opened={search.open === 'new'}
          instanceId={search.instance}
          onAsked={(job) => go({ job: job?.id })}
          onClose={() => go({ open: undefined })}
          onOpen={open}
        />
      </OnceOpened>
      <OnceOpened opened={search.open === 'join'}>
        <JoinDialog
          opened={search.open === 'join'}
          instanceId={search.instance}
          onAsked={(job) => go({ job: job?.id })}
          onClose={() => go({ open: undefined })}
          onOpen={open}
        />
      </OnceOpened>
    </>
  );
}

interface FiltersProps {
  search: Search;
  instances: readonly { id: string; name: string }[];
  go: (change: { [K in keyof Search]?: Search[K] | undefined }) => void;
}

function Filters({ search, instances, go }: FiltersProps) {
  return (
    <Row gap="sm" mb="sm">
      <SearchField
        aria-label="Search groups"
        placeholder="Subject or address"
        query={search.q}
        onSearch={(q) => go({ q })}
      />
      <NativeSelect
        size="xs"
        aria-label="Channel"
        data={[
          { value: '', label: 'All channels' },
          ...instances.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={search.instance ?? ''}
        onChange={({ currentTarget }) => go({ instance: currentTarget.value || undefined })}
      />
      <NativeSelect
        size="xs"
        aria-label="Your account"
        data={[
          { value: '', label: 'In it or not' },
          ...MEMBERSHIPS.map((value) => ({ value, label: sentence(membershipWord(value)) })),
        ]}
        value={search.membership ?? ''}
        onChange={({ currentTarget }) =>
          go({ membership: MEMBERSHIPS.find((one) => one === currentTarget.value) })
        }
      />
    </Row>
  );
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
