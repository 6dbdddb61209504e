/**
 * Gives the focus back when a dialog is gone. Mantine's dialogs do so only for an element that had the focus when they
 * opened, and it may be gone too: a button of the dialog before this one, or the field of the search.
 */

/** How many elements are remembered. Dialogs over a sheet over a page, with a few fields each. */
const MAX_REMEMBERED = 32;

/** Elements that had the focus, the latest last. */
let recent: HTMLElement[] = [];

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement)
    recent = [...recent.filter((one) => one !== target), target].slice(-MAX_REMEMBERED);
});

/** The library calls `returnFocus` before it removes the dialog. */
const REMOVED_MS = 20;

/** Focuses the latest element that still takes the focus, or else the main part, unless something has the focus. */
export function returnFocus(): void {
  setTimeout(() => {
    recent = recent.filter((one) => one.isConnected);
    const isLost = () => document.activeElement === null || document.activeElement === document.body;
    for (const one of [...recent.toReversed(), document.getElementById('main')])
      if (isLost()) one?.focus({ preventScroll: true });
  }, REMOVED_MS);
}
