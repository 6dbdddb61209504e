/** Shows one event: its data, the object it is about, and its deliveries. */
import { Button, Stack, Title } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconRefresh } from '@tabler/icons-react';
import { send } from '../../api/call.ts';
import { retryDelivery } from '../../api/deliveries.ts';
import { eventDeliveriesKey, eventDeliveriesQuery, eventQuery } from '../../api/events.ts';
import { useRecordsOf } from '../../api/records-of.ts';
import type { Delivery, EventObject } from '../../api/types.ts';
import { webhookQuery } from '../../api/webhooks.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { MiddleCut } from '../../design/MiddleCut.tsx';
import { notifyDone, notifyFailed } from '../../design/notify.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { exactTime } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { DetailHeader, DetailPage } from '../../patterns/DetailPage.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { DataTable } from '../../patterns/table/DataTable.tsx';
import { DeliveryStatus } from '../deliveries/DeliveryStatus.tsx';
import { ObjectButton } from './ObjectButton.tsx';

const route = getRouteApi('/w/$workspace/events/$id');

const BACK = { label: t('Events'), to: '/w/$workspace/events' } as const;

export function EventPage() {
  const { workspace } = useWorkspace();
  const { id } = route.useParams();
  const readsWebhooks = useCan('webhooks:read');
  const query = useQuery(eventQuery(workspace.id, id));
  return (
    <DetailPage query={query} noun={t('Event')} back={BACK}>
      {(event) => (
        <>
          <DetailHeader
            back={BACK}
            title={event.type}
            description={
              <>
                {exactTime(event.created_at)} · <Id id={event.id} of={t('event ID')} />
              </>
            }
          >
            <ObjectButton event={event} />
          </DetailHeader>
          <Stack gap="lg">
            {readsWebhooks && <Deliveries event={event} />}
            <section>
              <Title order={2} mb="xs">
                {t('Event')}
              </Title>
              <JsonView value={event} />
            </section>
            <AsCurl call={{ method: 'GET', path: `/events/${event.id}` }} />
          </Stack>
        </>
      )}
    </DetailPage>
  );
}

function Deliveries({ event }: { event: EventObject }) {
  const { workspace } = useWorkspace();
  const list = useInfiniteQuery(eventDeliveriesQuery(workspace.id, event.id));
  const webhooks = useRecordsOf(
    (list.data ?? []).map((one) => one.webhook_id),
    {
      one: (id) => webhookQuery(workspace.id, id),
    },
  );
  const getUrl = ({ webhook_id: id }: Delivery): string => webhooks.get(id)?.url ?? id;
  const columns: Column<Delivery>[] = [
    {
      key: 'webhook',
      title: t('Webhook'),
      fixed: true,
      render: (delivery) => (
        <div className={ui.urlCell}>
          <MiddleCut text={getUrl(delivery)} tail={8} />
        </div>
      ),
    },
    {
      key: 'status',
      title: t('Status'),
      render: (delivery) => <DeliveryStatus delivery={delivery} />,
    },
    {
      key: 'attempts',
      title: t('Attempts'),
      align: 'right',
      from: 'medium',
      width: 90,
      render: ({ attempt_count: count }) => count,
    },
    {
      key: 'last_attempt_at',
      title: t('Last attempt'),
      from: 'medium',
      width: 150,
      render: ({ last_attempt_at: at }) => <RelativeTime at={at} />,
    },
    {
      key: 'retry',
      title: '',
      label: t('Actions'),
      align: 'right',
      render: (delivery) => <RetryButton delivery={delivery} url={getUrl(delivery)} />,
    },
  ];
  return (
    <section>
      <Title order={2} mb="xs">
        {t('Deliveries')}
      </Title>
      <DataTable
        label={t('Deliveries')}
        list={list}
        columns={columns}
        rowLabel={getUrl}
        link={({ id, webhook_id: webhook }) => ({
          to: '/w/$workspace/webhooks/$id',
          params: { workspace: workspace.slug, id: webhook },
          search: { delivery: id },
        })}
        empty={<p className={ui.nothing}>{t('No webhook was subscribed to this event.')}</p>}
      />
    </section>
  );
}

function RetryButton({ delivery, url }: { delivery: Delivery; url: string }) {
  const { workspace } = useWorkspace();
  const write = useCan('webhooks:write');
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () => send(workspace.id, retryDelivery(delivery.id)),
    onSuccess: () => {
      notifyDone(t('Delivery queued'));
      void client.invalidateQueries({ queryKey: eventDeliveriesKey(workspace.id, delivery.event_id) });
    },
    onError: notifyFailed,
  });
  if (!write || delivery.status === 'sending') return null;
  return (
    <Button
      size="compact-xs"
      variant="default"
      leftSection={<IconRefresh size={12} />}
      aria-label={t('Retry delivery to {url}', { url })}
      loading={retry.isPending}
      onClick={() => retry.mutate()}
    >
      {t('Retry')}
    </Button>
  );
}
