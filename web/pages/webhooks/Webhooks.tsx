import { Button, Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { lazy, useMemo, useState } from 'react';
import { storedEventTypesQuery } from '../../api/events.ts';
import { inspectorsQuery } from '../../api/inspectors.ts';
import { webhooksKey } from '../../api/webhooks.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { OnceOpened, SecretDialog } from '../../ui/lazy-dialogs.tsx';
import { EmptyList } from '../../ui/ListStates.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { QueueHealth } from './QueueHealth.tsx';
import { useWebhookList } from './use-webhook-list.ts';
import { useWebhookSwitch } from './use-webhook-switch.tsx';
import { VerifySnippet } from './VerifySnippet.tsx';
import { webhookColumns } from './webhook-columns.tsx';

const WebhookDialog = lazy(async () => ({ default: (await import('./WebhookDialog.tsx')).WebhookDialog }));

const route = getRouteApi('/w/$workspace/webhooks');

const STATES = [
  { value: '', label: 'All' },
  { value: 'enabled', label: 'Enabled' },
  { value: 'failing', label: 'Failing' },
  { value: 'disabled', label: 'Disabled' },
];

const FIRST_WEBHOOK = {
  method: 'POST',
  path: '/webhooks',
  body: { url: 'https://example.com/hooks/fairlead', events: ['*'] },
} as const;

/** The dialog's part of the address, when it is closed. */
const CLOSED = { create: undefined, subscribe: undefined, inspector: undefined };

export function Webhooks() {
  const { workspace } = useWorkspace();
  const write = useCan('webhooks:write');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const webhooks = useWebhookList(workspace.id, search.state, search.event);
  const { data: types = [] } = useQuery(storedEventTypesQuery(workspace.id));
  const { data: inspectors } = useQuery({
    ...inspectorsQuery(workspace.id),
    enabled: search.inspector !== undefined,
  });
  const creating = search.create === true && (search.inspector === undefined || inspectors !== undefined);
  const [made, setMade] = useState<{ id: string; secret: string } | null>(null);
  const { switchTo, dialog } = useWebhookSwitch();
  // The table is as it was while a switch is pressed.
  const columns = useMemo(() => webhookColumns(write ? switchTo : undefined), [write, switchTo]);
  const filtered = search.state !== undefined || search.event !== undefined;
  // Before the first webhook there is nothing to filter, and no queue.
  const none = !filtered && webhooks.data?.length === 0;

  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const open = (id: string) =>
    void navigate({ to: '/w/$workspace/webhooks/$id', params: { workspace: workspace.slug, id } });
  const create = write && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ create: true })}>
      Create webhook
    </Button>
  );

  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Events posted to an address of yours, signed, and tried again until they arrive."
      >
        {create}
      </PageHeader>
      {!none && (
        <>
          <QueueHealth />
          <Group gap="sm" mb="sm">
            <SegmentedControl
              size="xs"
              aria-label="State"
              data={STATES}
              value={search.state ?? ''}
              onChange={(state) => go({ state: (state || undefined) as typeof search.state })}
            />
            <NativeSelect
              size="xs"
              aria-label="Gets events of type"
              data={[{ value: '', label: 'Any event' }, ...types.map(({ id }) => id)]}
              value={search.event ?? ''}
              onChange={({ currentTarget }) => go({ event: currentTarget.value || undefined })}
            />
          </Group>
        </>
      )}
      <DataTable
        label="Webhooks"
        list={webhooks}
        columns={columns}
        onSelect={open}
        empty={
          filtered ? (
            <Text c="dimmed" py="xl" ta="center">
              No webhook matches these filters.
            </Text>
          ) : (
            <EmptyList icon={IconWebhook} title="No webhooks yet" action={create} call={FIRST_WEBHOOK}>
              A webhook tells a server of yours what happens here, the moment it happens. No server at hand?
              The built-in inspector receives the first ones.
            </EmptyList>
          )
        }
      />
      <OnceOpened opened={creating}>
        <WebhookDialog
          opened={creating}
          webhook={null}
          begin={{
            url: inspectors?.find(({ id }) => id === search.inspector)?.url ?? '',
            events: search.subscribe === undefined ? [] : [search.subscribe],
          }}
          onClose={() => go(CLOSED)}
          onDone={(webhook) => {
            void queryClient.invalidateQueries({ queryKey: webhooksKey(workspace.id) });
            go(CLOSED);
            const secret = 'secret' in webhook ? webhook.secret : null;
            if (secret !== null) return setMade({ id: webhook.id, secret });
            notifyDone('There was such a webhook already: here it is');
            open(webhook.id);
          }}
        />
      </OnceOpened>
      <OnceOpened opened={made !== null}>
        <SecretDialog
          secret={made?.secret ?? null}
          title="The signing secret of the webhook"
          explanation="With it your receiver checks that a delivery is ours. It is shown this once: nobody can read it again."
          onDone={() => {
            setMade(null);
            if (made) open(made.id);
          }}
        >
          <VerifySnippet />
        </SecretDialog>
      </OnceOpened>
      {dialog}
    </>
  );
}
