/** Shows the message that the URL names: loads older messages until it is there, then scrolls to it. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { messageQuery } from '../../api/messages.ts';
import type { Message } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';

/** Maximum number of messages that are loaded to find it. An older one is shown alone. */
const MAX_LOADED = 1000;

interface Log {
  data: readonly Message[] | undefined;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/**
 * @param id undefined if the URL names none
 * @param onFar called if the message is too far back to load
 * @returns the message, if it is too far back
 */
export function useLinkedMessage(id: string | undefined, log: Log, onFar: () => void): Message | undefined {
  const { workspace } = useWorkspace();
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = log;
  const isLoaded = data?.some((message) => message.id === id) ?? false;
  const isFar =
    id !== undefined && data !== undefined && !isLoaded && (!hasNextPage || data.length >= MAX_LOADED);
  const isSearching = id !== undefined && data !== undefined && !isLoaded && !isFar;
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) void fetchNextPage();
  }, [isSearching, isFetchingNextPage, fetchNextPage]);
  // Once per message: later changes must not move what the reader is looking at.
  const shown = useRef<string>(undefined);
  useEffect(() => {
    if (!isLoaded || id === undefined || shown.current === id) return;
    shown.current = id;
    document.querySelector(`[data-message="${CSS.escape(id)}"]`)?.scrollIntoView({ block: 'center' });
  }, [id, isLoaded]);
  const far = useQuery({ ...messageQuery(workspace.id, id ?? ''), enabled: isFar });
  const farId = far.data?.id;
  useEffect(() => {
    if (isFar && farId === id && shown.current !== id) {
      shown.current = id;
      onFar();
    }
  }, [isFar, farId, id, onFar]);
  return far.data?.id === id ? far.data : undefined;
}
