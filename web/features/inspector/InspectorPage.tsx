/** The request inspector: test endpoints hosted by this server, and their live requests. */
import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconAdjustments, IconEraser, IconInbox, IconPlus, IconPower, IconTrash } from '@tabler/icons-react';
import atoms from '../../design/atoms.module.css';
import { send } from '../../api/call.ts';
import { formatNumber, t } from '../../copy/text.ts';
import {
  clearInspector,
  deleteInspector,
  inspectorRequestsKey,
  inspectorsQuery,
  updateInspector,
} from '../../api/inspectors.ts';
import type { Inspector } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { ButtonLink } from '../../design/links.tsx';
import { EmptyList, FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import { notifyDone, notifyFailed } from '../../design/notify.ts';
import { PageHeader } from '../../design/PageHeader.tsx';
import type { ActionDefinition } from '../../patterns/actions/action.ts';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { useActions } from '../../patterns/actions/use-actions.tsx';
import { StateDot } from '../../design/StateDot.tsx';
import classes from './inspector.module.css';
import { InspectorNames } from './InspectorNames.tsx';
import { LiveRequests } from './LiveRequests.tsx';

const InspectorDialog = lazyDialog(() => import('./InspectorDialog.tsx'), 'InspectorDialog');

const route = getRouteApi('/w/$workspace/inspector');

const FIRST_CALL = { method: 'POST', path: '/inspectors', body: { name: 'First try' } } as const;

export function InspectorPage() {
  const { workspace } = useWorkspace();
  const write = useCan('webhooks:write');
  const { id, create: asksForm = false } = route.useSearch();
  const isCreating = write && asksForm;
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const inspectors = useQuery(inspectorsQuery(workspace.id));
  const list = inspectors.data ?? [];
  const shown = list.find((one) => one.id === id) ?? list[0];

  const select = (chosen: string | undefined) => void navigate({ search: { id: chosen }, replace: true });
  const refresh = () => queryClient.invalidateQueries({ queryKey: inspectorsQuery(workspace.id).queryKey });
  const toggle = useMutation({
    mutationFn: ({ id: of, enabled }: Inspector) =>
      send(workspace.id, updateInspector(of, { enabled: !enabled })),
    onSuccess: ({ enabled }) => {
      notifyDone(enabled ? t('Inspector enabled') : t('Inspector disabled'));
      return refresh();
    },
    onError: notifyFailed,
  });
  const create = write && (
    <Button
      leftSection={<IconPlus size={16} />}
      onClick={() => void navigate({ search: { id, create: true }, replace: true })}
    >
      {t('Create inspector')}
    </Button>
  );
  const definitions: ActionDefinition<Inspector>[] = [
    {
      id: 'edit',
      label: () => t('Edit inspector'),
      icon: IconAdjustments,
      primary: true,
      scope: 'webhooks:write',
      dialog: InspectorDialog,
    },
    {
      id: 'switch',
      label: ({ enabled }) => (enabled ? t('Disable') : t('Enable')),
      icon: IconPower,
      scope: 'webhooks:write',
      run: toggle.mutate,
    },
    {
      id: 'clear',
      label: () => t('Clear requests'),
      icon: IconEraser,
      scope: 'webhooks:write',
      confirm: (inspector) => ({
        title: t('Clear requests of inspector “{name}”?', { name: inspector.name }),
        text: t('This permanently deletes all requests. The inspector keeps its URL and response.'),
        button: t('Clear requests'),
        call: clearInspector(inspector.id),
      }),
      done: () => t('Requests cleared'),
    },
    {
      id: 'delete',
      label: () => t('Delete'),
      icon: IconTrash,
      danger: true,
      scope: 'webhooks:write',
      confirm: (inspector) => ({
        title: t('Delete inspector “{name}”?', { name: inspector.name }),
        text: t(
          'This permanently deletes the inspector and its requests. Webhooks that post to its URL will fail with 404.',
        ),
        button: t('Delete inspector'),
        call: deleteInspector(inspector.id),
      }),
      done: () => t('Inspector deleted'),
    },
  ];
  const { actions, dialogs, isOpen } = useActions(definitions, async (inspector, { action }) => {
    if (action === 'clear')
      await queryClient.resetQueries({ queryKey: inspectorRequestsKey(workspace.id, inspector.id) });
    await refresh();
    if (action === 'edit') select(inspector.id);
    if (action === 'delete') select(undefined);
  });
  return (
    <>
      <PageHeader
        title={t('Inspector')}
        description={t('Test endpoints hosted by Fairlead. Requests appear here as they arrive.')}
      >
        {create}
      </PageHeader>
      {inspectors.isPending && <LoadingList label={t('Loading inspectors')} />}
      {inspectors.error && !inspectors.data && (
        <FailedList error={inspectors.error} retry={() => void inspectors.refetch()} />
      )}
      {inspectors.data?.length === 0 && (
        <EmptyList icon={IconInbox} title={t('No inspectors yet')} call={FIRST_CALL}>
          {t(
            'Inspectors receive webhooks, so you can see requests before you build an endpoint. You choose the response, for example an error to test retries.',
          )}
        </EmptyList>
      )}
      {shown && (
        <div className={classes.page}>
          <InspectorNames inspectors={list} shown={shown} onSelect={select} />
          <div className={atoms.column}>
            <Group gap="xs" mb="sm" align="flex-start">
              <div className={classes.url}>
                <CodeBlock text={shown.url} label={t('Copy URL')} />
              </div>
              <ActionButtons record={shown} of={shown.name} actions={actions} />
            </Group>
            <Group gap="sm" mb="sm">
              <ResponseSummary inspector={shown} />
              {write && (
                <ButtonLink
                  size="xs"
                  variant="default"
                  to="/w/$workspace/webhooks"
                  params={{ workspace: workspace.slug }}
                  search={{ create: true, inspector: shown.id }}
                >
                  {t('Create webhook')}
                </ButtonLink>
              )}
            </Group>
            <LiveRequests key={shown.id} inspector={shown} busy={isOpen || isCreating} />
          </div>
        </div>
      )}
      <InspectorDialog
        opened={isCreating}
        object={null}
        onClose={() => select(id)}
        onDone={async (created) => {
          await refresh();
          select(created.id);
        }}
      />
      {dialogs}
    </>
  );
}

function ResponseSummary({ inspector: { answer, enabled } }: { inspector: Inspector }) {
  if (!enabled) return <StateDot tone="idle">{t('Disabled, responds with 404')}</StateDot>;
  return (
    <StateDot tone={answer.status < 300 ? 'good' : answer.status === 429 ? 'warn' : 'bad'}>
      {answer.delay_ms > 0
        ? t('Responds with {status} after {delay} ms', {
            status: answer.status,
            delay: formatNumber(answer.delay_ms),
          })
        : t('Responds with {status}', { status: answer.status })}
    </StateDot>
  );
}
