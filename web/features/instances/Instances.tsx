/** Lists the instances of the workspace. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { channelsQuery, instancesKey, instancesQuery, useLiveInstances } from '../../api/instances.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import type { Filter } from '../../patterns/list/filter.ts';
import { ListPage } from '../../patterns/list/ListPage.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { useInstanceActions } from './instance-actions.ts';
import { instanceColumns } from './instance-columns.tsx';
import { STATES, stateLabel } from './instance-text.ts';

const CreateSheet = lazyDialog(() => import('./CreateSheet.tsx'), 'CreateSheet');

const route = getRouteApi('/w/$workspace/instances');

const FIRST_INSTANCE = {
  method: 'POST',
  path: '/instances',
  body: { name: 'Support', channel: 'sandbox', settings: {}, credentials: {} },
} as const;

const STATUS: Filter = {
  kind: 'choice',
  key: 'state',
  label: t('Status'),
  options: STATES.map((state) => ({ value: state, label: stateLabel(state) })),
};

export function Instances() {
  const { workspace } = useWorkspace();
  const { q, channel, state } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const { data: channels = [] } = useQuery(channelsQuery(workspace.id));
  useLiveInstances(workspace.id);
  const columns = useMemo(() => instanceColumns(channels), [channels]);
  const linkTo = (id: string) =>
    ({ to: '/w/$workspace/instances/$id', params: { workspace: workspace.slug, id } }) as const;
  return (
    <ListPage
      name="instances"
      title={t('Instances')}
      description={t('Connected accounts that send and receive your messages.')}
      search={t('Search by name')}
      filters={[
        {
          kind: 'choice',
          key: 'channel',
          label: t('Channel'),
          options: channels.map(({ id, title }) => ({ value: id, label: title })),
        },
        STATUS,
      ]}
      list={useInfiniteQuery(instancesQuery(workspace.id, { search: q, channel, state }))}
      columns={columns}
      link={({ id }) => linkTo(id)}
      actions={useInstanceActions()}
      create={{
        label: t('Create instance'),
        scope: 'instances:write',
        dialog: CreateSheet,
        params: ['with'],
        onDone: ({ id }) => void navigate(linkTo(id)),
      }}
      refresh={() => client.invalidateQueries({ queryKey: instancesKey(workspace.id) })}
      example={{ type: 'instance.created', with: { state: 'connected', desired_state: 'connected' } }}
      empty={
        <EmptyList title={t('No instances yet')} call={FIRST_INSTANCE}>
          {t(
            'Connect an account to send and receive messages with one API. To try it without an account, use the sandbox: its contacts reply automatically.',
          )}
        </EmptyList>
      }
    />
  );
}
