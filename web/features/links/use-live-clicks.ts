/**
 * Follows the clicks on a link in the event stream, newest first. Updates a few times a second at most, and keeps the
 * newest `MAX_CLICKS`; the list has the others.
 */
import { useEffect, useRef, useState } from 'react';
import type { Click } from '../../api/analytics.ts';
import { type StreamState, useLiveEvents } from '../../api/live-events.ts';
import { getClick } from './click-filter.ts';

const MAX_CLICKS = 200;
const TOGETHER_MS = 250;

/** @param onOpen called when the stream (re)opens, since it doesn't repeat earlier clicks */
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
    const batch = waiting.current;
    waiting.current = [];
    setClicks((before) => [...batch.toReversed(), ...before].slice(0, MAX_CLICKS));
  };
  const state = useLiveEvents(workspaceId, 'link.clicked', (event) => {
    if (paused) return;
    if (event === null) return onOpen();
    const click = getClick(event, linkId);
    if (!click) return;
    waiting.current.push(click);
    timer.current ??= setTimeout(show, TOGETHER_MS);
  });
  return { clicks, state };
}
