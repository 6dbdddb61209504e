/** Actions on a record: one table defines its menu, its page's header and the search. */
import type { TablerIcon } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { ApiCall } from '../../api/call.ts';

export interface Action<T, I extends string = string> extends ActionBase<T, I> {
  run: (record: T) => void;
}

/** The confirmation dialog before a call. */
export interface Confirmation {
  /** "Delete tag “spring”?" */
  title: string;
  /** Describes the consequences in a sentence or two. */
  text: React.ReactNode;
  /** Label of the button: "Delete tag". */
  button: string;
  /** Red, which is the default. */
  danger?: boolean;
  call: ApiCall;
  /**
   * Waits for the job that the call started.
   * @param answer response of the call
   */
  action?: (answer: never) => unknown;
}

/**
 * Props of a dialog about one object.
 * @template R type of the response, if it differs from the object
 */
export interface ObjectDialogProps<O, R = O> {
  opened: boolean;
  /** Null creates one. */
  object: O | null;
  onClose: () => void;
  onDone: (answer: R) => void;
}

/**
 * Props of a dialog of an action.
 * @template R type of the response that it passes on
 */
export interface RecordDialogProps<T, R = void> {
  opened: boolean;
  object: T;
  onClose: () => void;
  /** @param answer of the call that the dialog made */
  onDone: (answer: R) => unknown;
}

/**
 * An action as its noun defines it: it runs immediately, opens a dialog, or asks for confirmation and makes a call.
 * @template I the ID, or the IDs of all actions in a table that pages start by ID
 */
export interface ActionDefinition<T, I extends string = string> extends ActionBase<T, I> {
  run?: (record: T) => void;
  dialog?: ComponentType<RecordDialogProps<T, unknown>>;
  confirm?: (record: T) => Confirmation;
  /**
   * Runs once its dialog is done; a text that it returns is shown: "Queue cleared".
   * @param answer of the call, or of the dialog
   */
  done?: (record: T, answer: never) => unknown;
}

interface ActionBase<T, I extends string> {
  /** Unique among the actions of the noun. */
  id: I;
  /** Label of the button: "Edit", "Delete". */
  label: (record: T) => string;
  icon?: TablerIcon;
  danger?: boolean;
  /** The scope that it needs. */
  scope?: string;
  /** Whether the record is in a state for it. */
  applies?: (record: T) => boolean;
  /** Shown as a button in the header of the record's page. Other actions and destructive ones are in its menu. */
  primary?: boolean;
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
