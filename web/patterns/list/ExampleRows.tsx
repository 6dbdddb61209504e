/**
 * The table of an empty list with a record from the API's examples, to show what a row looks like. It is not
 * interactive.
 */
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { eventTypeQuery } from '../../api/events.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { useHalfMinutes } from '../../design/time.ts';
import { cellClass } from '../table/cell-class.ts';
import type { Column } from '../table/column.ts';
import table from '../table/data-table.module.css';
import classes from './list.module.css';

export interface Example<T> {
  /** The event type whose sample contains the record: "link.created". */
  type: string;
  /** Fields that the sample's record lacks. */
  with?: Partial<T>;
}

interface ExampleRowsProps<T> {
  example: Example<T>;
  columns: readonly Column<T>[];
}

/** Widths of the rows that fade out below, in percent of their cells. */
const BLANK_ROWS = [62, 44];

export function ExampleRows<T>({ example, columns }: ExampleRowsProps<T>) {
  const { workspace } = useWorkspace();
  const now = useHalfMinutes();
  const { data } = useQuery(eventTypeQuery(workspace.id, example.type));
  const object = (data?.sample as { data?: { object?: object } } | undefined)?.data?.object;
  if (!object) return <div className={classes.example} />;
  const record = { ...object, created_at: new Date(now).toISOString(), ...example.with } as T;
  return (
    <div className={classes.example} inert aria-hidden>
      <span className={classes.exampleLabel}>{t('Example')}</span>
      <table className={table.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} className={cellClass(column)} style={{ width: column.width }}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            {columns.map((column) => (
              <td key={column.key} className={cellClass(column)}>
                {column.render(record)}
              </td>
            ))}
          </tr>
          {BLANK_ROWS.map((width) => (
            <tr key={width}>
              {columns.map((column) => (
                <td key={column.key} className={cellClass(column)}>
                  <Skeleton h={10} my={6} w={`${width}%`} animate={false} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
