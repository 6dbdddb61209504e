/**
 * The one table of the console, over a list query: loading, empty and error states, a head that stays, rows that
 * open a side sheet by mouse and by keys, columns that give way where it is narrow, further pages as one scrolls.
 */
import { Button } from '@mantine/core';
import { FailedList, LoadingList } from './ListStates.tsx';
import classes from './data-table.module.css';

export interface Column<T> {
  /** Unique among the columns. */
  key: string;
  title: React.ReactNode;
  render: (row: T) => React.ReactNode;
  /** Pixels; by default what the content needs. */
  width?: number;
  align?: 'right';
  /** The list goes by it, the most or newest first. */
  sorted?: boolean;
  /** The narrowest window that shows it: from 640, 992 or 1,360 pixels. */
  from?: 'medium' | 'wide' | 'widest';
}

/** What the table needs of an (infinite) query. */
interface ListResult<T> {
  data: T[] | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
  hasNextPage?: boolean;
  isFetchingNextPage?: boolean;
  fetchNextPage?: () => unknown;
}

interface DataTableProps<T extends { id: string }> {
  /** Names the table for screen readers. */
  label: string;
  list: ListResult<T>;
  columns: Column<T>[];
  empty: React.ReactNode;
  /** Id of the row whose sheet is open. */
  selected?: string | undefined;
  /** Rows that have just come; they light up for a moment. */
  fresh?: (row: T) => boolean;
  onSelect?: (id: string) => void;
}

/** Pixels before the end at which the next page is fetched. */
const AHEAD = 300;

const cell = <T,>({ from, align }: Column<T>): string =>
  [from && classes[from], align && classes[align]].filter(Boolean).join(' ');

export function DataTable<T extends { id: string }>(props: DataTableProps<T>) {
  const { label, list, columns, empty, selected, fresh, onSelect } = props;
  if (list.isPending) return <LoadingList label={`Loading ${label.toLowerCase()}`} />;
  if (list.data === undefined) return <FailedList error={list.error} retry={() => void list.refetch()} />;
  if (list.data.length === 0) return empty;
  const more = () => {
    if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage?.();
  };
  return (
    <div
      className={classes.area}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        if (scrollHeight - scrollTop - clientHeight < AHEAD) more();
      }}
    >
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={cell(column)}
                style={{ width: column.width }}
                aria-sort={column.sorted ? 'descending' : undefined}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {list.data.map((row) => (
            <tr
              key={row.id}
              className={fresh?.(row) ? classes.fresh : undefined}
              aria-current={row.id === selected || undefined}
              {...(onSelect && rowEvents(() => onSelect(row.id), selected === undefined))}
            >
              {columns.map((column) => (
                <td key={column.key} className={cell(column)}>
                  {column.render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {list.hasNextPage && (
        <div className={classes.more}>
          <Button variant="default" size="xs" loading={list.isFetchingNextPage ?? false} onClick={more}>
            Load more
          </Button>
        </div>
      )}
    </div>
  );
}

/** @param steps whether up and down go from row to row; while a sheet is open they are the sheet's. */
function rowEvents(open: () => void, steps: boolean) {
  return {
    tabIndex: 0,
    'data-open': true,
    onClick: open,
    onKeyDown: (event: React.KeyboardEvent<HTMLTableRowElement>) => {
      const row = event.currentTarget;
      if (event.target !== row) return;
      const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
      if (event.key === 'Enter') open();
      else if (steps && next instanceof HTMLElement) {
        event.preventDefault();
        next.focus();
      }
    },
  };
}
