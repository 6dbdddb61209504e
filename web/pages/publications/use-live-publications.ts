/** Keeps every query on publications, and on the counters of their endpoints, true while they are looked at. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type StreamState, useLiveEvents } from '../../api/live-events.ts';
import { refreshPublications } from '../../api/publications.ts';
import type { EventObject, Publication } from '../../api/types.ts';

/** Events that come together are one change. */
const TOGETHER_MS = 250;

/** The publication as it was after an event of it. */
const publicationOf = (event: EventObject): Publication | undefined =>
  event.data['object'] as Publication | undefined;

interface Options {
  /** Only what is told of this endpoint. */
  endpointId?: string | undefined;
  paused?: boolean;
  onPublication?: (publication: Publication) => void;
}

export function useLivePublications(workspaceId: string, options: Options): StreamState {
  const { endpointId, paused = false, onPublication } = options;
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useLiveEvents(workspaceId, 'publication.*', (event) => {
    const publication = event ? publicationOf(event) : undefined;
    if (publication && endpointId !== undefined && publication.endpoint_id !== endpointId) return;
    if (publication) onPublication?.(publication);
    if (paused) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void refreshPublications(client, workspaceId);
    }, TOGETHER_MS);
  });
}
