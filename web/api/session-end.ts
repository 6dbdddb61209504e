/** What happens when the session ends while the console is open. */

/** What the memory of the tab holds of one person, beside the cache: drafts and secrets. */
const holders = new Set<() => void>();

/** @param forget called when the session ends and when somebody signs in */
export const onSessionEnd = (forget: () => void): void => void holders.add(forget);

export const forgetPerson = (): void => {
  for (const forget of holders) forget();
};

/** Whether leaving the page would lose something: asks whatever would ask the browser to warn. */
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
