/** Opens a record whose page depends on another one: a message in its chat, a delivery at its webhook. */
import { createRoute, notFound, redirect } from '@tanstack/react-router';
import { deliveryQuery } from '../api/deliveries.ts';
import { messageQuery } from '../api/messages.ts';
import { ApiProblem } from '../api/problem.ts';
import { workspacesQuery } from '../api/workspaces.ts';
import { signedIn } from './root-route.ts';
import { workspace } from './workspace-route.ts';

const HTTP_NOT_FOUND = 404;

type Target =
  | { to: '/w/$workspace/chats/$id'; id: string; search: { message: string } }
  | { to: '/w/$workspace/webhooks/$id'; id: string; search: { delivery: string } };

type Client = Parameters<typeof signedIn>[0]['queryClient'];

async function getLink(client: Client, workspaceId: string, id: string): Promise<Target | null> {
  if (id.startsWith('msg_')) {
    const { chat } = await client.ensureQueryData(messageQuery(workspaceId, id));
    return { to: '/w/$workspace/chats/$id', id: chat.id, search: { message: id } };
  }
  if (id.startsWith('dlv_')) {
    const { webhook_id: webhook } = await client.ensureQueryData(deliveryQuery(workspaceId, id));
    return { to: '/w/$workspace/webhooks/$id', id: webhook, search: { delivery: id } };
  }
  return null;
}

export const open = createRoute({
  getParentRoute: () => workspace,
  path: '/open/$id',
  // The type is written out, because the inferred type of a redirect depends on all routes, and so on this one.
  loader: async ({ context, params: { workspace: slug, id }, location }): Promise<void> => {
    await signedIn(context, location.href);
    const { queryClient: client } = context;
    const found = (await client.ensureQueryData(workspacesQuery)).find((one) => one.slug === slug);
    const link =
      found &&
      (await getLink(client, found.id, id).catch((error: unknown) => {
        if (error instanceof ApiProblem && error.status === HTTP_NOT_FOUND) return null;
        throw error;
      }));
    if (!link) {
      notFound({ throw: true });
      return;
    }
    const { to, search } = link;
    redirect({ to, params: { workspace: slug, id: link.id }, search, replace: true, throw: true });
  },
});
