/** A list of short rows of text fields, to which rows can be added. */
import { Button, CloseButton, Input, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { CSSProperties } from 'react';
import { t } from '../../copy/text.ts';
import classes from './model-providers.module.css';

interface RowField<R> {
  name: keyof R & string;
  label: string;
  placeholder?: string;
  /** A price: a number with decimals. */
  isNumber?: boolean;
}

interface RowsFieldProps<R extends { key: number }> {
  label: string;
  description: string;
  rows: readonly R[];
  onChange: (rows: R[]) => void;
  /** The first names the row. */
  fields: readonly RowField<R>[];
  create: () => R;
  /** Label of the button that adds a row. */
  add: string;
  /** Error of a field of a row. */
  errorAt: (index: number, name: keyof R & string) => string | undefined;
  error?: string | undefined;
}

export function RowsField<R extends { key: number }>(props: RowsFieldProps<R>) {
  const { label, description, rows, onChange, fields, create, add, errorAt, error } = props;
  const hasOwn = rows.some((_, index) => fields.some(({ name }) => errorAt(index, name) !== undefined));
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={description}
      error={hasOwn ? undefined : error}
    >
      <div className={classes.rows}>
        {rows.map((row, index) => (
          <div
            key={row.key}
            className={classes.row}
            style={{ '--fields': fields.length + 1 } as CSSProperties}
            data-short={fields.length < 3 || undefined}
          >
            {fields.map(({ name, label: fieldLabel, placeholder, isNumber }) => (
              <TextInput
                key={name}
                aria-label={fieldLabel}
                placeholder={placeholder ?? fieldLabel}
                autoComplete="off"
                spellCheck={false}
                {...(isNumber && { inputMode: 'decimal', type: 'number', min: 0, step: 'any' })}
                value={String(row[name])}
                error={errorAt(index, name)}
                onChange={({ currentTarget: { value } }) =>
                  onChange(rows.map((one) => (one.key === row.key ? { ...one, [name]: value } : one)))
                }
              />
            ))}
            <CloseButton
              mt={3}
              aria-label={t('Remove {name}', {
                name: String(row[fields[0]!.name]) || t('row {number}', { number: index + 1 }),
              })}
              onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
            />
          </div>
        ))}
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
      </div>
    </Input.Wrapper>
  );
}
