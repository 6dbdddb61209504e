/** The dialog, or the sheet, that creates or edits an object. */
import type { ApiCall } from '../../api/call.ts';
import { t } from '../../copy/text.ts';
import type { RecordDialogProps } from '../actions/action.ts';
import { FormBody, FormDialog, FormSheet } from './form-frame.tsx';
import { type EditForm, useEditForm } from './use-edit-form.ts';

type Editable = { id: string } | null;

/** @template O type of the object; with null, the dialog also creates one */
interface EditDialogProps<O extends Editable, V extends object, R> extends RecordDialogProps<O, R> {
  /** Button of a new object, and its title: "Create tag". Omitted where the dialog only edits. */
  create?: string;
  /** Where the title of a new object says more than the button. */
  title?: string;
  /** Title where an object is edited: "Edit tag". */
  edit: (object: NonNullable<O>) => string;
  fill: (object: O) => V;
  /** As `useEditForm`. */
  call: (values: V, base: O, isShown: boolean) => ApiCall<R>;
  /** Of a dialog: pixels, or a size of the theme. */
  size?: number | string;
  /** Label of the edit button; defaults to "Save". */
  submit?: string;
  /** Between the fields; wider in a sheet. */
  gap?: string;
  /** At the side of the page, for forms that a dialog has no space for. */
  sheet?: boolean;
  /** The fields. */
  children: (form: EditForm<V, O>) => React.ReactNode;
}

export function EditDialog<O extends Editable, V extends object, R>(props: EditDialogProps<O, V, R>) {
  const { opened, object, onClose, create = '', title = create, edit, size, sheet = false } = props;
  const Frame = sheet ? FormSheet : FormDialog;
  return (
    <Frame
      opened={opened}
      onClose={onClose}
      title={object ? edit(object) : title}
      {...(size !== undefined && { size })}
    >
      <EditBody {...props} />
    </Frame>
  );
}

function EditBody<O extends Editable, V extends object, R>(props: EditDialogProps<O, V, R>) {
  const { object, onDone, create = '', submit = t('Save'), fill, call, sheet = false, children } = props;
  const { gap = sheet ? 'lg' : 'md' } = props;
  const form = useEditForm<O, V, R>({ object, fill, call, done: onDone });
  return (
    <FormBody form={form} submit={object ? submit : create} gap={gap}>
      {children(form)}
    </FormBody>
  );
}
