/** The list of publishing endpoints. Its filters are part of the URL. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconBroadcast } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import { endpointsQuery, refreshEndpoints } from '../../api/publishing.ts';
import type { AnsweredEndpoint } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { lazyOnceOpened } from '../../patterns/lazy-dialogs.tsx';
import { instanceFilter } from '../instances/instance-filter.ts';
import { useInstanceNames } from '../instances/use-instance-names.ts';
import { ListPage } from '../../patterns/list/ListPage.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { endpointColumns } from './endpoint-columns.tsx';
import { AUTH_NAMES } from './publishing-text.ts';
import { firstExample } from './sample.ts';
import { useEndpointActions } from './use-endpoint-actions.tsx';
import { useEndpointSwitch } from './use-endpoint-switch.ts';

const OneTimeSecretDialog = lazyOnceOpened(
  () => import('./OneTimeSecretDialog.tsx'),
  'OneTimeSecretDialog',
  ({ answer }) => answer !== null,
);

const route = getRouteApi('/w/$workspace/publishing');

const STATES = [
  { value: 'enabled', label: t('Enabled') },
  { value: 'disabled', label: t('Disabled') },
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

export function Endpoints() {
  const { workspace } = useWorkspace();
  const write = useCan('publishing:write');
  const readsInstances = useCan('instances:read');
  const { q, auth, state, instance } = route.useSearch();
  const client = useQueryClient();
  const endpoints = useInfiniteQuery(
    endpointsQuery(workspace.id, {
      search: q,
      auth_type: auth,
      enabled: state && state === 'enabled',
      instance_id: instance,
    }),
  );
  const instanceNames = useInstanceNames(
    (endpoints.data ?? []).flatMap(({ destinations }) => destinations.map((one) => one.instance_id)),
  );
  const { switchTo, dialog } = useEndpointSwitch();
  const [rotated, setRotated] = useState<AnsweredEndpoint | null>(null);
  const refresh = () => refreshEndpoints(client, workspace.id);
  const { definitions, onDone } = useEndpointActions({ switchTo, onRotated: setRotated });
  const columns = endpointColumns({ instanceNames, onSwitch: write ? switchTo : undefined });
  return (
    <>
      <ListPage
        part
        name="publishing-endpoints"
        title={t('Publishing endpoints')}
        search={t('Search by name')}
        list={endpoints}
        columns={columns}
        link={({ id }) => ({ to: '/w/$workspace/publishing/$id', params: { workspace: workspace.slug, id } })}
        filters={[
          { key: 'state', label: t('Status'), kind: 'choice', options: STATES },
          {
            key: 'auth',
            label: t('Authentication'),
            kind: 'choice',
            options: Object.entries(AUTH_NAMES).map(([value, label]) => ({ value, label })),
          },
          ...(readsInstances ? [instanceFilter(workspace.id)] : []),
        ]}
        actions={definitions}
        onAction={onDone}
        empty={
          <EmptyList icon={IconBroadcast} title={t('No publishing endpoints yet')} call={FIRST_ENDPOINT}>
            {t(
              'Endpoints turn requests from your shop, blog, GitHub, or scripts into messages to people, chats, and groups.',
            )}
          </EmptyList>
        }
      />
      <OneTimeSecretDialog
        answer={rotated}
        payload={firstExample().received.payload}
        onDone={() => {
          setRotated(null);
          void refresh();
        }}
      />
      {dialog}
    </>
  );
}
