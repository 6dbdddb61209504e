/** One webhook: its health, what was sent, how it is set, and what can be done with it. */
import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, useState } from 'react';
import type { Webhook } from '../../api/types.ts';
import { webhookHealthQuery, webhookQuery } from '../../api/webhooks.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { OnceOpened, SecretDialog } from '../../ui/lazy-dialogs.tsx';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { useWebhookSwitch } from '../webhooks/use-webhook-switch.tsx';
import { Deliveries } from './Deliveries.tsx';
import { DisabledNotice } from './DisabledNotice.tsx';
import { HealthPanel } from './HealthPanel.tsx';
import { replayMemory } from './replay-memory.ts';
import { WebhookDialogs } from './WebhookDialogs.tsx';
import { WebhookDetails } from './WebhookDetails.tsx';
import { type WebhookAction, WebhookHeader } from './WebhookHeader.tsx';

const ReplayProgress = lazy(async () => ({ default: (await import('./ReplayProgress.tsx')).ReplayProgress }));

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
  const { data: health } = useQuery(webhookHealthQuery(workspace.id, webhook.id));
  const [action, setAction] = useState<WebhookAction | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [missedSince, setMissedSince] = useState<string | null>(null);
  const [job, setJob] = useState(() => replayMemory.get(webhook.id));
  const { switchTo, switching, dialog, asking } = useWebhookSwitch((before) => {
    // What it missed begins with the failures that led to its end, where there were any.
    setMissedSince(health?.failing_since ?? before.disabled_at);
    setAction('replay');
  });
  const forgetJob = () => {
    replayMemory.forget(webhook.id);
    setJob(null);
  };
  const close = () => {
    setAction(null);
    setMissedSince(null);
  };
  return (
    <>
      <WebhookHeader
        webhook={webhook}
        onAction={setAction}
        onSwitch={(enabled) => switchTo(webhook, enabled)}
      />
      {!webhook.enabled && (
        <DisabledNotice
          webhook={webhook}
          enabling={switching}
          onEnable={write ? () => switchTo(webhook, true) : undefined}
        />
      )}
      <OnceOpened opened={job !== null}>
        {job !== null && <ReplayProgress webhookId={webhook.id} jobId={job} onClose={forgetJob} />}
      </OnceOpened>
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
        <WebhookDetails webhook={webhook} />
      ) : (
        <Deliveries webhook={webhook} busy={action !== null || secret !== null || asking} />
      )}
      <WebhookDialogs
        webhook={webhook}
        action={action}
        missedSince={missedSince}
        onClose={close}
        onReplay={({ id }) => {
          replayMemory.set(webhook.id, id);
          setJob(id);
        }}
        onSecret={setSecret}
        onDeleted={forgetJob}
      />
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
