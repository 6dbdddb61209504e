/** The request inspector: receiver addresses that the server itself offers, and live what arrives at them. */
import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconAdjustments, IconInbox, IconPlus } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import {
  clearInspector,
  deleteInspector,
  inspectorRequestsKey,
  inspectorsQuery,
  updateInspector,
} from '../../api/inspectors.ts';
import type { Inspector } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { EmptyList, FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { notifyDone, notifyFailed } from '../../ui/notify.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import classes from './inspector.module.css';
import { InspectorNames } from './InspectorNames.tsx';
import { LiveRequests } from './LiveRequests.tsx';

const InspectorDialog = lazy(async () => ({
  default: (await import('./InspectorDialog.tsx')).InspectorDialog,
}));

const route = getRouteApi('/w/$workspace/inspector');

const FIRST = { method: 'POST', path: '/inspectors', body: { name: 'First try' } } as const;

export function InspectorPage() {
  const { workspace } = useWorkspace();
  const write = useCan('webhooks:write');
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const inspectors = useQuery(inspectorsQuery(workspace.id));
  const [action, setAction] = useState<'new' | 'answer' | 'clear' | 'delete' | null>(null);
  const list = inspectors.data ?? [];
  const shown = list.find((one) => one.id === id) ?? list[0];

  const select = (chosen: string | undefined) => void navigate({ search: { id: chosen }, replace: true });
  const changed = async (message?: string) => {
    setAction(null);
    if (message) notifyDone(message);
    await queryClient.invalidateQueries({ queryKey: inspectorsQuery(workspace.id).queryKey });
  };
  const toggle = useMutation({
    mutationFn: ({ id: of, enabled }: Inspector) => updateInspector(workspace.id, of, { enabled: !enabled }),
    onSuccess: ({ enabled }) => changed(enabled ? 'Inspector enabled' : 'Inspector disabled'),
    onError: notifyFailed,
  });
  const create = write && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAction('new')}>
      New inspector
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Inspector"
        description="A receiver address that this server itself offers. What is sent to it shows up here as it arrives."
      >
        {create}
      </PageHeader>
      {inspectors.isPending && <LoadingList label="Loading inspectors" />}
      {inspectors.error && !inspectors.data && (
        <FailedList error={inspectors.error} retry={() => void inspectors.refetch()} />
      )}
      {inspectors.data?.length === 0 && (
        <EmptyList icon={IconInbox} title="No inspectors yet" action={create} call={FIRST}>
          An inspector receives webhooks, so that you can look at them before you write a receiver. It answers
          as you tell it: with an error, say, to see the retries.
        </EmptyList>
      )}
      {shown && (
        <div className={classes.page}>
          <InspectorNames inspectors={list} shown={shown} onSelect={select} />
          <div className={classes.one}>
            <Group gap="xs" mb="sm" align="flex-start" wrap="nowrap">
              <div className={classes.url}>
                <CodeBlock text={shown.url} label="Copy the address" wrap />
              </div>
              {write && (
                <RowMenu
                  of={shown.name}
                  actions={[
                    { label: shown.enabled ? 'Disable' : 'Enable', onClick: () => toggle.mutate(shown) },
                    { label: 'Clear', onClick: () => setAction('clear') },
                    { label: 'Delete', danger: true, onClick: () => setAction('delete') },
                  ]}
                />
              )}
            </Group>
            <Group gap="sm" mb="sm">
              <Answer inspector={shown} />
              {write && (
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<IconAdjustments size={14} />}
                  onClick={() => setAction('answer')}
                >
                  Change the answer
                </Button>
              )}
              {write && (
                <ButtonLink
                  size="xs"
                  variant="default"
                  to="/w/$workspace/webhooks"
                  params={{ workspace: workspace.slug }}
                  search={{ create: true, inspector: shown.id }}
                >
                  Send it a webhook
                </ButtonLink>
              )}
            </Group>
            <LiveRequests key={shown.id} inspector={shown} busy={action !== null} />
          </div>
        </div>
      )}
      <OnceOpened opened={action === 'new' || action === 'answer'}>
        <InspectorDialog
          opened={action === 'new' || action === 'answer'}
          inspector={action === 'answer' ? (shown ?? null) : null}
          count={list.length}
          onClose={() => setAction(null)}
          onDone={async (made) => {
            await changed();
            select(made);
          }}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'clear'}>
        <ConfirmDialog
          opened={action === 'clear' && shown !== undefined}
          title={`Clear ${shown?.name ?? ''}?`}
          confirm="Clear"
          call={{ method: 'DELETE', path: `/inspectors/${shown?.id ?? ''}/requests` }}
          action={() => clearInspector(workspace.id, shown?.id ?? '')}
          onDone={async () => {
            await queryClient.resetQueries({ queryKey: inspectorRequestsKey(workspace.id, shown?.id ?? '') });
            await changed('Cleared');
          }}
          onClose={() => setAction(null)}
        >
          All that it received is deleted. Its address and its answer stay.
        </ConfirmDialog>
      </OnceOpened>
      <OnceOpened opened={action === 'delete'}>
        <ConfirmDialog
          opened={action === 'delete' && shown !== undefined}
          title={`Delete ${shown?.name ?? ''}?`}
          confirm="Delete inspector"
          call={{ method: 'DELETE', path: `/inspectors/${shown?.id ?? ''}` }}
          action={() => deleteInspector(workspace.id, shown?.id ?? '')}
          onDone={async () => {
            await changed('Inspector deleted');
            select(undefined);
          }}
          onClose={() => setAction(null)}
        >
          With all that it received. Its address is answered 404 at once, so webhooks that post to it fail.
        </ConfirmDialog>
      </OnceOpened>
    </>
  );
}

function Answer({ inspector: { answer, enabled } }: { inspector: Inspector }) {
  if (!enabled) return <StateDot tone="idle">disabled, answers 404</StateDot>;
  return (
    <StateDot tone={answer.status < 300 ? 'good' : answer.status === 429 ? 'warn' : 'bad'}>
      answers {answer.status}
      {answer.delay_ms > 0 ? ` after ${answer.delay_ms} ms` : ' at once'}
    </StateDot>
  );
}
