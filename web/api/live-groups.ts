/** Keeps groups true while they are looked at, by the event stream. */
import { useDebouncedCallback } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { putGroup, refreshGroups } from './groups.ts';
import { useLiveEvents } from './live-events.ts';
import type { Group } from './types.ts';

/** Events that come together are one change. */
const TOGETHER_MS = 150;

/** @param id follows only the events of this group */
export function useLiveGroups(workspaceId: string, id?: string): void {
  const client = useQueryClient();
  const refresh = useDebouncedCallback(() => void refreshGroups(client, workspaceId, id), TOGETHER_MS);
  useLiveEvents(workspaceId, 'group.*', (event) => {
    // Reads changes that happened while the stream was closed.
    if (event === null) {
      void refreshGroups(client, workspaceId);
      return;
    }
    const group = event.data['object'] as Group | undefined;
    if (group?.object !== 'group' || (id !== undefined && group.id !== id)) return;
    putGroup(client, workspaceId, group);
    refresh();
  });
}
