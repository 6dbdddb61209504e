/** The actions of a record, behind a button; the menu is loaded when it is first opened. */
import { useWorkspace } from '../../api/workspace-context.ts';
import { RowMenu } from '../RowMenu.tsx';
import { type Action, actionsFor } from './action.ts';

interface ActionMenuProps<T> {
  record: T;
  /** Names the record: the button is "Actions for {of}". */
  of: string;
  actions: readonly Action<T>[];
}

export function ActionMenu<T>({ record, of, actions }: ActionMenuProps<T>) {
  const { scopes } = useWorkspace();
  const allowed = actionsFor(actions, record, scopes);
  if (allowed.length === 0) return null;
  return (
    <RowMenu
      of={of}
      actions={allowed.map(({ id, label, danger = false, icon, run }) => ({
        id,
        label: label(record),
        danger,
        ...(icon && { icon }),
        onClick: () => run(record),
      }))}
    />
  );
}
