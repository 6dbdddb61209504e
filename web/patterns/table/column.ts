/** A column of a table of records. */
export interface Column<T> {
  /** Unique among the columns. */
  key: string;
  title: React.ReactNode;
  /** Names the column where `title` is no text: in the choice of columns, and for screen readers. */
  label?: string;
  render: (row: T) => React.ReactNode;
  /** Pixels; by default as wide as the content. */
  width?: number;
  align?: 'right';
  /** The list is sorted by it, in descending order. */
  sorted?: boolean;
  /** The narrowest window that shows it: from 640, 992 or 1,360 pixels. */
  from?: 'medium' | 'wide' | 'widest';
  /** Can't be hidden: the name, the menu. */
  fixed?: boolean;
}

/** Returns the name of a column in the choice of columns. */
export const columnLabel = <T>({ label, title, key }: Column<T>): string =>
  label ?? (typeof title === 'string' && title !== '' ? title : key);
