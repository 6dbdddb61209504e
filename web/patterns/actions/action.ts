/** What can be done with a record: one table drives its menu, its page's header, the bulk bar and the search. */
import type { TablerIcon } from '@tabler/icons-react';

export interface Action<T> {
  /** Unique among the actions of the noun. */
  id: string;
  /** "Edit", "Delete": what the button says. */
  label: (record: T) => string;
  icon?: TablerIcon;
  danger?: boolean;
  /** The scope that it needs. */
  scope?: string;
  /** Whether the record is in a state for it. */
  applies?: (record: T) => boolean;
  /** Stands as a button in the header of the record's page; the others, and what destroys, are in its menu. */
  primary?: boolean;
  run: (record: T) => void;
}

/** An action on several records. */
export interface BulkAction<T> {
  id: string;
  label: string;
  danger?: boolean;
  scope?: string;
  /** Shown where it applies to any of the records. */
  applies?: (record: T) => boolean;
  run: (records: T[]) => void;
}

/** Returns the actions that the record's state and the user's scopes allow. */
export const actionsFor = <T>(
  actions: readonly Action<T>[],
  record: T,
  scopes: readonly string[],
): Action<T>[] =>
  actions.filter(
    ({ scope, applies }) =>
      (scope === undefined || scopes.includes(scope)) && (applies === undefined || applies(record)),
  );

export const bulkActionsFor = <T>(
  actions: readonly BulkAction<T>[],
  records: readonly T[],
  scopes: readonly string[],
): BulkAction<T>[] =>
  actions.filter(
    ({ scope, applies }) =>
      (scope === undefined || scopes.includes(scope)) && (applies === undefined || records.some(applies)),
  );
