/** One webhook: its health, what was sent, how it is set, and what can be done with it. */
import { Button, Group, Tabs } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconHistory, IconPencil, IconSend } from '@tabler/icons-react';
import { lazy, useCallback, useState } from 'react';
import { deliveriesKey } from '../../api/deliveries.ts';
import type { Webhook } from '../../api/types.ts';
import {
  deleteWebhook,
  testWebhook,
  webhookHealthQuery,
  webhookQuery,
  webhooksKey,
} from '../../api/webhooks.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { ConfirmDialog, OnceOpened, SecretDialog } from '../../ui/lazy-dialogs.tsx';
import { TextLink } from '../../ui/links.tsx';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { MiddleCut } from '../../ui/MiddleCut.tsx';
import { notifyDone, notifyFailed } from '../../ui/notify.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { useWebhookSwitch } from '../webhooks/use-webhook-switch.tsx';
import { Deliveries } from './Deliveries.tsx';
import { DisabledNotice } from './DisabledNotice.tsx';
import { HealthPanel } from './HealthPanel.tsx';
import { InspectorLink } from './InspectorLink.tsx';
import { replayMemory } from './replay-memory.ts';
import { ReplayProgress } from './ReplayProgress.tsx';
import { WebhookFacts } from './WebhookFacts.tsx';
import classes from './webhook.module.css';

const WebhookDialog = lazy(async () => ({
  default: (await import('../webhooks/WebhookDialog.tsx')).WebhookDialog,
}));
const ReplayDialog = lazy(async () => ({ default: (await import('./ReplayDialog.tsx')).ReplayDialog }));
const RotateSecretDialog = lazy(async () => ({
  default: (await import('./RotateSecretDialog.tsx')).RotateSecretDialog,
}));

const route = getRouteApi('/w/$workspace/webhooks/$id');

export function WebhookPage() {
  const { workspace } = useWorkspace();
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(webhookQuery(workspace.id, id));
  if (data) return <Loaded key={data.id} webhook={data} />;
  return (
    <>
      <PageHeader title="Webhook" />
      {error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingList label="Loading the webhook" />
      )}
    </>
  );
}

