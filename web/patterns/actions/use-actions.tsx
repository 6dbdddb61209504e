/** The actions of records with the dialogs that they open: a form, or a question before the call is made. */
import { useState } from 'react';
import { notifyDone } from '../../design/notify.ts';
import { ConfirmAction } from '../lazy-dialogs.tsx';
import type { Action, ActionDefinition } from './action.ts';

interface Acting<T> {
  record: T;
  id: string;
  /** False while the dialog slides out. */
  opened: boolean;
}

/** The result of a dialog's action. */
export interface Outcome {
  /** The ID of the action. */
  action: string;
  /** Whether it deleted the record. */
  isGone: boolean;
  /** Response of the call or of the dialog. */
  answer: unknown;
}

export interface Actions<T> {
  actions: Action<T>[];
  /** To be rendered by the page. */
  dialogs: React.ReactNode;
  /** Whether one of the dialogs is open. */
  isOpen: boolean;
}

/**
 * @param definitions `run`, `dialog` or `confirm` of each action
 * @param onDone runs after the action of a dialog
 */
export function useActions<T extends { id: string }>(
  definitions: readonly ActionDefinition<T>[],
  onDone?: (record: T, outcome: Outcome) => unknown,
): Actions<T> {
  const [acting, setActing] = useState<Acting<T> | null>(null);
  const current = acting && definitions.find(({ id }) => id === acting.id);
  const close = () =>
    setActing((now) =>
      // An answer may come when another dialog is open, which stays.
      now && now.record.id === acting?.record.id && now.id === acting.id ? { ...now, opened: false } : now,
    );
  return {
    actions: definitions.map((definition) => ({
      ...definition,
      run: definition.run ?? ((record) => setActing({ record, id: definition.id, opened: true })),
    })),
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
  acting: Acting<T>;
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
