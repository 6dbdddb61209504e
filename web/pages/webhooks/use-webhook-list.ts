/** The webhooks that a filter shows, as one list whatever the API has to be asked for it. */
import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import type { Webhook, WebhookHealth } from '../../api/types.ts';
import { webhookHealthQuery, webhookQuery, webhooksQuery, worstHealthQuery } from '../../api/webhooks.ts';
import { coversAny } from './event-patterns.ts';

export type WebhookState = 'enabled' | 'disabled' | 'failing';

/** Health of one webhook: out of the list of all, or by itself where that is too long. */
export function useHealth(workspaceId: string, id: string): WebhookHealth | undefined {
  const all = useQuery({
    ...worstHealthQuery(workspaceId),
    select: (list) => list.find((health) => health.webhook_id === id) ?? null,
  });
  const own = useQuery({ ...webhookHealthQuery(workspaceId, id), enabled: all.data === null });
  return all.data ?? own.data;
}

export function useWebhookList(
  workspaceId: string,
  state: WebhookState | undefined,
  eventType: string | undefined,
) {
  const failing = state === 'failing';
  const listed = useInfiniteQuery({
    ...webhooksQuery(workspaceId, {
      ...(state !== undefined && { enabled: state !== 'disabled' }),
      ...(eventType !== undefined && { event_type: eventType }),
    }),
    enabled: !failing,
  });
  const worst = useQuery({
    ...worstHealthQuery(workspaceId),
    select: (list) => list.filter((health) => health.state === 'failing').map((one) => one.webhook_id),
    enabled: failing,
  });
  const single = useQueries({
    queries: (failing ? (worst.data ?? []) : []).map((id) => webhookQuery(workspaceId, id)),
  });
  if (!failing) return listed;
  const known = single.flatMap(({ data }): Webhook[] => (data ? [data] : []));
  return {
    data: worst.data && known.filter(({ events }) => eventType === undefined || coversAny(events, eventType)),
    error: worst.error,
    isPending: worst.isPending || single.some(({ isPending }) => isPending),
    refetch: () => void worst.refetch(),
  };
}
