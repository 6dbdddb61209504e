/** The page of a noun: its list, the sheet of one record, the dialogs of its actions, and the form of a new one. */
import { Button } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { IconPlus } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { useCan } from '../../api/workspace-context.ts';
import type { Action, ActionDefinition, ObjectDialogProps } from '../actions/action.ts';
import { type Actions, type Outcome, useActions } from '../actions/use-actions.tsx';
import { RecordSheet, type Single } from '../RecordSheet.tsx';
import { getName } from '../table/DataTable.tsx';
import { sheetLink } from '../table/sheet-link.ts';
import { without } from './filter.ts';
import { ResourceList, type ResourceListProps } from './ResourceList.tsx';

interface ListPageProps<T extends { id: string }, R extends T, I extends string> extends Omit<
  ResourceListProps<T>,
  'actions' | 'buttons'
> {
  /** Buttons of the header, before the one that creates; or a function that places that one. */
  buttons?: React.ReactNode | ((create: React.ReactNode) => React.ReactNode);
  actions?: readonly ActionDefinition<T, I>[];
  /** The form of a new record, which is open while the address says `create`. */
  create?: {
    /** "Create tag". */
    label: string;
    scope: string;
    /** Further search parameters of the form, which are removed when it closes. */
    params?: readonly string[];
    /** Opening the form adds an entry to the browser's history. */
    pushes?: boolean;
    /** The form stays open once it has created a record. */
    stays?: boolean;
    dialog: ComponentType<ObjectDialogProps<T, R>>;
    /** Runs once it is created, after the form has closed and the sheet of the record has opened. */
    onDone?: (answer: R) => void;
  };
  /** Details of a record, in a sheet beside the list. */
  sheet?: (record: T, actions: readonly Action<T>[], run: Actions<T, I>['run']) => React.ReactNode;
  /** Title of the sheet; by default the label of the row. */
  sheetTitle?: (record: T) => React.ReactNode;
  /** Reads a record that is not among the loaded rows. */
  single?: (id: string) => Single<T>;
  /** Another dialog is open above the sheet. */
  busy?: boolean;
  /** Runs after the action of a dialog. */
  onAction?: (record: T, outcome: Outcome<I>) => unknown;
  /** Reads data again that a change may have affected. */
  refresh?: () => unknown;
}

export function ListPage<T extends { id: string }, I extends string, R extends T = T>(
  props: ListPageProps<T, R, I>,
) {
  const {
    create,
    sheet,
    sheetTitle,
    single,
    busy = false,
    onAction,
    refresh,
    buttons,
    actions: definitions = [],
    ...list
  } = props;
  const { rowLabel = getName } = list;
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const go = (change: Record<string, unknown>, replace = true) =>
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => ({ ...before, ...change }),
      replace,
    });
  const { actions, run, dialogs, isOpen } = useActions(definitions, (record, outcome) => {
    void refresh?.();
    onAction?.(record, outcome);
    if (outcome.isGone && search['id'] === record.id) go({ id: undefined });
  });
  const canCreate = useCan(create?.scope ?? '');
  // The address may come from somebody who may do more.
  const creating = canCreate && search['create'] === true;
  const Create = create?.dialog;
  const closed = without(['create', ...(create?.params ?? [])]);
  const button = create && canCreate && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ create: true }, !create.pushes)}>
      {create.label}
    </Button>
  );
  return (
    <>
      <ResourceList
        {...list}
        {...(sheet && {
          link: sheetLink(),
          selected: typeof search['id'] === 'string' ? search['id'] : undefined,
        })}
        {...(definitions.length > 0 && { actions })}
        buttons={
          typeof buttons === 'function' ? (
            buttons(button)
          ) : (
            <>
              {buttons}
              {button}
            </>
          )
        }
      />
      {sheet && (
        <RecordSheet
          rows={list.list.data}
          {...(single && { single })}
          title={sheetTitle ?? rowLabel}
          busy={isOpen || creating || busy}
        >
          {(record) => sheet(record, actions, run)}
        </RecordSheet>
      )}
      {dialogs}
      {Create && (
        <Create
          opened={creating}
          object={null}
          onClose={() => go(closed)}
          onDone={(record) => {
            void refresh?.();
            if (!create.stays) go({ ...closed, ...(sheet && { id: record.id }) });
            create.onDone?.(record);
          }}
        />
      )}
    </>
  );
}
