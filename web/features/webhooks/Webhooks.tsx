/** The webhooks of the workspace. Search and filters are part of the URL. */
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { inspectorsQuery } from '../../api/inspectors.ts';
import type { Webhook } from '../../api/types.ts';
import { webhooksKey } from '../../api/webhooks.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { rich, t } from '../../copy/text.ts';
import { TextLink } from '../../design/links.tsx';
import { notifyDone } from '../../design/notify.ts';
import { lazily } from '../../patterns/lazily.ts';
import { OnceOpened, SecretDialog } from '../../patterns/lazy-dialogs.tsx';
import { ResourceList } from '../../patterns/list/ResourceList.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { eventTypeFilter } from '../events/event-type-filter.ts';
import { QueueHealth } from './QueueHealth.tsx';
import { replayMemory } from './replay-memory.ts';
import { useSendTest } from './use-send-test.ts';
import { useWebhookList } from './use-webhook-list.ts';
import { useWebhookSwitch } from './use-webhook-switch.ts';
import { VerifySnippet } from './VerifySnippet.tsx';
import { type WebhookAction, webhookActions } from './webhook-actions.ts';
import { webhookColumns } from './webhook-columns.tsx';

const WebhookDialog = lazily(() => import('./WebhookDialog.tsx'), 'WebhookDialog');
const WebhookDialogs = lazily(() => import('./WebhookDialogs.tsx'), 'WebhookDialogs');

const route = getRouteApi('/w/$workspace/webhooks');

const STATES = [
  { value: 'enabled', label: t('Enabled') },
  { value: 'failing', label: t('Failing') },
  { value: 'disabled', label: t('Disabled') },
];

const FIRST_WEBHOOK = {
  method: 'POST',
  path: '/webhooks',
  body: { url: 'https://example.com/hooks/fairlead', events: ['*'] },
} as const;

/** Removes the dialog from the URL. */
const CLOSED = { create: undefined, subscribe: undefined, inspector: undefined };

export function Webhooks() {
  const { workspace } = useWorkspace();
  const write = useCan('webhooks:write');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const webhooks = useWebhookList(workspace.id, search);
  const { data: inspectors } = useQuery({
    ...inspectorsQuery(workspace.id),
    enabled: search.inspector !== undefined,
  });
  const creating = search.create === true && (search.inspector === undefined || inspectors !== undefined);
  const [acting, setActing] = useState<{ webhook: Webhook; action: WebhookAction | null } | null>(null);
  const [secret, setSecret] = useState<{ id: string; secret: string } | null>(null);
  const { switchTo, dialog } = useWebhookSwitch();
  const sendTest = useSendTest();
  // Stable columns keep the rows from rendering again while a switch is pressed.
  const columns = useMemo(() => webhookColumns(write ? switchTo : undefined), [write, switchTo]);
  const isFiltered = [search.q, search.state, search.event].some((value) => value !== undefined);
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const link = ({ id }: { id: string }) => ({
    to: '/w/$workspace/webhooks/$id' as const,
    params: { workspace: workspace.slug, id },
  });
  const create = write && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ create: true })}>
      {t('Create webhook')}
    </Button>
  );
  return (
    <>
      <ResourceList
        name="webhooks"
        title={t('Webhooks')}
        description={t('Send signed events to your server, with automatic retries.')}
        buttons={create}
        // Without webhooks there is no queue.
        notice={(isFiltered || webhooks.data?.length !== 0) && <QueueHealth />}
        search={t('Search by URL or description')}
        list={webhooks}
        columns={columns}
        link={link}
        rowLabel={({ url, description }) => description || url}
        filters={[
          { key: 'state', label: t('Status'), kind: 'choice', options: STATES },
          eventTypeFilter(workspace.id, 'event'),
        ]}
        actions={webhookActions({
          open: (webhook, action) => setActing({ webhook, action }),
          sendTest: sendTest.mutate,
          switchTo,
        })}
        empty={
          <EmptyList icon={IconWebhook} title={t('No webhooks yet')} call={FIRST_WEBHOOK}>
            {rich(
              'Webhooks send events to your server as they happen. No server yet? Use the built-in <link>inspector</link>.',
              {
                link: (words) => (
                  <TextLink to="/w/$workspace/inspector" params={{ workspace: workspace.slug }}>
                    {words}
                  </TextLink>
                ),
              },
            )}
          </EmptyList>
        }
      />
      <OnceOpened opened={creating}>
        <WebhookDialog
          opened={creating}
          webhook={null}
          defaults={{
            url: inspectors?.find(({ id }) => id === search.inspector)?.url ?? '',
            events: search.subscribe === undefined ? [] : [search.subscribe],
          }}
          onClose={() => go(CLOSED)}
          onDone={(webhook) => {
            void queryClient.invalidateQueries({ queryKey: webhooksKey(workspace.id) });
            go(CLOSED);
            const created = 'secret' in webhook ? webhook.secret : null;
            if (created !== null) return setSecret({ id: webhook.id, secret: created });
            notifyDone(t('A webhook with these settings already exists.'));
            void navigate(link(webhook));
          }}
        />
      </OnceOpened>
      <OnceOpened opened={acting !== null}>
        {acting && (
          <WebhookDialogs
            key={acting.webhook.id}
            webhook={acting.webhook}
            action={acting.action}
            missedSince={null}
            onClose={() => setActing({ ...acting, action: null })}
            onReplay={({ id }) => {
              replayMemory.set(acting.webhook.id, id);
              void navigate(link(acting.webhook));
            }}
            onSecret={(rotated) => rotated !== null && setSecret({ id: acting.webhook.id, secret: rotated })}
            onDeleted={() => replayMemory.forget(acting.webhook.id)}
          />
        )}
      </OnceOpened>
      <OnceOpened opened={secret !== null}>
        <SecretDialog
          secret={secret?.secret ?? null}
          title={t('Webhook signing secret')}
          explanation={t(
            "Use this secret to verify that deliveries come from Fairlead. You won't be able to see it again.",
          )}
          onDone={() => {
            setSecret(null);
            if (secret) void navigate(link(secret));
          }}
        >
          <VerifySnippet />
        </SecretDialog>
      </OnceOpened>
      {dialog}
    </>
  );
}
