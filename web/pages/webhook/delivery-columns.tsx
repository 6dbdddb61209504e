/** Columns of the log of deliveries. */
import { Text } from '@mantine/core';
import type { Delivery } from '../../api/types.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { Id } from '../../ui/Id.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import { DeliveryStatus } from './DeliveryStatus.tsx';
import { NextAttempt } from './NextAttempt.tsx';
import classes from './webhook.module.css';

const answer = ({ last_status_code: code, last_error: error }: Delivery): string => {
  if (code !== null) return String(code);
  return error?.replaceAll('_', ' ') ?? '–';
};

export const DELIVERY_COLUMNS: Column<Delivery>[] = [
  {
    key: 'event_type',
    title: 'Event',
    render: (delivery) => (
      <>
        <span className={ui.mono}>{delivery.event_type}</span>
        <div className={ui.narrowOnly}>
          <Text size="xs" component="div" c="dimmed">
            <RelativeTime at={delivery.created_at} />
          </Text>
        </div>
      </>
    ),
  },
  { key: 'status', title: 'Status', render: (delivery) => <DeliveryStatus delivery={delivery} /> },
  {
    key: 'answer',
    title: 'Answer',
    render: (delivery) => (
      <Text truncate className={`${ui.mono} ${classes.answer}`}>
        {answer(delivery)}
      </Text>
    ),
  },
  {
    key: 'attempts',
    title: 'Attempts',
    align: 'right',
    from: 'medium',
    width: 90,
    render: ({ attempt_count }) => attempt_count,
  },
  {
    key: 'next',
    title: 'Next attempt',
    from: 'wide',
    render: ({ next_attempt_at: next }) => <NextAttempt at={next} />,
  },
  {
    key: 'event_id',
    title: 'Event id',
    from: 'wide',
    render: ({ event_id: id }) => <Id id={id} short of="event id" />,
  },
  {
    key: 'created_at',
    title: 'Created',
    from: 'medium',
    width: 130,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];
