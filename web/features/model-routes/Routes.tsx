/** The model routes of the workspace. */
import { Button, Stack } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPencil, IconPlus, IconRoute, IconSparkles, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { modelRouteQuery, modelRoutesQuery, refreshModelRoutes } from '../../api/model-routes.ts';
import type { ModelRoute } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { plural, t } from '../../copy/text.ts';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { exactTime } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import type { Action } from '../../patterns/actions/action.ts';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { OnceOpened } from '../../patterns/lazy-dialogs.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { ResourceList } from '../../patterns/list/ResourceList.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import classes from './model-routes.module.css';
import type { RouteAction } from './RouteDialogs.tsx';
import { ObjectName } from '../../patterns/ObjectName.tsx';

const RouteDialog = lazily(() => import('./RouteDialog.tsx'), 'RouteDialog');
const RouteDialogs = lazily(() => import('./RouteDialogs.tsx'), 'RouteDialogs');

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

export function Routes() {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const list = useInfiniteQuery(modelRoutesQuery(workspace.id, search.q));
  const [acting, setActing] = useState<{ of: ModelRoute; action: RouteAction | null } | null>(null);
  const refresh = () => void refreshModelRoutes(client, workspace.id);
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const actions: Action<ModelRoute>[] = [
    {
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
    },
    {
      id: 'edit',
      label: () => t('Edit'),
      icon: IconPencil,
      scope: 'providers:write',
      primary: true,
      run: (of) => setActing({ of, action: 'edit' }),
    },
    {
      id: 'delete',
      label: () => t('Delete'),
      icon: IconTrash,
      danger: true,
      scope: 'providers:write',
      run: (of) => setActing({ of, action: 'delete' }),
    },
  ];
  const create = useCan('providers:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ create: true })}>
      {t('Create route')}
    </Button>
  );
  return (
    <>
      <ResourceList
        name="model-routes"
        title={t('Model routes')}
        description={t('Your own model IDs, each of which tries several models in order.')}
        buttons={create}
        search={t('Search by name')}
        list={list}
        columns={COLUMNS}
        selected={search.id}
        link={sheetLink()}
        rowLabel={({ model }) => model}
        actions={actions}
        empty={
          <EmptyList icon={IconRoute} title={t('No model routes yet')} call={FIRST_ROUTE}>
            {t(
              'A route is your own model ID. If its first model fails, the next one responds, so your programs keep working.',
            )}
          </EmptyList>
        }
      />
      <RecordSheet
        rows={list.data}
        single={(id) => modelRouteQuery(workspace.id, id)}
        title={({ model }) => model}
        busy={(acting?.action ?? null) !== null || search.create === true}
      >
        {(of) => <RouteSheet key={of.id} of={of} actions={actions} />}
      </RecordSheet>
      <OnceOpened opened={acting !== null}>
        {acting && (
          <RouteDialogs
            key={acting.of.id}
            route={acting.of}
            action={acting.action}
            onClose={() => setActing({ ...acting, action: null })}
            onDone={(isGone) => {
              setActing({ ...acting, action: null });
              refresh();
              if (isGone && search.id === acting.of.id) go({ id: undefined });
            }}
          />
        )}
      </OnceOpened>
      <OnceOpened opened={search.create === true}>
        <RouteDialog
          opened={search.create === true}
          route={null}
          onClose={() => go({ create: undefined })}
          onDone={({ id }) => {
            refresh();
            go({ create: undefined, id });
          }}
        />
      </OnceOpened>
    </>
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
                    <span className={classes.timeout}>
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
