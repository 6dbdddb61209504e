/** The webhooks of the workspace. Search and filters are part of the URL. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconWebhook } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { inspectorsQuery } from '../../api/inspectors.ts';
import type { AnsweredWebhook, Webhook } from '../../api/types.ts';
import { webhooksKey } from '../../api/webhooks.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { rich, t } from '../../copy/text.ts';
import { TextLink } from '../../design/links.tsx';
import { notifyDone } from '../../design/notify.ts';
import type { ObjectDialogProps } from '../../patterns/actions/action.ts';
import { SecretDialog } from '../../patterns/lazy-dialogs.tsx';
import { ListPage } from '../../patterns/list/ListPage.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { eventTypeFilter } from '../events/event-type-filter.ts';
import { QueueHealth } from './QueueHealth.tsx';
import { useWebhookActions, WebhookDialog } from './use-webhook-actions.ts';
import { useWebhookList } from './use-webhook-list.ts';
import { useWebhookSwitch } from './use-webhook-switch.ts';
import { VerifySnippet } from './VerifySnippet.tsx';
import { webhookColumns } from './webhook-columns.tsx';

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

/** The form of a new webhook, which an event type or an inspector may have led to. */
function NewWebhook(props: ObjectDialogProps<Webhook>) {
  const { workspace } = useWorkspace();
  const { inspector, subscribe } = route.useSearch();
  const { data: inspectors } = useQuery({
    ...inspectorsQuery(workspace.id),
    enabled: inspector !== undefined,
  });
  return (
    <WebhookDialog
      {...props}
      opened={props.opened && (inspector === undefined || inspectors !== undefined)}
      defaults={{
        url: inspectors?.find(({ id }) => id === inspector)?.url ?? '',
        events: subscribe === undefined ? [] : [subscribe],
      }}
    />
  );
}

export function Webhooks() {
  const { workspace } = useWorkspace();
  const write = useCan('webhooks:write');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const webhooks = useWebhookList(workspace.id, search);
  const [secret, setSecret] = useState<{ id: string; secret: string } | null>(null);
  const { switchTo, dialog } = useWebhookSwitch();
  // Stable columns keep the rows from rendering again while a switch is pressed.
  const columns = useMemo(() => webhookColumns(write ? switchTo : undefined), [write, switchTo]);
  const isFiltered = [search.q, search.state, search.event].some((value) => value !== undefined);
  const link = ({ id }: { id: string }) => ({
    to: '/w/$workspace/webhooks/$id' as const,
    params: { workspace: workspace.slug, id },
  });
  const showSecret = (webhook: Webhook | AnsweredWebhook): boolean => {
    const shown = 'secret' in webhook ? webhook.secret : null;
    if (shown !== null) setSecret({ id: webhook.id, secret: shown });
    return shown !== null;
  };
  const { definitions, onDone } = useWebhookActions({
    switchTo,
    onReplay: (webhook) => void navigate(link(webhook)),
    onSecret: showSecret,
  });
  return (
    <>
      <ListPage
        name="webhooks"
        title={t('Webhooks')}
        description={t('Send signed events to your server, with automatic retries.')}
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
        actions={definitions}
        onAction={onDone}
        create={{
          label: t('Create webhook'),
          scope: 'webhooks:write',
          dialog: NewWebhook,
          params: ['subscribe', 'inspector'],
          onDone: (webhook) => {
            void queryClient.invalidateQueries({ queryKey: webhooksKey(workspace.id) });
            if (showSecret(webhook)) return;
            notifyDone(t('A webhook with these settings already exists.'));
            void navigate(link(webhook));
          },
        }}
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
      {dialog}
    </>
  );
}
