/** The page of one webhook: health, deliveries, settings, and actions. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, Suspense } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import { PageTabs } from '../../patterns/PageTabs.tsx';
import { t } from '../../copy/text.ts';
import type { Webhook } from '../../api/types.ts';
import { webhookHealthQuery, webhookQuery } from '../../api/webhooks.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { SecretDialog } from '../../patterns/lazy-dialogs.tsx';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { useActions } from '../../patterns/actions/use-actions.tsx';
import { DetailHeader, DetailPage } from '../../patterns/DetailPage.tsx';
import { CopyButton } from '../../design/CopyButton.tsx';
import { MiddleCut } from '../../design/MiddleCut.tsx';
import { useWebhookSwitch } from './use-webhook-switch.ts';
import { Deliveries } from './Deliveries.tsx';
import { HealthPanel } from './HealthPanel.tsx';
import { replayMemory } from './replay-memory.ts';
import { HealthState } from './HealthState.tsx';
import { InspectorLink } from './InspectorLink.tsx';
import { webhookName } from './webhook-text.ts';
import { ReplayDialog, useWebhookActions } from './use-webhook-actions.ts';
import classes from './webhook.module.css';

const DisabledNotice = lazily(() => import('./DisabledNotice.tsx'), 'DisabledNotice');

const WebhookDetails = lazily(() => import('./WebhookDetails.tsx'), 'WebhookDetails');

const ReplayProgress = lazily(() => import('./ReplayProgress.tsx'), 'ReplayProgress');

const route = getRouteApi('/w/$workspace/webhooks/$id');

const BACK = { label: t('Webhooks'), to: '/w/$workspace/webhooks' } as const;

export function WebhookPage() {
  const { workspace } = useWorkspace();
  const { id } = route.useParams();
  return (
    <DetailPage query={useQuery(webhookQuery(workspace.id, id))} noun={t('Webhook')} back={BACK}>
      {(webhook) => <Loaded key={webhook.id} webhook={webhook} />}
    </DetailPage>
  );
}

function Loaded({ webhook }: { webhook: Webhook }) {
  const { workspace } = useWorkspace();
  const write = useCan('webhooks:write');
  const { tab } = route.useSearch();
  const { data: health } = useQuery(webhookHealthQuery(workspace.id, webhook.id));
  const [secret, setSecret] = useState<string | null>(null);
  /** Of a webhook that was just enabled; false in `opened` while the dialog fades out. */
  const [missed, setMissed] = useState<{ since: string | null; opened: boolean } | null>(null);
  const [job, setJob] = useState(() => replayMemory.get(webhook.id));
  const { switchTo, switching, dialog, confirming } = useWebhookSwitch((before) => {
    // Missed events start with the failures that disabled the webhook, if any.
    setMissed({ since: health?.failing_since ?? before.disabled_at, opened: true });
  });
  const { definitions, onDone } = useWebhookActions({
    switchTo,
    onReplay: (_webhook, { id }) => setJob(id),
    onSecret: (answer) => setSecret(answer.secret),
  });
  const { actions, dialogs, isOpen } = useActions(definitions, onDone);
  const dismissJob = () => {
    replayMemory.forget(webhook.id);
    setJob(null);
  };
  const closeMissed = () => setMissed(missed && { ...missed, opened: false });
  return (
    <>
      <DetailHeader
        back={BACK}
        title={webhookName(webhook)}
        status={health && <HealthState health={health} />}
        description={
          <span className={classes.address}>
            <MiddleCut text={webhook.url} />
            <CopyButton text={webhook.url} label={t('Copy URL')} />
            <InspectorLink url={webhook.url} />
          </span>
        }
      >
        <ActionButtons record={webhook} of={webhook.description || webhook.url} actions={actions} />
      </DetailHeader>
      <Suspense>
        {!webhook.enabled && (
          <DisabledNotice
            webhook={webhook}
            enabling={switching}
            onEnable={write ? () => switchTo(webhook, true) : undefined}
          />
        )}
      </Suspense>
      <Suspense>
        {' '}
        {job !== null && <ReplayProgress webhookId={webhook.id} jobId={job} onClose={dismissJob} />}
      </Suspense>
      <HealthPanel health={health} />
      <PageTabs
        tabs={[
          { value: 'deliveries', label: t('Deliveries') },
          { value: 'settings', label: t('Settings') },
        ]}
        value={tab}
      />
      <Suspense>
        {tab === 'settings' ? (
          <WebhookDetails webhook={webhook} />
        ) : (
          <Deliveries
            webhook={webhook}
            busy={isOpen || missed?.opened === true || secret !== null || confirming}
          />
        )}
      </Suspense>
      {dialogs}
      <ReplayDialog
        opened={missed?.opened === true}
        object={webhook}
        since={missed?.since}
        onClose={closeMissed}
        onDone={(answer) => {
          closeMissed();
          void onDone(webhook, { action: 'replay', isGone: false, answer });
        }}
      />
      <SecretDialog
        secret={secret}
        title={t('New signing secret')}
        explanation={t(
          "Update your endpoint within 24 hours. Until then, deliveries are also signed with the previous secret. You won't be able to see this secret again.",
        )}
        onDone={() => setSecret(null)}
      />
      {dialog}
    </>
  );
}
