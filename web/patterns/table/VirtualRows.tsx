/** Keeps only the rows near the window in the page, so that a list of thousands scrolls like one of ten. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect } from 'react';

const ROW_HEIGHT = 41;
const OVERSCAN = 6;

export interface RowWindow {
  /** Index of the first row to render, and of the one after the last. */
  from: number;
  to: number;
  /** Pixels that stand in for the rows before and after. */
  before: number;
  after: number;
  measure: ((row: HTMLTableRowElement | null) => void) | undefined;
}

interface VirtualRowsProps {
  /** The element that scrolls. */
  area: RefObject<HTMLElement | null>;
  count: number;
  /** Set to the function that brings a row into the page, so that it can take the focus. */
  reveal: RefObject<(index: number) => void>;
  children: (rows: RowWindow) => React.ReactNode;
}

export function VirtualRows({ area, count, reveal, children }: VirtualRowsProps) {
  // Its functions are called while it renders, never kept.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => area.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  });
  useEffect(() => {
    reveal.current = (index) => virtualizer.scrollToIndex(index);
  });
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  return children({
    from: first?.index ?? 0,
    to: (last?.index ?? -1) + 1,
    before: first?.start ?? 0,
    after: virtualizer.getTotalSize() - (last?.end ?? 0),
    measure: virtualizer.measureElement,
  });
}
