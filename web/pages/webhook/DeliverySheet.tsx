/** One delivery: where it stands, the body, each attempt, and sending it again. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconRefresh } from '@tabler/icons-react';
import { deliveriesKey, deliveryQuery, retryDelivery } from '../../api/deliveries.ts';
import type { Delivery, DeliveryDetail } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { BodyText } from '../../ui/BodyText.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { TextLink } from '../../ui/links.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { Attempt } from './Attempt.tsx';
import { DeliveryStatus } from './DeliveryStatus.tsx';
import { NextAttempt } from './NextAttempt.tsx';
import classes from './webhook.module.css';

export function DeliverySheet({ delivery, enabled }: { delivery: Delivery; enabled: boolean }) {
  const { workspace } = useWorkspace();
  const write = useCan('webhooks:write');
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery(deliveryQuery(workspace.id, delivery.id));
  const retry = useMutation({
    mutationFn: () => retryDelivery(workspace.id, delivery.id),
    onSuccess: () => {
      notifyDone('It is being sent');
      void refetch();
      void queryClient.invalidateQueries({ queryKey: deliveriesKey(workspace.id, delivery.webhook_id) });
    },
  });
  const now = data ?? delivery;
  return (
    <Stack>
      {write && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} />}
            loading={retry.isPending}
            disabled={!enabled || now.status === 'sending'}
            onClick={() => retry.mutate()}
          >
            {now.status === 'pending' ? 'Send now' : 'Retry'}
          </Button>
          {!enabled && (
            <Text size="xs" c="dimmed">
              Enable the webhook to send it again.
            </Text>
          )}
        </Group>
      )}
      {retry.error && <ProblemAlert error={retry.error} />}
      <DescriptionList
        rows={[
          ['Status', <DeliveryStatus delivery={now} />],
          now.reason ? ['Why', now.reason.replaceAll('_', ' ')] : null,
          ['Delivery', <Id id={now.id} />],
          [
            'Event',
            <span>
              <Id id={now.event_id} of="event id" />{' '}
              <TextLink
                to="/w/$workspace/events"
                params={{ workspace: workspace.slug }}
                search={{ type: now.event_type, id: now.event_id }}
              >
                show
              </TextLink>
            </span>,
          ],
          ['Created', <RelativeTime at={now.created_at} />],
          now.next_attempt_at ? ['Next attempt', <NextAttempt at={now.next_attempt_at} />] : null,
          now.completed_at ? ['Ended', <RelativeTime at={now.completed_at} />] : null,
        ]}
      />
      {data ? (
        <Details delivery={data} />
      ) : error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingList label="Loading the delivery" />
      )}
      <AsCurl call={{ method: 'POST', path: `/deliveries/${delivery.id}/retry` }} />
    </Stack>
  );
}

const WHY_NO_BODY = {
  insufficient_scope: "Your role doesn't let you read events of this type, so the body is not shown.",
  event_expired: 'The event is not kept any more (30 days), so it has no body to show.',
  not_rendered: 'No template has made a body of it yet; the attempts say why.',
} as const;

function Details({ delivery }: { delivery: DeliveryDetail }) {
  const { attempts, attempt_count: count, body, body_reason: reason, body_hidden: hidden } = delivery;
  return (
    <>
      <div>
        <Title order={3} mb={6}>
          Attempts
        </Title>
        {attempts.length === 0 ? (
          <Text c="dimmed">None yet.</Text>
        ) : (
          <ol className={classes.attempts} aria-label="Attempts">
            {attempts.map((attempt, index) => (
              <Attempt key={attempt.id} attempt={attempt} hidden={hidden} opened={index === 0} />
            ))}
          </ol>
        )}
        {count > attempts.length && attempts.length > 0 && (
          <Text size="xs" c="dimmed" mt={6}>
            The newest {attempts.length} of {count}.
          </Text>
        )}
      </div>
      <div>
        <Title order={3} mb={6}>
          Body of each attempt
        </Title>
        {body === null ? (
          <Text c="dimmed">{reason ? WHY_NO_BODY[reason] : 'There is none.'}</Text>
        ) : (
          <BodyText text={body} />
        )}
      </div>
    </>
  );
}
