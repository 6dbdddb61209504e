/** Kinds of webhooks, and previews of their bodies. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { readQuery } from './read.ts';
import { get, send, post, type BodyOf } from './call.ts';

type Preview = BodyOf<'post', '/webhooks/preview'>;

export const webhookKindsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'webhook-kinds'],
    queryFn: ({ signal }) => send(workspaceId, get('/webhook-kinds'), { signal }).then((list) => list.data),
    staleTime: Infinity,
  });

/** Gets a kind with its default templates. */
export const webhookKindQuery = (workspaceId: string, kind: string) =>
  readQuery(
    ['ws', workspaceId, 'webhook-kinds', kind],
    workspaceId,
    get('/webhook-kinds/{kind}', { path: { kind } }),
    { staleTime: Infinity },
  );

/** Previews a delivery. Changes nothing, so it can be repeated. */
export const webhookPreviewQuery = (workspaceId: string, preview: Preview) =>
  readQuery(
    ['ws', workspaceId, 'webhook-preview', preview],
    workspaceId,
    post('/webhooks/preview', { body: preview }),
    {
      placeholderData: keepPreviousData,
      staleTime: Infinity,
      gcTime: 60_000,
    },
  );
