/**
 * Keeps a page current using the event stream. No connection is held while the tab is hidden or the page is paused.
 * Changes in the meantime are read by `onOpen`, or are sent again if the stream has a start position.
 */
import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { followEvents } from './events.ts';
import { ApiProblem } from './problem.ts';
import type { EventObject } from './types.ts';

/** `refused`: it is not tried again. */
export type StreamState = 'connecting' | 'live' | 'paused' | 'retrying' | 'refused';

/** Statuses for which another attempt is no use. */
const REFUSED = new Set([400, 401, 403, 404]);
const RETRY_MS = [500, 1000, 2000, 5000];

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

interface LiveOptions {
  paused?: boolean;
  /** Sequence of the event that the stream starts after, without gaps over all connections; null: from now on. */
  after?: number | null;
  onRefused?: (error: ApiProblem) => void;
}

/**
 * Follows the events of a workspace while the component is on the page.
 * @param type one type, or several with commas; `instance.*` means all of a noun; undefined means all
 * @param onChange called with each event, and with null whenever the stream opens (again)
 */
export function useLiveEvents(
  workspaceId: string,
  type: string | undefined,
  onChange: (event: EventObject | null) => void,
  { paused = false, after = null, onRefused }: LiveOptions = {},
): StreamState {
  const visible = useDocumentVisibility() === 'visible';
  const [state, setState] = useState<StreamState>('connecting');
  const latest = useRef({ onChange, onRefused });
  const last = useRef<number | null>(null);
  useEffect(() => {
    latest.current = { onChange, onRefused };
  });
  const follows = visible && !paused;
  useEffect(() => {
    if (!follows) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    if (after !== null) last.current = Math.max(last.current ?? 0, after);
    const follow = async () => {
      for (let failures = 0; !signal.aborted; failures++) {
        setState(failures === 0 ? 'connecting' : 'retrying');
        const hooks = {
          onOpen: () => {
            failures = 0;
            setState('live');
            latest.current.onChange(null);
          },
          onEvent: (event: EventObject) => {
            if (after !== null && event.id !== null) last.current = event.sequence;
            latest.current.onChange(event);
          },
        };
        try {
          await followEvents(workspaceId, last.current, hooks, signal, type);
        } catch (failure) {
          if (failure instanceof ApiProblem && REFUSED.has(failure.status)) {
            latest.current.onRefused?.(failure);
            return setState('refused');
          }
        }
        if (!signal.aborted) setState('retrying');
        await wait(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0, signal);
      }
    };
    void follow();
    return () => controller.abort();
  }, [workspaceId, type, follows, after]);
  return paused ? 'paused' : state;
}
