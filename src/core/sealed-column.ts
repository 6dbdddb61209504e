/** Locations of sealed values and the context that each is bound to. A rotation of the root secret reseals them. */

/** Columns of a row by name, as text. */
export type Row = Record<string, string>;

export interface SealedValue {
  column: string;
  /** Member of the column's JSON object that holds the value. */
  member?: string;
  /** The context that the value was sealed for. */
  context(row: Row): string;
}

export interface SealedColumn {
  /** With its schema if that is not ours. */
  table: string;
  /** The primary key in its order: column → its type. */
  key: Record<string, 'uuid' | 'bigint' | 'text'>;
  /** Further columns that contexts are made of. */
  needs?: string[];
  values: SealedValue[];
}

/** Key of most tables. */
export const OF_WORKSPACE = { workspace_id: 'uuid', id: 'uuid' } as const;

/** Binds a context function that takes the workspace and the ID of a row. */
export const ofIds =
  (context: (row: { workspace_id: string; id: string }) => string, id = 'id') =>
  (row: Row): string =>
    context({ workspace_id: row['workspace_id']!, id: row[id]! });
