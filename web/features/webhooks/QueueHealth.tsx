/** The state of the delivery queue, with an alert when deliveries are delayed. */
import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAlertTriangle } from '@tabler/icons-react';
import { formatNumber, language, t } from '../../copy/text.ts';
import type { DeliveryQueue } from '../../api/types.ts';
import { deliveryQueueQuery } from '../../api/webhooks.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { StateDot } from '../../design/StateDot.tsx';
import { useFromClock } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import { formatAge, LATE_S, getQueueAlert } from './queue-alert.ts';
import classes from './webhooks.module.css';

const rate = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const MINUTE_MS = 60_000;

export function QueueHealth() {
  const { workspace } = useWorkspace();
  const { data: queue, error } = useQuery(deliveryQueueQuery(workspace.id));
  // Completed minutes of this UTC hour, at least one.
  const minutes = useFromClock((now) => Math.max(1, Math.floor((now / MINUTE_MS) % 60)));
  if (!queue) {
    return error ? (
      <Text c="dimmed" mb="md">
        {t("Couldn't load the delivery queue: {message}", { message: error.message })}
      </Text>
    ) : (
      <div className={classes.tiles} />
    );
  }
  const alert = getQueueAlert(queue);
  const late = queue.oldest_due_seconds;
  return (
    <>
      {alert && (
        <Alert
          color={alert.tone === 'bad' ? 'red' : 'yellow'}
          variant="light"
          className={alert.tone === 'bad' ? ui.problem! : ui.warning!}
          role="alert"
          mb="sm"
          icon={<IconAlertTriangle size={16} />}
          title={alert.title}
        >
          {alert.text}
        </Alert>
      )}
      <dl className={classes.tiles} aria-label={t('Delivery queue')}>
        <Tile
          label={t('Queued')}
          note={
            queue.due > 0
              ? t('{due} ready to send', { due: capped(queue.due, queue.due_is_capped) })
              : queue.waiting > 0 && t('Scheduled for later')
          }
        >
          {capped(queue.waiting, queue.waiting_is_capped)}
        </Tile>
        <Tile
          label={t('Oldest ready to send')}
          note={late === null ? t('Nothing is ready to send') : late < LATE_S ? t('On time') : t('Delayed')}
        >
          {late === null ? '–' : formatAge(late)}
        </Tile>
        <Tile
          label={t('Attempts this hour')}
          note={t('{rate} per minute on average', { rate: rate.format(queue.attempts_this_hour / minutes) })}
        >
          {formatNumber(queue.attempts_this_hour)}
        </Tile>
        <Tile
          label={t('Failing webhooks')}
          note={
            queue.degraded_webhooks > 0 &&
            t('{count} degraded', { count: formatNumber(queue.degraded_webhooks) })
          }
        >
          <StateDot tone={queue.failing_webhooks > 0 ? 'bad' : queue.degraded_webhooks > 0 ? 'warn' : 'good'}>
            {formatNumber(queue.failing_webhooks)}
          </StateDot>
        </Tile>
      </dl>
    </>
  );
}

const capped = (value: number, more: DeliveryQueue['due_is_capped']): string =>
  `${formatNumber(value)}${more ? '+' : ''}`;

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
