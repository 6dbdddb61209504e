/** Custom headers of each request. Saved values are write-only. */
import { t } from '../../copy/text.ts';
import { RowsField } from '../../patterns/form/RowsField.tsx';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import { newHeaderRow, type HeaderRow } from './header-rows.ts';

const MAX_HEADERS = 20;

interface HeaderFieldsProps {
  form: Pick<ApiForm<{ headers: HeaderRow[] }>, 'values' | 'set' | 'error' | 'at'>;
  /** Whether the URL has another origin than the saved one; then saved values must be entered again. */
  originChanged: boolean;
}

export function HeaderFields({ form, originChanged }: HeaderFieldsProps) {
  const rows = form.values.headers;
  const needsValues = originChanged && rows.some(({ kept, value }) => kept && value === '');
  return (
    <RowsField
      label={t('Headers')}
      description={t("Sent with every request. Values are encrypted and can't be viewed later.")}
      rows={rows}
      onChange={(headers) => form.set('headers', headers)}
      namedBy="name"
      fields={({ kept }, name) => [
        { name: 'name', label: t('Header name'), placeholder: t('Authorization'), readOnly: kept },
        {
          name: 'value',
          label: t('Value for {name}', { name }),
          placeholder: kept ? t('Unchanged') : t('Bearer …'),
          grow: 1.4,
        },
      ]}
      create={newHeaderRow}
      add={t('Create header')}
      max={MAX_HEADERS}
      errorAt={(index, field) =>
        field === 'value' ? form.at('headers', rows[index]?.name.trim() ?? '') : undefined
      }
      error={
        form.error('headers') ??
        (needsValues ? t('The URL points to a different server. Enter the header values again.') : undefined)
      }
    />
  );
}
