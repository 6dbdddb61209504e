import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Open overlays of the page, the topmost last. */
const overlays: object[] = [];

/** While overlays are open, makes Back close the topmost one instead of leaving the page. */
export function useBackCloses(opened: boolean, onClose: () => void): void {
  const overlay = useRef({});
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    if (!opened) return undefined;
    const { current } = overlay;
    overlays.push(current);
    return () => void overlays.splice(overlays.indexOf(current), 1);
  }, [opened]);
  useBlocker({
    disabled: !opened,
    enableBeforeUnload: false,
    shouldBlockFn: ({ action }) => {
      if (action !== 'BACK' || overlays.at(-1) !== overlay.current) return false;
      // The library now goes forward again. Closing may change the address, so it waits for its own history entry.
      window.addEventListener('popstate', () => close.current(), { once: true });
      return true;
    },
  });
}
