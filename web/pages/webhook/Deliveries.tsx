/** The log of deliveries of a webhook, live, with its filters in the address. */
import { Button, Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { useDocumentVisibility } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPlayerPause, IconPlayerPlay, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { deliveriesQuery, deliveryQuery } from '../../api/deliveries.ts';
import { eventTypesQuery } from '../../api/events.ts';
import type { Webhook } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { OnceOpened, SideSheet } from '../../ui/lazy-dialogs.tsx';
import { EmptyList } from '../../ui/ListStates.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import ui from '../../ui/ui.module.css';
import { DELIVERY_COLUMNS } from './delivery-columns.tsx';
import { STATUSES } from './delivery-words.ts';
import { DeliverySheet } from './DeliverySheet.tsx';

const route = getRouteApi('/w/$workspace/webhooks/$id');

const HOUR_MS = 3_600_000;
const SPANS = [
  { value: '', label: 'All' },
  { value: '1', label: '1 h' },
  { value: '24', label: '24 h' },
  { value: '168', label: '7 days' },
];

interface DeliveriesProps {
  webhook: Webhook;
  /** A dialog stands over the page. */
  busy: boolean;
  /** Sends a test. */
  action: React.ReactNode;
}

export function Deliveries({ webhook, busy, action }: DeliveriesProps) {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const { status, event, since, delivery: id } = search;
  const navigate = route.useNavigate();
  const visible = useDocumentVisibility() === 'visible';
  const [paused, setPaused] = useState(false);
  const [openedAt] = useState(Date.now);
  const { data: types = [] } = useQuery(eventTypesQuery(workspace.id));
  const after = since && new Date(openedAt - Number(since) * HOUR_MS).toISOString();
  const deliveries = useInfiniteQuery(
    deliveriesQuery(
      workspace.id,
      webhook.id,
      {
        ...(status && { status }),
        ...(event && { event_type: event }),
        ...(after && { created_after: after }),
      },
      !paused,
    ),
  );
  const listed = deliveries.data?.find((one) => one.id === id);
  const single = useQuery({ ...deliveryQuery(workspace.id, id ?? ''), enabled: !!id && !listed });
  const shown = id === undefined ? undefined : (listed ?? single.data);
  const filtered = status !== undefined || event !== undefined || since !== undefined;
  const long = (deliveries.data?.length ?? 0) > 50;
  const live = !paused && visible && !long;
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
        <Button
          size="xs"
          variant="default"
          leftSection={paused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
          onClick={() => setPaused(!paused)}
        >
          {paused ? 'Resume' : 'Pause'}
        </Button>
        <Text component="div" c="dimmed" role="status">
          <StateDot tone={live ? 'live' : 'idle'}>
            {live ? 'live' : long && !paused ? 'not live: older ones are shown' : 'paused'}
          </StateDot>
        </Text>
      </Group>
      <DataTable
        label="Deliveries"
        list={deliveries}
        columns={DELIVERY_COLUMNS}
        selected={id}
        onSelect={(chosen) => go({ delivery: chosen })}
        empty={
          filtered ? (
            <Text c="dimmed" py="xl" ta="center">
              No delivery matches these filters.
            </Text>
          ) : (
            <EmptyList
              icon={IconSend}
              title="Nothing sent yet"
              action={action}
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
