/** Message templates of an instance. */
import { queryOptions } from '@tanstack/react-query';
import { get } from './call.ts';
import { instancesKey } from './instances.ts';
import { allPages } from './list.ts';
import type { components } from './schema.d.ts';

export type MessageTemplate = components['schemas']['MessageTemplate'];

/** All templates that can be sent. */
export const templatesQuery = (workspaceId: string, instanceId: string) =>
  queryOptions({
    queryKey: [...instancesKey(workspaceId), 'templates', instanceId],
    queryFn: ({ signal }): Promise<MessageTemplate[]> =>
      allPages(
        workspaceId,
        get('/instances/{id}/templates', { path: { id: instanceId }, query: { state: 'approved' } }),
        signal,
      ),
  });
