import { Link, type LinkProps } from '@tanstack/react-router';
import { memo, useEffect, useRef } from 'react';
import type { Column } from './column.ts';
import { cellClass } from './cell-class.ts';
import classes from './data-table.module.css';

interface TableRowProps<T> {
  row: T;
  index: number;
  columns: Column<T>[];
  /** The row whose controls Tab goes through. */
  isStop: boolean;
  isSelected: boolean;
  isFresh: boolean;
  isFailed: boolean;
  link: ((row: T) => LinkProps) | undefined;
  label: string;
  measure: ((row: HTMLTableRowElement | null) => void) | undefined;
  onFocus: (id: string) => void;
}

const CONTROLS = 'a, button, input, select, [tabindex]';

/** A row; its link lies over all of it but its other controls, so that any click, also with a modifier, is one on a link. */
function Row<T extends { id: string }>(props: TableRowProps<T>) {
  const { row, index, columns, isStop, isSelected, isFresh, isFailed, link, label, measure, onFocus } = props;
  const element = useRef<HTMLTableRowElement>(null);
  // Controls come from cells of every feature; only here is it known which row is the tab stop.
  useEffect(() => {
    if (!link) return;
    for (const control of element.current?.querySelectorAll<HTMLElement>(CONTROLS) ?? []) {
      if (isStop) control.removeAttribute('tabindex');
      else control.tabIndex = -1;
    }
  });
  return (
    <tr
      ref={(node) => {
        element.current = node;
        measure?.(node);
      }}
      data-row={row.id}
      data-index={index}
      data-open={link ? true : undefined}
      className={isFresh ? classes.fresh : undefined}
      data-failed={isFailed || undefined}
      aria-current={isSelected || undefined}
      onFocus={() => onFocus(row.id)}
      onClick={(event) => {
        // Texts with a tooltip lie over the link.
        if (!(event.target instanceof Element) || event.target.closest('a, button, input, label, select'))
          return;
        const { ctrlKey, metaKey, shiftKey } = event;
        element.current
          ?.querySelector('a[data-row-link]')
          ?.dispatchEvent(
            new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
          );
      }}
    >
      {columns.map((column, at) => (
        <td key={column.key} className={cellClass(column)}>
          {at === 0 && link && (
            <Link {...link(row)} data-row-link aria-label={label} className={classes.rowLink} />
          )}
          {column.render(row)}
        </td>
      ))}
    </tr>
  );
}

/** Scrolling renders only the rows that come into view: the props of the others stay the same. */
export const TableRow = memo(Row) as typeof Row;