function Loaded({ webhook }: { webhook: Webhook }) {
  const { workspace } = useWorkspace();
  const write = useCan('webhooks:write');
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const { data: health } = useQuery(webhookHealthQuery(workspace.id, webhook.id));
  const [action, setAction] = useState<'edit' | 'replay' | 'rotate' | 'delete' | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [missedSince, setMissedSince] = useState<string | null>(null);
  const [job, setJob] = useState(() => replayMemory.get(webhook.id));
  const { switchTo, switching, dialog, asking } = useWebhookSwitch((before) => {
    // What it missed begins with the failures that led to its end, where there were any.
    setMissedSince(health?.failing_since ?? before.disabled_at);
    setAction('replay');
  });
  const forgetJob = useCallback(() => {
    replayMemory.forget(webhook.id);
    setJob(null);
  }, [webhook.id]);
  const test = useMutation({
    mutationFn: () => testWebhook(workspace.id, webhook.id),
    onSuccess: () => {
      notifyDone('A ping is on its way');
      void queryClient.invalidateQueries({ queryKey: deliveriesKey(workspace.id, webhook.id) });
    },
    onError: notifyFailed,
  });
  const changed = (message?: string) => {
    setAction(null);
    void queryClient.invalidateQueries({ queryKey: webhooksKey(workspace.id) });
    if (message) notifyDone(message);
  };
  const sendTest = write && (
    <Button
      variant="default"
      leftSection={<IconSend size={16} />}
      disabled={!webhook.enabled}
      loading={test.isPending}
      onClick={() => test.mutate()}
    >
      Send test
    </Button>
  );
  return (
    <>
      <TextLink to="/w/$workspace/webhooks" params={{ workspace: workspace.slug }} className={classes.back}>
        Webhooks
      </TextLink>
      <PageHeader
        title={new URL(webhook.url).host}
        description={
          <span className={classes.address}>
            <MiddleCut text={webhook.url} />
            <CopyButton text={webhook.url} label="Copy the url" />
            <InspectorLink url={webhook.url} />
          </span>
        }
      >
        {write && (
          <Group gap="xs">
            {sendTest}
            <Button
              variant="default"
              leftSection={<IconHistory size={16} />}
              disabled={!webhook.enabled}
              onClick={() => {
                setMissedSince(null);
                setAction('replay');
              }}
            >
              Replay
            </Button>
            <Button
              variant="default"
              leftSection={<IconPencil size={16} />}
              onClick={() => setAction('edit')}
            >
              Change
            </Button>
            <RowMenu
              of="the webhook"
              actions={[
                { label: 'Rotate secret', onClick: () => setAction('rotate') },
                webhook.enabled
                  ? { label: 'Disable', onClick: () => switchTo(webhook, false) }
                  : { label: 'Enable', onClick: () => switchTo(webhook, true) },
                { label: 'Delete', danger: true, onClick: () => setAction('delete') },
              ]}
            />
          </Group>
        )}
      </PageHeader>
      {!webhook.enabled && (
        <DisabledNotice
          webhook={webhook}
          enabling={switching}
          onEnable={write ? () => switchTo(webhook, true) : undefined}
        />
      )}
      {job !== null && <ReplayProgress webhookId={webhook.id} jobId={job} onClose={forgetJob} />}
      <HealthPanel health={health} />
      <Tabs
        value={tab ?? 'deliveries'}
        onChange={(value) =>
          void navigate({ search: value === 'settings' ? { tab: 'settings' } : {}, replace: true })
        }
        mb="sm"
      >
        <Tabs.List>
          <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {tab === 'settings' ? (
        <WebhookFacts webhook={webhook} />
      ) : (
        <Deliveries webhook={webhook} action={sendTest} busy={action !== null || secret !== null || asking} />
      )}
      <OnceOpened opened={action === 'edit'}>
        <WebhookDialog
          opened={action === 'edit'}
          webhook={webhook}
          onClose={() => setAction(null)}
          onDone={() => changed('Webhook changed')}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'replay'}>
        <ReplayDialog
          webhookId={webhook.id}
          opened={action === 'replay'}
          since={missedSince}
          onClose={() => setAction(null)}
          onDone={({ id }) => {
            replayMemory.set(webhook.id, id);
            setJob(id);
            changed();
          }}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'rotate'}>
        <RotateSecretDialog
          webhook={webhook}
          opened={action === 'rotate'}
          onClose={() => setAction(null)}
          onDone={(answer) => {
            changed();
            setSecret(answer.secret);
          }}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'delete'}>
        <ConfirmDialog
          opened={action === 'delete'}
          title="Delete the webhook?"
          confirm="Delete webhook"
          call={{ method: 'DELETE', path: `/webhooks/${webhook.id}` }}
          action={() => deleteWebhook(workspace.id, webhook.id)}
          onDone={async () => {
            notifyDone('Webhook deleted');
            await navigate({ to: '/w/$workspace/webhooks', params: { workspace: workspace.slug } });
            // Once nothing shows it any more, so that nothing asks for it again.
            forgetJob();
            queryClient.removeQueries({ queryKey: webhookQuery(workspace.id, webhook.id).queryKey });
            queryClient.removeQueries({ queryKey: webhookHealthQuery(workspace.id, webhook.id).queryKey });
            await queryClient.invalidateQueries({ queryKey: webhooksKey(workspace.id) });
          }}
          onClose={() => setAction(null)}
        >
          What waits for it is canceled, and what is being sent at this moment may still arrive. This can't be
          undone; to pause it, disable it instead.
        </ConfirmDialog>
      </OnceOpened>
      <OnceOpened opened={secret !== null}>
        <SecretDialog
          secret={secret}
          title="The new signing secret"
          explanation="Give it to your receiver within 24 hours: until then deliveries are signed by the old one too. It is shown this once: nobody can read it again."
          onDone={() => setSecret(null)}
        />
      </OnceOpened>
      {dialog}
    </>
  );
}
