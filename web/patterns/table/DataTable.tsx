/**
 * The table of the console, over a list query: states for loading, nothing and an error, a sticky head, rows that are
 * links, columns that give way in narrow windows, and further pages as you scroll. The rows are one tab stop: the arrow
 * keys go from row to row, Tab goes through the controls of the row.
 */
import { Button } from '@mantine/core';
import type { LinkProps } from '@tanstack/react-router';
import { Suspense, useRef, useState } from 'react';
import { t } from '../../copy/text.ts';
import { lazily } from '../lazily.ts';
import { FailedList, LoadingList } from '../ListStates.tsx';
import { cellClass } from './cell-class.ts';
import type { Column } from './column.ts';
import classes from './data-table.module.css';
import { TableRow } from './TableRow.tsx';
import type { RowWindow } from './VirtualRows.tsx';

/** The part of an (infinite) query that the table needs. */
export interface ListResult<T> {
  data: T[] | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
  hasNextPage?: boolean;
  isFetchingNextPage?: boolean;
  fetchNextPage?: () => unknown;
}

export interface DataTableProps<T extends { id: string }> {
  /** Names the table for screen readers. */
  label: string;
  list: ListResult<T>;
  columns: Column<T>[];
  empty: React.ReactNode;
  /** ID of the row whose sheet is open. */
  selected?: string | undefined;
  /** Rows that have just arrived; they light up for a moment. */
  fresh?: (row: T) => boolean;
  /** Rows that are about a failure. */
  failed?: (row: T) => boolean;
  /** Where a row leads. */
  link?: (row: T) => LinkProps;
  /** Names a row for screen readers; by default its name, or its ID. */
  rowLabel?: (row: T) => string;
}

const VirtualRows = lazily(() => import('./VirtualRows.tsx'), 'VirtualRows');

/** Shorter lists are rendered whole. */
const MIN_VIRTUAL = 100;
const WHOLE: RowWindow = { from: 0, to: MIN_VIRTUAL, before: 0, after: 0, measure: undefined };
const BEGINNING: RowWindow = { ...WHOLE, to: 50 };

/** Pixels before the end at which the next page is fetched. */
const AHEAD = 600;

/** Returns the name or title of a row, or its ID without one. */
export const getName = (row: { id: string; name?: unknown; title?: unknown }): string =>
  [row.name, row.title].find((name) => typeof name === 'string' && name !== '')?.toString() ?? row.id;

export function DataTable<T extends { id: string }>(props: DataTableProps<T>) {
  const { label, list, empty } = props;
  if (list.isPending) return <LoadingList label={t('Loading {label}', { label: label.toLowerCase() })} />;
  if (list.data === undefined) return <FailedList error={list.error} retry={() => void list.refetch()} />;
  if (list.data.length === 0) return empty;
  return <Rows {...props} rows={list.data} />;
}

function Rows<T extends { id: string }>(props: DataTableProps<T> & { rows: T[] }) {
  const { label, list, columns, rows, selected, fresh, failed, link, rowLabel = getName } = props;
  const area = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const [current, setCurrent] = useState(selected);
  // The row of the open sheet is where the keys go on when it closes.
  const [followed, setFollowed] = useState(selected);
  if (selected !== followed) {
    setFollowed(selected);
    if (selected !== undefined) setCurrent(selected);
  }
  const reveal = useRef<(index: number) => void>(() => undefined);
  const more = () => {
    if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage?.();
  };
  const stop = rows.some(({ id }) => id === current) ? current : rows[0]?.id;
  const goTo = (index: number) => {
    const row = rows[index];
    if (!row) return;
    setCurrent(row.id);
    reveal.current(index);
    requestAnimationFrame(() =>
      body.current
        ?.querySelector<HTMLElement>(`[data-row="${CSS.escape(row.id)}"] a[data-row-link]`)
        ?.focus(),
    );
  };
  const onKeyDown = (event: React.KeyboardEvent<HTMLElement>) => {
    // While a sheet is open the arrow keys are the sheet's.
    if (!(event.target instanceof HTMLElement) || !event.target.matches('a[data-row-link]')) return;
    if (selected !== undefined) return;
    const at = rows.findIndex(({ id }) => id === stop);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    goTo(next);
  };
  const show = ({ from, to, before, after, measure }: RowWindow) => (
    <>
      <Space height={before} columns={columns.length} />
      {rows.slice(from, to).map((row, at) => (
        <TableRow
          key={row.id}
          row={row}
          index={from + at}
          columns={columns}
          isStop={row.id === stop}
          isSelected={row.id === selected}
          isFresh={fresh?.(row) ?? false}
          isFailed={failed?.(row) ?? false}
          link={link}
          label={rowLabel(row)}
          measure={measure}
          onFocus={setCurrent}
        />
      ))}
      <Space height={after} columns={columns.length} />
    </>
  );
  return (
    <div
      ref={area}
      className={classes.area}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        if (scrollHeight - scrollTop - clientHeight < AHEAD) more();
      }}
    >
      <table
        className={classes.table}
        aria-label={label}
        aria-rowcount={list.hasNextPage ? -1 : rows.length + 1}
      >
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={cellClass(column)}
                style={{ width: column.width }}
                aria-sort={column.sorted ? 'descending' : undefined}
              >
                {column.title === '' ? (
                  <span className={classes.hiddenTitle}>{column.label}</span>
                ) : (
                  column.title
                )}
              </th>
            ))}
          </tr>
        </thead>
        {/* The links in the row handle these keys. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
        <tbody ref={body} onKeyDown={onKeyDown}>
          {rows.length < MIN_VIRTUAL ? (
            show(WHOLE)
          ) : (
            <Suspense fallback={show(BEGINNING)}>
              <VirtualRows area={area} count={rows.length} reveal={reveal}>
                {show}
              </VirtualRows>
            </Suspense>
          )}
        </tbody>
      </table>
      {list.hasNextPage && (
        <div className={classes.more}>
          <Button variant="default" size="xs" loading={list.isFetchingNextPage ?? false} onClick={more}>
            {t('Load more')}
          </Button>
        </div>
      )}
    </div>
  );
}

function Space({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden>
      <td aria-hidden colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
