/** Queries for the webhook list: by filter, or by health for failing webhooks. */
import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import type { Webhook, WebhookHealth } from '../../api/types.ts';
import { webhookHealthQuery, webhookQuery, webhooksQuery, worstHealthQuery } from '../../api/webhooks.ts';
import { coversAny } from './event-patterns.ts';

type WebhookState = 'enabled' | 'disabled' | 'failing';

/** Returns the health of one webhook, from the shared list or, if it isn't in there, from its own query. */
export function useHealth(workspaceId: string, id: string): WebhookHealth | undefined {
  const all = useQuery({
    ...worstHealthQuery(workspaceId),
    select: (list) => list.find((health) => health.webhook_id === id) ?? null,
  });
  const own = useQuery({ ...webhookHealthQuery(workspaceId, id), enabled: all.data === null });
  return all.data ?? own.data;
}

interface WebhookSearch {
  q?: string;
  state?: WebhookState;
  event?: string;
}

export function useWebhookList(workspaceId: string, { q, state, event }: WebhookSearch) {
  const failing = state === 'failing';
  const listed = useInfiniteQuery({
    ...webhooksQuery(workspaceId, {
      search: q,
      enabled: state && state !== 'disabled',
      event_type: event,
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
  const matches = ({ url, description, events }: Webhook): boolean =>
    (event === undefined || coversAny(events, event)) &&
    (q === undefined || `${url} ${description ?? ''}`.toLowerCase().includes(q.toLowerCase()));
  const known = single.flatMap(({ data }): Webhook[] => (data ? [data] : []));
  return {
    data: worst.data && known.filter(matches),
    error: worst.error,
    isPending: worst.isPending || single.some(({ isPending }) => isPending),
    refetch: () => void worst.refetch(),
  };
}
