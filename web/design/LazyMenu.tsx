/**
 * A button whose menu is loaded when it is first pressed, or prefetched when the pointer is over it, because the code
 * that positions menus is not needed for the first page.
 */
import { cloneElement, lazy, Suspense, useState, type ComponentType, type ReactElement } from 'react';
import { importOrWait, preload } from '../api/import-or-wait.ts';

export interface LazyMenuProps {
  /** The element that opens the menu, for `Menu.Target`. */
  button: ReactElement;
}

interface ButtonEvents {
  onClick?: () => void;
  onPointerEnter?: () => void;
  onFocus?: () => void;
}

interface Props {
  /** Imports the menu, which shows itself opened around the button. It must be the same function each time. */
  load: () => Promise<ComponentType<LazyMenuProps>>;
  children: ReactElement<ButtonEvents>;
}

export function LazyMenu({ load, children }: Props) {
  const [Menu] = useState(() => lazy(async () => ({ default: await importOrWait(load) })));
  const [wanted, setWanted] = useState(false);
  if (wanted) {
    return (
      <Suspense fallback={children}>
        <Menu button={children} />
      </Suspense>
    );
  }
  const begin = () => preload(load);
  return cloneElement(children, {
    onClick: () => setWanted(true),
    onPointerEnter: begin,
    onFocus: begin,
  });
}
