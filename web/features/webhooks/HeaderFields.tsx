/** Custom headers of each request. Saved values are write-only. */
import { Button, CloseButton, Input, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import { newHeaderRow, type HeaderRow } from './webhook-form.ts';
import classes from './webhooks.module.css';

const MAX_HEADERS = 20;

interface HeaderFieldsProps {
  form: Pick<ApiForm<{ headers: HeaderRow[] }>, 'values' | 'set' | 'error' | 'at'>;
  /** Whether the URL has another origin than the saved one; then saved values must be entered again. */
  originChanged: boolean;
}

export function HeaderFields({ form, originChanged }: HeaderFieldsProps) {
  const rows = form.values.headers;
  const change = (row: HeaderRow, with_: Partial<HeaderRow>) =>
    form.set(
      'headers',
      rows.map((one) => (one.key === row.key ? { ...one, ...with_ } : one)),
    );
  const rowErrors = new Map(rows.map(({ key, name }) => [key, form.at('headers', name.trim())]));
  const noRowError = [...rowErrors.values()].every((text) => text === undefined);
  const needsValues = originChanged && rows.some(({ kept, value }) => kept && value === '');
  return (
    <Input.Wrapper
      label={t('Headers')}
      labelElement="div"
      description={t("Sent with every request. Values are encrypted and can't be viewed later.")}
      error={
        noRowError
          ? (form.error('headers') ??
            (needsValues && t('The URL points to a different server. Enter the header values again.')))
          : undefined
      }
    >
      {rows.map((row) => (
        <div key={row.key} className={classes.headerRow}>
          <TextInput
            aria-label={t('Header name')}
            placeholder={t('Authorization')}
            spellCheck={false}
            value={row.name}
            readOnly={row.kept}
            onChange={({ currentTarget }) => change(row, { name: currentTarget.value })}
          />
          <TextInput
            aria-label={t('Value for {name}', { name: row.name || t('header') })}
            placeholder={row.kept ? t('Unchanged') : t('Bearer …')}
            autoComplete="off"
            spellCheck={false}
            value={row.value}
            error={rowErrors.get(row.key)}
            onChange={({ currentTarget }) => change(row, { value: currentTarget.value })}
          />
          <CloseButton
            aria-label={t('Remove {name}', { name: row.name || t('header') })}
            onClick={() =>
              form.set(
                'headers',
                rows.filter(({ key }) => key !== row.key),
              )
            }
          />
        </div>
      ))}
      {rows.length < MAX_HEADERS && (
        <Button
          mt={6}
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() => form.set('headers', [...rows, newHeaderRow()])}
        >
          {t('Create header')}
        </Button>
      )}
    </Input.Wrapper>
  );
}
