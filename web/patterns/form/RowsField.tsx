/** A list of short rows of fields, to which rows can be added. */
import { Button, CloseButton, Input, TextInput, type TextInputProps } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { CSSProperties } from 'react';
import { t } from '../../copy/text.ts';
import classes from './rows-field.module.css';

interface CellProps {
  'aria-label': string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
}

interface RowField<R> extends Omit<TextInputProps, 'name' | keyof CellProps> {
  name: keyof R & string;
  label: string;
  /** Part of the width; 1 by default. */
  grow?: number;
  /** Replaces the text field. */
  render?: (cell: CellProps) => React.ReactNode;
}

interface RowsFieldProps<R extends { key: number }> {
  label: string;
  description?: string;
  rows: readonly R[];
  onChange: (rows: R[]) => void;
  /** The field that names the row. */
  namedBy: keyof R & string;
  /** @param name of the row */
  fields: (row: R, name: string, index: number) => readonly RowField<R>[];
  create: () => R;
  /** Label of the button that adds a row. */
  add: string;
  /** The most rows. */
  max?: number;
  /** Error of a field of a row. */
  errorAt: (index: number, name: keyof R & string) => string | undefined;
  /** Shown where no field has its own. */
  error?: string | undefined;
}

export function RowsField<R extends { key: number }>(props: RowsFieldProps<R>) {
  const { label, description, rows, onChange, namedBy, create, add, max = Infinity, errorAt, error } = props;
  const lines = rows.map((row, index) => {
    const name = String(row[namedBy]) || t('row {number}', { number: index + 1 });
    return { row, name, index, fields: props.fields(row, name, index) };
  });
  const hasOwn = lines.some(({ index, fields }) => fields.some(({ name }) => errorAt(index, name)));
  return (
    <Input.Wrapper
      role="group"
      aria-label={label}
      label={label}
      labelElement="div"
      description={description}
      error={hasOwn ? undefined : error}
    >
      <div className={classes.rows}>
        {lines.map(({ row, name: rowName, index, fields }) => (
          <div
            key={row.key}
            className={classes.fieldRow}
            style={
              { '--columns': fields.map(({ grow = 1 }) => `minmax(0, ${grow}fr)`).join(' ') } as CSSProperties
            }
            data-long={fields.length > 2 || undefined}
          >
            {fields.map(({ name, label: fieldLabel, grow: _grow, render, ...input }) => {
              const cell: CellProps = {
                'aria-label': fieldLabel,
                value: String(row[name]),
                error: errorAt(index, name),
                onChange: (value) =>
                  onChange(rows.map((one) => (one.key === row.key ? { ...one, [name]: value } : one))),
              };
              return render ? (
                <div key={name}>{render(cell)}</div>
              ) : (
                <TextInput
                  key={name}
                  placeholder={fieldLabel}
                  autoComplete="off"
                  spellCheck={false}
                  {...input}
                  {...cell}
                  onChange={({ currentTarget }) => cell.onChange(currentTarget.value)}
                />
              );
            })}
            <CloseButton
              mt={3}
              aria-label={t('Remove {name}', { name: rowName })}
              onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
            />
          </div>
        ))}
        {rows.length < max && (
          <div>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={14} />}
              onClick={() => onChange([...rows, create()])}
            >
              {add}
            </Button>
          </div>
        )}
      </div>
    </Input.Wrapper>
  );
}
