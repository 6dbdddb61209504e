/** Renders form fields from a driver's JSON Schema. Field errors appear at the field they point to. */
import { NativeSelect, PasswordInput, Switch, Text, Textarea, TextInput } from '@mantine/core';
import atoms from '../../design/atoms.module.css';
import { NumberField } from '../../design/NumberField.tsx';
import ui from '../../design/ui.module.css';
import classes from './instances.module.css';
import { type Field, type FieldValue, type FieldValues, getLabel } from './schema-fields.ts';

interface SchemaFieldsProps {
  fields: readonly Field[];
  values: FieldValues;
  onChange: (pointer: string, value: FieldValue) => void;
  /** Returns the error of a field. */
  error: (pointer: string) => string | undefined;
}

export function SchemaFields({ fields, ...rest }: SchemaFieldsProps) {
  return (
    <div className={atoms.stack}>
      {fields.map((field) =>
        field.kind === 'group' ? (
          <fieldset key={field.pointer} className={classes.fieldset}>
            <legend>{field.label}</legend>
            {field.description && (
              <Text size="xs" c="dimmed">
                <Described text={field.description} />
              </Text>
            )}
            {rest.error(field.pointer) && (
              <Text size="xs" c="var(--mantine-color-error)">
                {rest.error(field.pointer)}
              </Text>
            )}
            <SchemaFields fields={field.fields} {...rest} />
          </fieldset>
        ) : (
          <SchemaField key={field.pointer} field={field} {...rest} />
        ),
      )}
    </div>
  );
}

function SchemaField({
  field,
  values,
  onChange,
  error,
}: Omit<SchemaFieldsProps, 'fields'> & { field: Field }) {
  const { pointer, kind, label, required, placeholder } = field;
  const description = field.description && <Described text={field.description} />;
  const value = values[pointer] ?? '';
  const common = { label, description, error: error(pointer), required: required && kind !== 'boolean' };
  const typed = {
    ...common,
    value: String(value),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(pointer, currentTarget.value),
  };
  if (kind === 'boolean')
    return (
      <Switch
        {...common}
        checked={value === true}
        onChange={({ currentTarget }) => onChange(pointer, currentTarget.checked)}
      />
    );
  if (kind === 'choice') return <NativeSelect {...typed} data={getChoices(field)} />;
  if (kind === 'json') return <Textarea {...typed} autosize minRows={2} maxRows={8} spellCheck={false} />;
  if (kind === 'secret')
    // Keeps the browser from filling in or saving the password of this site.
    return (
      <PasswordInput
        {...typed}
        autoComplete="new-password"
        maxLength={field.maxLength}
        aria-invalid={typed.error !== undefined}
      />
    );
  if (kind === 'text')
    return (
      <TextInput
        {...typed}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        maxLength={field.maxLength}
        data-autofocus={pointer === '/name' || undefined}
      />
    );
  return (
    <NumberField
      {...typed}
      onChange={(text) => onChange(pointer, text)}
      placeholder={placeholder}
      min={field.min}
      max={field.max}
      allowDecimal={kind !== 'integer'}
      allowNegative={(field.min ?? -1) < 0}
      className={classes.number}
    />
  );
}

const getChoices = ({ choices, required, fallback }: Field) => [
  ...(required || fallback !== null ? [] : [{ value: '', label: '–' }]),
  ...choices.map((value) => ({ value, label: getLabel(value) })),
];

/** Renders a text of the schema, with words in `backticks` in a monospace font. */
const Described = ({ text }: { text: string }) =>
  text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span key={part} className={ui.mono}>
        {part}
      </span>
    ),
  );
