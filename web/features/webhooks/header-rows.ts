/** The rows of a form's headers. */
export interface HeaderRow {
  /** Identifies the row while its name is edited. */
  key: number;
  name: string;
  value: string;
  /** Whether the server has a value. Values are write-only: an empty field keeps the saved one. */
  kept: boolean;
}

let lastKey = 0;
export const newHeaderRow = (row: Partial<HeaderRow> = {}): HeaderRow => ({
  key: ++lastKey,
  name: '',
  value: '',
  kept: false,
  ...row,
});

const filledRows = (rows: readonly HeaderRow[]): HeaderRow[] =>
  rows.filter(({ name, value }) => name.trim() !== '' || value !== '');

/** Returns the headers for the API; null keeps the saved value. */
export const toHeaders = (rows: readonly HeaderRow[]): Record<string, string | null> =>
  Object.fromEntries(
    filledRows(rows).map(({ name, value, kept }) => [name.trim(), kept && value === '' ? null : value]),
  );
