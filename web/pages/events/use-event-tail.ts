/**
 * Follows the event stream of a workspace. A cut connection is taken up where it ended, by sequence, so the tail
 * has no holes; while it is paused, or the tab is out of sight, no connection is held.
 */
import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useReducer, useRef, useState } from 'react';
import { followEvents } from '../../api/events.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { EventObject } from '../../api/types.ts';

/** Older ones are left to the list, which pages. */
const KEPT = 500;
const RETRY_MS = [500, 1000, 2000, 5000];

type Connection = 'connecting' | 'live' | 'retrying' | 'refused';
export type TailState = Connection | 'paused';

interface Tail {
  /** Newest first. */
  events: EventObject[];
  state: TailState;
  /** Why the server refused, in the state of that name. */
  error: unknown;
}

const append = (events: EventObject[], event: EventObject): EventObject[] =>
  events.some(({ id }) => id === event.id) ? events : [event, ...events].slice(0, KEPT);

/** @param after sequence of the newest event that is shown already; undefined while that is not known */
export function useEventTail(workspaceId: string, after: number | undefined, paused: boolean): Tail {
  const visible = useDocumentVisibility() === 'visible';
  const [events, add] = useReducer(append, []);
  const [connection, setConnection] = useState<Connection>('connecting');
  const [error, setError] = useState<unknown>(null);
  // Where the tail begins; what is loaded later doesn't move it.
  const [start, setStart] = useState(after);
  if (start === undefined && after !== undefined) setStart(after);
  const last = useRef(0);
  const following = start !== undefined && !paused && visible;

  useEffect(() => {
    if (!following) return undefined;
    last.current = Math.max(last.current, start);
    const controller = new AbortController();
    const follow = async () => {
      for (let failures = 0; !controller.signal.aborted; failures++) {
        setConnection(failures === 0 ? 'connecting' : 'retrying');
        try {
          await followEvents(
            workspaceId,
            last.current,
            {
              onOpen: () => {
                failures = 0;
                setConnection('live');
              },
              onEvent: (event) => {
                // What the stream alone tells has no place in the log.
                if (event.id === null) return;
                last.current = event.sequence;
                add(event);
              },
            },
            controller.signal,
          );
        } catch (failure) {
          if (controller.signal.aborted) return;
          if (failure instanceof ApiProblem && failure.status >= 400 && failure.status < 500) {
            setError(failure);
            setConnection('refused');
            return;
          }
        }
        setConnection('retrying');
        await new Promise((resolve) =>
          setTimeout(resolve, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]),
        );
      }
    };
    void follow();
    return () => controller.abort();
  }, [workspaceId, following, start]);

  return { events, state: following || start === undefined ? connection : 'paused', error };
}
