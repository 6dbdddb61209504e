/**
 * Keeps what a page shows true by the event stream: the stream says that something changed, the page asks what. Nothing
 * is held while the tab is out of sight. What happened while there was no stream shows by `onChange` at its next opening.
 */
import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { followEvents } from './events.ts';
import { ApiProblem } from './problem.ts';
import type { EventObject } from './types.ts';

/** Refused: it will not be tried again. */
export type StreamState = 'connecting' | 'live' | 'retrying' | 'refused';

/** Asking again is no use. */
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

/**
 * @param type which events: one, or several with commas; `instance.*` means all of a noun
 * @param onChange called with each event, and with null whenever the stream was opened (again)
 * @returns how it stands with the stream
 */
export function useLiveEvents(
  workspaceId: string,
  type: string,
  onChange: (event: EventObject | null) => void,
): StreamState {
  const visible = useDocumentVisibility() === 'visible';
  const [state, setState] = useState<StreamState>('connecting');
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => {
    if (!visible) return undefined;
    const { signal, abort } = abortable();
    const hooks = {
      onOpen: () => {
        setState('live');
        latest.current(null);
      },
      onEvent: (event: EventObject) => latest.current(event),
    };
    const follow = async () => {
      for (let failures = 0; !signal.aborted; failures++) {
        const opened = { ...hooks, onOpen: () => ((failures = 0), hooks.onOpen()) };
        try {
          await followEvents(workspaceId, null, opened, signal, type);
        } catch (failure) {
          // Who may not follow still has what the page asks for by itself.
          if (failure instanceof ApiProblem && REFUSED.has(failure.status)) return setState('refused');
        }
        if (!signal.aborted) setState('retrying');
        await wait(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0, signal);
      }
    };
    void follow();
    return abort;
  }, [workspaceId, type, visible]);
  return state;
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
