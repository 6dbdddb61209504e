/** Handles the end of the session while the console is open. */

/** Callbacks that clear personal data in the tab's memory besides the cache: drafts and secrets. */
const holders = new Set<() => void>();

/** @param forget called when the session ends and when a user signs in */
export const onSessionEnd = (forget: () => void): void => void holders.add(forget);

export const forgetPerson = (): void => {
  for (const forget of holders) forget();
};

/** Whether leaving the page would lose unsaved changes: runs the handlers that would make the browser warn. */
export const holdsUnsaved = (): boolean =>
  !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));

let held = false;
const listeners = new Set<() => void>();

/** Whether a page with unsaved changes waits for a new session, as an external store. */
export const heldPage = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  get: (): boolean => held,
  set: (isHeld: boolean): void => {
    held = isHeld;
    for (const listener of listeners) listener();
  },
};
