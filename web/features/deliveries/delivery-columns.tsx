/** Columns of the delivery log. */
import { Text } from '@mantine/core';
import { plural, t } from '../../copy/text.ts';
import type { Delivery } from '../../api/types.ts';
import type { Column } from '../../patterns/table/column.ts';
import { Id } from '../../design/Id.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import { DeliveryStatus } from './DeliveryStatus.tsx';
import { responseSummary } from './delivery-text.ts';
import { NextAttempt } from './NextAttempt.tsx';

export const DELIVERY_COLUMNS: Column<Delivery>[] = [
  {
    key: 'event_type',
    fixed: true,
    title: t('Event'),
    render: (delivery) => (
      <>
        <span className={ui.mono}>{delivery.event_type}</span>
        <div className={ui.narrowOnly}>
          <Text size="xs" component="div" c="dimmed">
            {responseSummary(delivery)} ·{' '}
            {plural(delivery.attempt_count, { one: '{count} attempt', other: '{count} attempts' })}
          </Text>
          <Text size="xs" component="div" c="dimmed">
            <RelativeTime at={delivery.created_at} />
          </Text>
        </div>
      </>
    ),
  },
  { key: 'status', title: t('Status'), render: (delivery) => <DeliveryStatus delivery={delivery} /> },
  {
    key: 'response',
    title: t('Response'),
    from: 'medium',
    render: (delivery) => (
      <Text truncate maw={180} className={ui.mono}>
        {responseSummary(delivery)}
      </Text>
    ),
  },
  {
    key: 'attempts',
    title: t('Attempts'),
    align: 'right',
    from: 'medium',
    width: 90,
    render: ({ attempt_count }) => attempt_count,
  },
  {
    key: 'next',
    title: t('Next attempt'),
    from: 'wide',
    render: ({ next_attempt_at: next }) => <NextAttempt at={next} />,
  },
  {
    key: 'event_id',
    title: t('Event ID'),
    from: 'wide',
    render: ({ event_id: id }) => <Id id={id} short of={t('event ID')} />,
  },
  {
    key: 'created_at',
    title: t('Created'),
    from: 'medium',
    width: 130,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];
