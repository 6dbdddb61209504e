/** Further headers of each request, as credentials of the receiver. Values that the server has are never shown. */
import { Button, CloseButton, Input, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { Form } from '../../ui/use-form.ts';
import { headerRow, type HeaderRow } from './webhook-form.ts';
import classes from './webhooks.module.css';

const MOST = 20;

interface HeaderFieldsProps {
  form: Pick<Form<{ headers: HeaderRow[] }>, 'values' | 'set' | 'error' | 'at'>;
  /** Whether the url points elsewhere, so that no value can be kept. */
  moved: boolean;
}

export function HeaderFields({ form, moved }: HeaderFieldsProps) {
  const rows = form.values.headers;
  const change = (row: HeaderRow, with_: Partial<HeaderRow>) =>
    form.set(
      'headers',
      rows.map((one) => (one.key === row.key ? { ...one, ...with_ } : one)),
    );
  const said = new Map(rows.map(({ key, name }) => [key, form.at('headers', name.trim())]));
  const ofNone = [...said.values()].every((text) => text === undefined);
  const keptAway = moved && rows.some(({ kept, value }) => kept && value === '');
  return (
    <Input.Wrapper
      label="Headers"
      labelElement="div"
      description="Sent with each request, as an Authorization that the receiver wants. Values are stored encrypted and never shown again."
      error={
        ofNone
          ? (form.error('headers') ??
            (keptAway && 'The url moves to another server: write the values of the headers again.'))
          : undefined
      }
    >
      {rows.map((row) => (
        <div key={row.key} className={classes.headerRow}>
          <TextInput
            aria-label="Name of the header"
            placeholder="Authorization"
            spellCheck={false}
            value={row.name}
            readOnly={row.kept}
            onChange={({ currentTarget }) => change(row, { name: currentTarget.value })}
          />
          <TextInput
            aria-label={`Value of ${row.name || 'the header'}`}
            placeholder={row.kept ? 'kept; write another to replace it' : 'Bearer …'}
            autoComplete="off"
            spellCheck={false}
            value={row.value}
            error={said.get(row.key)}
            onChange={({ currentTarget }) => change(row, { value: currentTarget.value })}
          />
          <CloseButton
            aria-label={`Remove ${row.name || 'the header'}`}
            onClick={() =>
              form.set(
                'headers',
                rows.filter(({ key }) => key !== row.key),
              )
            }
          />
        </div>
      ))}
      {rows.length < MOST && (
        <Button
          mt={6}
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() => form.set('headers', [...rows, headerRow()])}
        >
          Add a header
        </Button>
      )}
    </Input.Wrapper>
  );
}
