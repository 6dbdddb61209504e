/**
 * The key that was made last on this page, with its secret, so that commands can be shown ready to run. It is kept
 * in memory only: a reload and the end of the session forget it.
 */
import { useSyncExternalStore } from 'react';
import { onSessionEnd } from './session-end.ts';

export interface FreshKey {
  workspaceId: string;
  id: string;
  name: string;
  secret: string;
}

let fresh: FreshKey | null = null;
const listeners = new Set<() => void>();

function set(key: FreshKey | null): void {
  fresh = key;
  for (const listener of listeners) listener();
}

export const rememberKey = (key: FreshKey): void => set(key);
onSessionEnd(() => set(null));

/** The key made last in this workspace, while the page lives. */
export function useFreshKey(workspaceId: string): FreshKey | null {
  const key = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => fresh,
  );
  return key?.workspaceId === workspaceId ? key : null;
}
