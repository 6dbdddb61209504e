/** The actions of records with the dialogs that they open: a form, or a question before the call is made. */
import { useState } from 'react';
import { notifyDone } from '../../design/notify.ts';
import { ConfirmAction } from '../lazy-dialogs.tsx';
import type { Action, ActionDefinition } from './action.ts';

interface Acting<T, I extends string> {
  record: T;
  id: I;
  /** False while the dialog slides out. */
  opened: boolean;
}

/** The result of a dialog's action. */
export interface Outcome<I extends string = string> {
  /** The ID of the action. */
  action: I;
  /** Whether it deleted the record. */
  isGone: boolean;
  /** Response of the call or of the dialog. */
  answer: unknown;
}

export interface Actions<T, I extends string> {
  actions: Action<T, I>[];
  /** Starts an action of a record, for buttons outside the menu. */
  run: (id: I, record: T) => void;
  /** To be rendered by the page. */
  dialogs: React.ReactNode;
  /** Whether one of the dialogs is open. */
  isOpen: boolean;
}

/**
 * @param definitions `run`, `dialog` or `confirm` of each action
 * @param onDone runs after the action of a dialog
 */
export function useActions<T extends { id: string }, I extends string = string>(
  definitions: readonly ActionDefinition<T, I>[],
  onDone?: (record: T, outcome: Outcome<I>) => unknown,
): Actions<T, I> {
  const [acting, setActing] = useState<Acting<T, I> | null>(null);
  const current = acting && definitions.find(({ id }) => id === acting.id);
  const close = () =>
    setActing((now) =>
      // An answer may come when another dialog is open, which stays.
      now && now.record.id === acting?.record.id && now.id === acting.id ? { ...now, opened: false } : now,
    );
  const actions = definitions.map((definition) => ({
    ...definition,
    run: definition.run ?? ((record: T) => setActing({ record, id: definition.id, opened: true })),
  }));
  return {
    actions,
    run: (id, record) => actions.find((action) => action.id === id)?.run(record),
    dialogs: acting && current && (
      <ActionDialog
        key={`${acting.record.id} ${acting.id}`}
        acting={acting}
        definition={current}
        onClose={close}
        onDone={(answer, isGone) => {
          close();
          const text = current.done?.(acting.record, answer as never);
          if (typeof text === 'string') notifyDone(text);
          return onDone?.(acting.record, { action: acting.id, isGone, answer });
        }}
      />
    ),
    isOpen: acting?.opened === true,
  };
}

interface ActionDialogProps<T> {
  acting: Acting<T, string>;
  definition: ActionDefinition<T>;
  onClose: () => void;
  onDone: (answer: unknown, isGone: boolean) => unknown;
}

function ActionDialog<T>({ acting, definition, onClose, onDone }: ActionDialogProps<T>) {
  const { record, opened } = acting;
  const { confirm, dialog: Dialog } = definition;
  if (Dialog)
    return (
      <Dialog opened={opened} object={record} onClose={onClose} onDone={(answer) => onDone(answer, false)} />
    );
  if (!confirm) return null;
  const { text, button, action, ...rest } = confirm(record);
  return (
    <ConfirmAction
      opened={opened}
      confirm={button}
      {...rest}
      {...(action && { action: action as (answer: unknown) => unknown })}
      onDone={(answer) => onDone(answer, rest.call.method === 'DELETE')}
      onClose={onClose}
    >
      {text}
    </ConfirmAction>
  );
}
