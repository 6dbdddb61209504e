/** The details of one delivery: status, attempts, body, and a retry button. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconRefresh } from '@tabler/icons-react';
import { send } from '../../api/call.ts';
import { t } from '../../copy/text.ts';
import { deliveriesKey, deliveryQuery, retryDelivery } from '../../api/deliveries.ts';
import type { Delivery, DeliveryDetail } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { BodyText } from '../../design/BodyText.tsx';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import { TextLink } from '../../design/links.tsx';
import { notifyDone } from '../../design/notify.ts';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { Attempt } from './Attempt.tsx';
import { DeliveryStatus } from './DeliveryStatus.tsx';
import { codeLabel } from './delivery-text.ts';
import { NextAttempt } from './NextAttempt.tsx';
import atoms from '../../design/atoms.module.css';

export function DeliverySheet({ delivery, enabled }: { delivery: Delivery; enabled: boolean }) {
  const { workspace } = useWorkspace();
  const write = useCan('webhooks:write');
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery(deliveryQuery(workspace.id, delivery.id));
  const call = retryDelivery(delivery.id);
  const retry = useMutation({
    mutationFn: () => send(workspace.id, call),
    onSuccess: () => {
      notifyDone(t('Delivery queued'));
      void refetch();
      void queryClient.invalidateQueries({ queryKey: deliveriesKey(workspace.id, delivery.webhook_id) });
    },
  });
  const current = data ?? delivery;
  return (
    <Stack>
      {write && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} />}
            loading={retry.isPending}
            disabled={!enabled || current.status === 'sending'}
            onClick={() => retry.mutate()}
          >
            {current.status === 'pending' ? t('Send now') : t('Retry')}
          </Button>
          {!enabled && (
            <Text size="xs" c="dimmed">
              {t('Enable the webhook to retry this delivery.')}
            </Text>
          )}
        </Group>
      )}
      {retry.error && <ProblemAlert error={retry.error} />}
      <DescriptionList
        rows={[
          [t('Status'), <DeliveryStatus delivery={current} />],
          current.reason ? [t('Reason'), codeLabel(current.reason)] : null,
          [t('Delivery'), <Id id={current.id} />],
          [
            t('Event'),
            <span>
              <Id id={current.event_id} of={t('event ID')} />{' '}
              <TextLink
                to="/w/$workspace/events"
                params={{ workspace: workspace.slug }}
                search={{ type: current.event_type, id: current.event_id }}
              >
                {t('View event')}
              </TextLink>
            </span>,
          ],
          [t('Created'), <RelativeTime at={current.created_at} />],
          current.next_attempt_at ? [t('Next attempt'), <NextAttempt at={current.next_attempt_at} />] : null,
          current.completed_at ? [t('Completed'), <RelativeTime at={current.completed_at} />] : null,
        ]}
      />
      {data ? (
        <Details delivery={data} />
      ) : error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingList label={t('Loading delivery')} />
      )}
      <AsCurl call={call} />
    </Stack>
  );
}

const MISSING_BODY = {
  insufficient_scope: t("You don't have permission to read events of this type."),
  event_expired: t('The event has expired. Events are kept for 30 days.'),
  not_rendered: t('The body has not been rendered. Check the attempts for the error.'),
} as const;

function Details({ delivery }: { delivery: DeliveryDetail }) {
  const { attempts, attempt_count: count, body, body_reason: reason, body_hidden: hidden } = delivery;
  return (
    <>
      <div>
        <Title order={3} mb={6}>
          {t('Attempts')}
        </Title>
        {attempts.length === 0 ? (
          <Text c="dimmed">{t('No attempts yet.')}</Text>
        ) : (
          <ol className={atoms.framedList} aria-label={t('Attempts')}>
            {attempts.map((attempt, index) => (
              <Attempt key={attempt.id} attempt={attempt} hidden={hidden} opened={index === 0} />
            ))}
          </ol>
        )}
        {count > attempts.length && attempts.length > 0 && (
          <Text size="xs" c="dimmed" mt={6}>
            {t('The newest {length} of {count}.', { length: attempts.length, count })}
          </Text>
        )}
      </div>
      <div>
        <Title order={3} mb={6}>
          {t('Request body')}
        </Title>
        {body === null ? (
          <Text c="dimmed">{reason ? MISSING_BODY[reason] : t('This delivery has no body.')}</Text>
        ) : (
          <BodyText text={body} />
        )}
      </div>
    </>
  );
}
