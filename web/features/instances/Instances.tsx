/** Lists the instances of the workspace. */
import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { channelsQuery, instancesKey, instancesQuery, useLiveInstances } from '../../api/instances.ts';
import type { Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { OnceOpened } from '../../patterns/lazy-dialogs.tsx';
import { lazily } from '../../patterns/lazily.ts';
import type { Filter } from '../../patterns/list/filter.ts';
import { ResourceList } from '../../patterns/list/ResourceList.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { type InstanceAction, useInstanceActions } from './instance-actions.ts';
import { instanceColumns } from './instance-columns.tsx';
import { STATES, stateLabel } from './instance-text.ts';

const CreateSheet = lazily(() => import('./CreateSheet.tsx'), 'CreateSheet');
const InstanceDialogs = lazily(() => import('./InstanceDialogs.tsx'), 'InstanceDialogs');

const route = getRouteApi('/w/$workspace/instances');

const FIRST_INSTANCE = {
  method: 'POST',
  path: '/instances',
  body: { name: 'Support', channel: 'sandbox', settings: {}, credentials: {} },
} as const;

/** The search parameters of the sheet when it is closed. */
const CLOSED = { create: undefined, with: undefined };

const STATUS: Filter = {
  kind: 'choice',
  key: 'state',
  label: t('Status'),
  options: STATES.map((state) => ({ value: state, label: stateLabel(state) })),
};

export function Instances() {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const { data: channels = [] } = useQuery(channelsQuery(workspace.id));
  const instances = useInfiniteQuery(
    instancesQuery(workspace.id, {
      ...(search.q !== undefined && { search: search.q }),
      ...(search.channel !== undefined && { channel: search.channel }),
      ...(search.state !== undefined && { state: search.state }),
    }),
  );
  useLiveInstances(workspace.id);
  const [acting, setActing] = useState<{ instance: Instance; action: InstanceAction | null } | null>(null);
  const actions = useInstanceActions((instance, action) => setActing({ instance, action }));
  const columns = useMemo(() => instanceColumns(channels), [channels]);
  const filters: Filter[] = [
    {
      kind: 'choice',
      key: 'channel',
      label: t('Channel'),
      options: channels.map(({ id, title }) => ({ value: id, label: title })),
    },
    STATUS,
  ];
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const create = useCan('instances:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ create: true })}>
      {t('Create instance')}
    </Button>
  );
  return (
    <>
      <ResourceList
        name="instances"
        title={t('Instances')}
        description={t('Connected accounts that send and receive your messages.')}
        buttons={create}
        search={t('Search by name')}
        filters={filters}
        list={instances}
        columns={columns}
        link={({ id }) => ({
          to: '/w/$workspace/instances/$id',
          params: { workspace: workspace.slug, id },
        })}
        actions={actions}
        example={{ type: 'instance.created', with: { state: 'connected', desired_state: 'connected' } }}
        empty={
          <EmptyList title={t('No instances yet')} call={FIRST_INSTANCE}>
            {t(
              'Connect an account to send and receive messages with one API. To try it without an account, use the sandbox: its contacts reply automatically.',
            )}
          </EmptyList>
        }
      />
      <OnceOpened opened={acting !== null}>
        {acting && (
          <InstanceDialogs
            key={acting.instance.id}
            instance={acting.instance}
            channel={channels.find(({ id }) => id === acting.instance.channel)}
            action={acting.action}
            onClose={() => setActing({ ...acting, action: null })}
          />
        )}
      </OnceOpened>
      <OnceOpened opened={search.create === true}>
        <CreateSheet
          opened={search.create === true}
          channel={search.with}
          onChannel={(channel) => go({ with: channel })}
          onClose={() => go(CLOSED)}
          onDone={({ id }) => {
            void queryClient.invalidateQueries({ queryKey: instancesKey(workspace.id) });
            go(CLOSED);
            void navigate({
              to: '/w/$workspace/instances/$id',
              params: { workspace: workspace.slug, id },
            });
          }}
        />
      </OnceOpened>
    </>
  );
}
