import { useQueryClient } from '@tanstack/react-query';
import { refreshPublications } from '../../api/publications.ts';
import type { EventObject, Publication } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import type { Live } from '../../patterns/live/LiveControl.tsx';
import { useRefreshOnEvents } from '../../patterns/live/use-refresh-on-events.ts';

/** Returns the publication in an event. */
const toPublication = (event: EventObject): Publication | undefined =>
  event.data['object'] as Publication | undefined;

interface Options {
  /** Only publications of this endpoint. */
  endpointId?: string | undefined;
  onPublication?: (publication: Publication) => void;
}

/** Refreshes the queries on publications and endpoint counters as publications happen. */
export function useLivePublications({ endpointId, onPublication }: Options): Live {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  return useRefreshOnEvents('publication.*', () => void refreshPublications(client, workspace.id), {
    concerns: (event) => endpointId === undefined || toPublication(event)?.endpoint_id === endpointId,
    onEvent: (event) => {
      const publication = toPublication(event);
      if (publication) onPublication?.(publication);
    },
  });
}
