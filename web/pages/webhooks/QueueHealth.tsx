/** The queue of deliveries at a glance; it turns loud when something stands still. */
import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { DeliveryQueue } from '../../api/types.ts';
import { deliveryQueueQuery } from '../../api/webhooks.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { StateDot } from '../../ui/StateDot.tsx';
import { useFromClock } from '../../ui/time.ts';
import { ago, LATE_S, queueTrouble } from './queue-trouble.ts';
import classes from './webhooks.module.css';

const count = new Intl.NumberFormat('en');
const rate = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const MINUTE_MS = 60_000;

export function QueueHealth() {
  const { workspace } = useWorkspace();
  const { data: queue, error } = useQuery(deliveryQueueQuery(workspace.id));
  // Minutes of this hour (UTC) that are over; the first counts whole.
  const minutes = useFromClock((now) => Math.max(1, Math.floor((now / MINUTE_MS) % 60)));
  if (!queue) {
    return error ? (
      <Text c="dimmed" mb="md">
        The state of the queue could not be read: {error.message}
      </Text>
    ) : (
      <div className={classes.tiles} />
    );
  }
  const trouble = queueTrouble(queue);
  const late = queue.oldest_due_seconds;
  return (
    <>
      {trouble && (
        <Alert
          color={trouble.tone === 'bad' ? 'red' : 'yellow'}
          variant="light"
          className={trouble.tone === 'bad' ? classes.alertBad : classes.alertWarn}
          role="alert"
          mb="sm"
          icon={<IconAlertTriangle size={16} />}
          title={trouble.title}
        >
          {trouble.text}
        </Alert>
      )}
      <dl className={classes.tiles} aria-label="Queue of deliveries">
        <Tile
          label="Waiting"
          note={queue.due > 0 ? `${capped(queue.due, queue.due_is_capped)} due now` : 'none due'}
        >
          {capped(queue.waiting, queue.waiting_is_capped)}
        </Tile>
        <Tile
          label="Oldest due"
          note={late === null ? 'nothing is late' : late < LATE_S ? 'just being sent' : 'past its time'}
        >
          {late === null ? '–' : ago(late)}
        </Tile>
        <Tile label="Rate" note={`${count.format(queue.attempts_this_hour)} attempts this hour`}>
          {rate.format(queue.attempts_this_hour / minutes)} <span className={classes.unit}>a minute</span>
        </Tile>
        <Tile label="Failing webhooks" note={`${count.format(queue.disabled_webhooks)} disabled`}>
          <StateDot tone={queue.failing_webhooks > 0 ? 'bad' : 'good'}>
            {count.format(queue.failing_webhooks)}
          </StateDot>
        </Tile>
      </dl>
    </>
  );
}

const capped = (value: number, more: DeliveryQueue['due_is_capped']): string =>
  `${count.format(value)}${more ? '+' : ''}`;

interface TileProps {
  label: string;
  note: React.ReactNode;
  children: React.ReactNode;
}

function Tile({ label, note, children }: TileProps) {
  return (
    <div className={classes.tile}>
      <dt>{label}</dt>
      <dd>{children}</dd>
      <dd className={classes.note}>{note}</dd>
    </div>
  );
}
