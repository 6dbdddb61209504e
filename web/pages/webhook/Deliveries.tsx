/** The log of deliveries of a webhook, live, with its filters in the address. */
import { Group, NativeSelect, SegmentedControl } from '@mantine/core';
import { useDocumentVisibility } from '@mantine/hooks';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { deliveriesQuery, deliveryQuery } from '../../api/deliveries.ts';
import { storedEventTypesQuery } from '../../api/events.ts';
import type { Webhook } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { OnceOpened, SideSheet } from '../../ui/lazy-dialogs.tsx';
import { EmptyList, NoMatch } from '../../ui/ListStates.tsx';
import { LiveState } from '../../ui/LiveState.tsx';
import ui from '../../ui/ui.module.css';
import { DELIVERY_COLUMNS } from './delivery-columns.tsx';
import { STATUSES } from './delivery-text.ts';
import { DeliverySheet } from './DeliverySheet.tsx';
import { SendTest } from './SendTest.tsx';

const route = getRouteApi('/w/$workspace/webhooks/$id');

const HOUR_MS = 3_600_000;
const SPANS = [
  { value: '', label: 'All' },
  { value: '1', label: '1 h' },
  { value: '24', label: '24 h' },
  { value: '168', label: '7 days' },
];

/** How new deliveries show up, in a word. */
function liveState({
  paused,
  older,
  failures,
}: {
  paused: boolean;
  /** Whether further pages are shown, which are not read again and again. */
  older: boolean;
  failures: number;
}): [tone: 'live' | 'idle' | 'warn', said: string] {
  if (failures > 0) return ['warn', 'connecting again'];
  if (paused) return ['idle', 'paused'];
  return older ? ['idle', 'not live: older ones are shown'] : ['live', 'live'];
}

interface DeliveriesProps {
  webhook: Webhook;
  /** A dialog stands over the page. */
  busy: boolean;
}

export function Deliveries({ webhook, busy }: DeliveriesProps) {
  const { workspace } = useWorkspace();
  const write = useCan('webhooks:write');
  const search = route.useSearch();
  const { status, event, since, delivery: id } = search;
  const navigate = route.useNavigate();
  const visible = useDocumentVisibility() === 'visible';
  const [paused, setPaused] = useState(false);
  const [openedAt] = useState(Date.now);
  const { data: types = [] } = useQuery(storedEventTypesQuery(workspace.id));
  const after = since && new Date(openedAt - Number(since) * HOUR_MS).toISOString();
  const query = deliveriesQuery(
    workspace.id,
    webhook.id,
    {
      ...(status && { status }),
      ...(event && { event_type: event }),
      ...(after && { created_after: after }),
    },
    !paused,
  );
  const deliveries = useInfiniteQuery(query);
  const pages = useQueryClient().getQueryData(query.queryKey)?.pages.length ?? 0;
  const listed = deliveries.data?.find((one) => one.id === id);
  const single = useQuery({ ...deliveryQuery(workspace.id, id ?? ''), enabled: !!id && !listed });
  const shown = id === undefined ? undefined : (listed ?? single.data);
  const filtered = status !== undefined || event !== undefined || since !== undefined;
  const [tone, said] = liveState({
    paused: paused || !visible,
    older: pages > 1,
    failures: deliveries.failureCount,
  });
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <>
      <Group gap="sm" mb="sm">
        <NativeSelect
          size="xs"
          aria-label="Status"
          data={[{ value: '', label: 'Any status' }, ...STATUSES]}
          value={status ?? ''}
          onChange={({ currentTarget }) =>
            go({ status: (currentTarget.value || undefined) as typeof status })
          }
        />
        <NativeSelect
          size="xs"
          aria-label="Type of event"
          data={[{ value: '', label: 'Any event' }, ...types.map((type) => type.id)]}
          value={event ?? ''}
          onChange={({ currentTarget }) => go({ event: currentTarget.value || undefined })}
        />
        <SegmentedControl
          size="xs"
          aria-label="Created within"
          data={SPANS}
          value={since ?? ''}
          onChange={(value) => go({ since: value || undefined })}
        />
        <LiveState paused={paused} onPause={setPaused} tone={tone} said={said} />
      </Group>
      <DataTable
        label="Deliveries"
        list={deliveries}
        columns={DELIVERY_COLUMNS}
        selected={id}
        onSelect={(chosen) => go({ delivery: chosen })}
        empty={
          filtered ? (
            <NoMatch
              of="delivery"
              further={deliveries.hasNextPage ? () => void deliveries.fetchNextPage() : undefined}
            />
          ) : (
            <EmptyList
              icon={IconSend}
              title="Nothing sent yet"
              action={write && <SendTest webhook={webhook} />}
              call={{ method: 'POST', path: `/webhooks/${webhook.id}/test` }}
            >
              Each event that matches becomes a delivery, and shows up here as it happens. A test sends a ping
              now.
            </EmptyList>
          )
        }
      />
      <OnceOpened opened={shown !== undefined}>
        <SideSheet
          record={shown}
          ids={deliveries.data?.map((one) => one.id) ?? []}
          title={(one) => <span className={ui.mono}>{one.event_type}</span>}
          onSelect={(chosen) => go({ delivery: chosen })}
          busy={busy}
        >
          {(one) => <DeliverySheet key={one.id} delivery={one} enabled={webhook.enabled} />}
        </SideSheet>
      </OnceOpened>
    </>
  );
}
