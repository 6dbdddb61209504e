/**
 * Clicks on a link as they come by the event stream, newest first. They are shown a few times a second at most, however
 * many come; beyond KEPT the list itself has them.
 */
import { useEffect, useRef, useState } from 'react';
import type { Click } from '../../api/analytics.ts';
import { type StreamState, useLiveEvents } from '../../api/live-events.ts';
import { clickOf } from './click-filter.ts';

const KEPT = 200;
const TOGETHER_MS = 250;

/** @param onOpen the stream was opened (again): what came before it is not told */
export function useLiveClicks(
  workspaceId: string,
  linkId: string,
  paused: boolean,
  onOpen: () => void,
): { clicks: Click[]; state: StreamState } {
  const [clicks, setClicks] = useState<Click[]>([]);
  const waiting = useRef<Click[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const show = () => {
    timer.current = undefined;
    const came = waiting.current;
    waiting.current = [];
    setClicks((before) => [...came.toReversed(), ...before].slice(0, KEPT));
  };
  const state = useLiveEvents(workspaceId, 'link.clicked', (event) => {
    if (paused) return;
    if (event === null) return onOpen();
    const click = clickOf(event, linkId);
    if (!click) return;
    waiting.current.push(click);
    timer.current ??= setTimeout(show, TOGETHER_MS);
  });
  return { clicks, state };
}
