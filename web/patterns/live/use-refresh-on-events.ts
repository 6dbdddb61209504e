import { useEffect, useRef, useState } from 'react';
import { useLiveEvents } from '../../api/live-events.ts';
import type { EventObject } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import type { Live } from './LiveControl.tsx';

/** Events that come together are one change. */
const TOGETHER_MS = 250;

interface Options {
  /** Whether an event changes the list; by default all of the type do. */
  concerns?: (event: EventObject) => boolean;
  /** Called with each of them before the refresh. */
  onEvent?: (event: EventObject) => void;
}

/**
 * Refreshes a list when events of a type happen, a few times a second at most.
 * @param type as `useLiveEvents` takes it
 */
export function useRefreshOnEvents(
  type: string,
  refresh: () => void,
  { concerns = () => true, onEvent }: Options = {},
): Live {
  const { workspace } = useWorkspace();
  const [paused, setPaused] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const state = useLiveEvents(
    workspace.id,
    type,
    (event) => {
      if (event && !concerns(event)) return;
      if (event) onEvent?.(event);
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        refresh();
      }, TOGETHER_MS);
    },
    { paused },
  );
  return { state, paused, onPause: setPaused };
}
