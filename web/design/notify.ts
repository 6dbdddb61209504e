/**
 * Short messages in the corner. The component that shows them (`web/app/Notices.tsx`) is loaded with the first message.
 */
import { t } from '../copy/text.ts';

export interface Notice {
  tone: 'done' | 'failed';
  message: string;
}

let waiting: readonly Notice[] = [];
let used = false;
const listeners = new Set<() => void>();

function set(next: readonly Notice[]): void {
  waiting = next;
  used ||= next.length > 0;
  for (const listener of listeners) listener();
}

/** Notices not yet shown, as an external store. */
export const noticeStore = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  waiting: (): readonly Notice[] => waiting,
  /** Whether there has been a message, so that the component is needed. */
  everUsed: (): boolean => used,
  /** Takes all that wait, for showing. */
  take: (): readonly Notice[] => {
    const taken = waiting;
    if (taken.length > 0) set([]);
    return taken;
  },
};

/** Says that something was done. */
export const notifyDone = (message: string): void => set([...waiting, { tone: 'done', message }]);

/** Says that something failed, where there is no better place for it. */
export const notifyFailed = (error: unknown): void =>
  set([
    ...waiting,
    { tone: 'failed', message: error instanceof Error ? error.message : t('Something went wrong') },
  ]);
