/** Message templates of an instance. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { instancesKey } from './instances.ts';
import { allPages } from './list.ts';
import type { components } from './schema.d.ts';

export type MessageTemplate = components['schemas']['MessageTemplate'];

/** All templates that can be sent. */
export const templatesQuery = (workspaceId: string, instanceId: string) =>
  queryOptions({
    queryKey: [...instancesKey(workspaceId), 'templates', instanceId],
    queryFn: ({ signal }): Promise<MessageTemplate[]> =>
      allPages((page) =>
        unwrap(
          apiFor(workspaceId).GET('/api/v1/instances/{id}/templates', {
            params: { path: { id: instanceId }, query: { ...page, state: 'approved' } },
            signal,
          }),
        ),
      ),
  });
