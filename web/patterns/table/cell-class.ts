import type { Column } from './column.ts';
import classes from './data-table.module.css';

export const cellClass = <T>({ from, align }: Column<T>): string =>
  [from && classes[from], align && classes[align]].filter(Boolean).join(' ');
