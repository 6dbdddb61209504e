/** The live delivery log of a webhook. Its filters are part of the URL. */
import { useDocumentVisibility } from '@mantine/hooks';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { deliveriesQuery, deliveryQuery } from '../../api/deliveries.ts';
import type { StreamState } from '../../api/live-events.ts';
import type { Webhook } from '../../api/types.ts';
import { testWebhook } from '../../api/webhooks.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import ui from '../../design/ui.module.css';
import { spanStart } from '../../patterns/list/filter.ts';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { LiveLog } from '../../patterns/live/LiveLog.tsx';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import { eventTypeFilter } from '../events/event-type-filter.ts';
import { DELIVERY_COLUMNS } from '../deliveries/delivery-columns.tsx';
import { STATUS_OPTIONS } from '../deliveries/delivery-text.ts';
import { SendTest } from './SendTest.tsx';

const route = getRouteApi('/w/$workspace/webhooks/$id');

const DeliverySheet = lazily(() => import('../deliveries/DeliverySheet.tsx'), 'DeliverySheet');

interface DeliveriesProps {
  webhook: Webhook;
  /** Whether a dialog is open over the page. */
  busy: boolean;
}

export function Deliveries({ webhook, busy }: DeliveriesProps) {
  const { workspace } = useWorkspace();
  const write = useCan('webhooks:write');
  const { status, event, since, delivery: id } = route.useSearch();
  const visible = useDocumentVisibility() === 'visible';
  const [paused, setPaused] = useState(false);
  const [openedAt] = useState(Date.now);
  const query = deliveriesQuery(
    workspace.id,
    webhook.id,
    {
      status,
      event_type: event,
      created_after: since && spanStart(since, openedAt),
    },
    !paused,
  );
  const deliveries = useInfiniteQuery(query);
  const pages = useQueryClient().getQueryData(query.queryKey)?.pages.length ?? 0;
  // Only the first page is polled, so the list is not live once older deliveries are loaded.
  const polled: StreamState = visible && pages <= 1 ? 'live' : 'paused';
  return (
    <>
      <LiveLog
        part
        name="deliveries"
        title={t('Deliveries')}
        list={deliveries}
        columns={DELIVERY_COLUMNS}
        selected={id}
        link={sheetLink('delivery')}
        rowLabel={(one) => one.event_type}
        failed={({ status: state }) => state === 'exhausted'}
        filters={[
          { key: 'status', label: t('Status'), kind: 'choice', options: STATUS_OPTIONS },
          eventTypeFilter(workspace.id, 'event'),
          { key: 'since', label: t('Created'), kind: 'span' },
        ]}
        live={{
          state: deliveries.failureCount > 0 ? 'retrying' : polled,
          paused,
          onPause: setPaused,
        }}
        empty={
          <EmptyList
            icon={IconSend}
            title={t('No deliveries yet')}
            action={write && <SendTest webhook={webhook} />}
            call={testWebhook(webhook.id)}
          >
            {t('Deliveries appear here as matching events happen. Send a test to try it now.')}
          </EmptyList>
        }
      />
      <RecordSheet
        param="delivery"
        rows={deliveries.data}
        single={(one) => deliveryQuery(workspace.id, one)}
        title={(one) => <span className={ui.mono}>{one.event_type}</span>}
        busy={busy}
      >
        {(one) => <DeliverySheet key={one.id} delivery={one} enabled={webhook.enabled} />}
      </RecordSheet>
    </>
  );
}
