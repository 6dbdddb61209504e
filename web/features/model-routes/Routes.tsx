/** The model routes of the workspace. */
import { Stack } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPencil, IconRoute, IconSparkles, IconTrash } from '@tabler/icons-react';
import atoms from '../../design/atoms.module.css';
import type { Action, ActionDefinition } from '../../patterns/actions/action.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { ListPage } from '../../patterns/list/ListPage.tsx';
import {
  deleteModelRoute,
  modelRouteQuery,
  modelRoutesQuery,
  refreshModelRoutes,
} from '../../api/model-routes.ts';
import type { ModelRoute } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { plural, t } from '../../copy/text.ts';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { exactTime } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import type { Column } from '../../patterns/table/column.ts';
import classes from './model-routes.module.css';
import { ObjectName } from '../../patterns/ObjectName.tsx';

const RouteDialog = lazyDialog(() => import('./RouteDialog.tsx'), 'RouteDialog');

const route = getRouteApi('/w/$workspace/model-routes');

const FIRST_ROUTE = {
  method: 'POST',
  path: '/model-routes',
  body: {
    name: 'default',
    attempts: [{ model: 'openai/gpt-5', timeout_seconds: 20 }, { model: 'fairlead/echo' }],
  },
} as const;

const COLUMNS: Column<ModelRoute>[] = [
  {
    key: 'model',
    title: t('Route'),
    fixed: true,
    render: ({ model }) => <span className={ui.mono}>{model}</span>,
  },
  {
    key: 'attempts',
    title: t('Attempts'),
    render: ({ attempts }) => (
      <div className={`${ui.mono} ${classes.chain}`}>{attempts.map(({ model }) => model).join(' → ')}</div>
    ),
  },
  {
    key: 'created_at',
    title: t('Created'),
    from: 'medium',
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];

const scope = 'providers:write';

const ACTIONS: readonly ActionDefinition<ModelRoute>[] = [
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope,
    primary: true,
    dialog: RouteDialog,
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope,
    confirm: ({ id, model }) => ({
      title: t('Delete route “{name}”?', { name: model }),
      text: t('Programs that call this model ID get an error. Recorded usage is kept.'),
      button: t('Delete route'),
      call: deleteModelRoute(id),
    }),
  },
];

export function Routes() {
  const { workspace } = useWorkspace();
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const open: ActionDefinition<ModelRoute> = {
    id: 'try',
    label: () => t('Open in playground'),
    icon: IconSparkles,
    scope: 'models:invoke',
    primary: true,
    run: ({ model }) =>
      void navigate({
        to: '/w/$workspace/models',
        params: { workspace: workspace.slug },
        search: { model },
      }),
  };
  return (
    <ListPage
      name="model-routes"
      title={t('Model routes')}
      description={t('Your own model IDs, each of which tries several models in order.')}
      search={t('Search by name')}
      list={useInfiniteQuery(modelRoutesQuery(workspace.id, q))}
      columns={COLUMNS}
      rowLabel={({ model }) => model}
      actions={[open, ...ACTIONS]}
      create={{ label: t('Create route'), scope, dialog: RouteDialog }}
      single={(id) => modelRouteQuery(workspace.id, id)}
      sheet={(of, actions) => <RouteSheet key={of.id} of={of} actions={actions} />}
      refresh={() => refreshModelRoutes(client, workspace.id)}
      empty={
        <EmptyList icon={IconRoute} title={t('No model routes yet')} call={FIRST_ROUTE}>
          {t(
            'A route is your own model ID. If its first model fails, the next one responds, so your programs keep working.',
          )}
        </EmptyList>
      }
    />
  );
}

function RouteSheet({ of, actions }: { of: ModelRoute; actions: readonly Action<ModelRoute>[] }) {
  const { id, model, attempts, on, metadata } = of;
  return (
    <Stack>
      <ActionButtons record={of} of={model} actions={actions} size="xs" />
      <DescriptionList
        rows={[
          [t('Model ID'), <Id id={model} of={t('model ID')} />],
          [t('ID'), <Id id={id} />],
          [
            t('Attempts'),
            <ol className={classes.steps}>
              {attempts.map((attempt) => (
                <li key={attempt.model}>
                  <span className={ui.mono}>{attempt.model}</span>{' '}
                  {attempt.timeout_seconds !== null && (
                    <span className={atoms.dimmed}>
                      {plural(attempt.timeout_seconds, { one: '{count} second', other: '{count} seconds' })}
                    </span>
                  )}
                </li>
              ))}
            </ol>,
          ],
          on.includes('context_length') ? [t('Input too long'), t('Tries the next model')] : null,
          [t('Created'), exactTime(of.created_at)],
          of.created_by === null ? null : [t('Created by'), <ObjectName id={of.created_by} />],
        ]}
      />
      {Object.keys(metadata).length > 0 && <JsonView value={metadata} />}
      <AsCurl
        call={[
          { method: 'GET', path: `/model-routes/${id}` },
          {
            method: 'POST',
            path: '/chat/completions',
            body: { model, messages: [{ role: 'user', content: 'Hello!' }] },
          },
        ]}
      />
    </Stack>
  );
}
