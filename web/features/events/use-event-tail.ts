/** The newest events of a workspace, from a known event on and without gaps. */
import { useReducer, useState } from 'react';
import { type StreamState, useLiveEvents } from '../../api/live-events.ts';
import type { EventObject } from '../../api/types.ts';

/** The list, which has pages, has the older ones. */
const MAX_EVENTS = 500;

interface Tail {
  /** Newest first. */
  events: EventObject[];
  state: StreamState;
  /** Why the server refused the stream; null while it did not. */
  error: unknown;
}

const append = (events: EventObject[], event: EventObject): EventObject[] =>
  events.some(({ id }) => id === event.id) ? events : [event, ...events].slice(0, MAX_EVENTS);

/** @param after sequence of the newest event already shown; undefined while it is loading */
export function useEventTail(workspaceId: string, after: number | undefined, paused: boolean): Tail {
  const [events, add] = useReducer(append, []);
  const [error, setError] = useState<unknown>(null);
  // Where the tail starts; a list that is loaded later doesn't move it.
  const [start, setStart] = useState(after);
  if (start === undefined && after !== undefined) setStart(after);
  const state = useLiveEvents(
    workspaceId,
    undefined,
    (event) => {
      // Events that only the stream has are not in the log.
      if (event !== null && event.id !== null) add(event);
    },
    { paused: paused || start === undefined, after: start ?? null, onRefused: setError },
  );
  return { events, state: start === undefined ? 'connecting' : state, error };
}
