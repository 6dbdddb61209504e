/** The key-value pairs that users keep with an object. */
import type { Fault } from '../../api/problem.ts';
import { t } from '../../copy/text.ts';
import { getPointer, sentence } from '../field-errors.ts';
import { type MetadataPair, newPair } from './metadata.ts';
import { RowsField } from './RowsField.tsx';
import type { ApiForm } from './use-api-form.ts';

/** The most that the API stores with an object. */
const MAX_PAIRS = 50;

type MetadataForm = Pick<ApiForm<{ metadata: MetadataPair[] }>, 'values' | 'error' | 'at'> & {
  set: (name: 'metadata', pairs: MetadataPair[]) => void;
};

/** Returns the form of an editor that isn't an API form. */
export function metadataForm(
  values: MetadataForm['values'],
  set: MetadataForm['set'],
  faults: readonly Fault[],
): MetadataForm {
  const at: MetadataForm['at'] = (...path) =>
    sentence(faults.find(({ pointer }) => pointer === getPointer(...path))?.detail);
  return { values, set, at, error: at };
}

interface MetadataFieldProps {
  form: MetadataForm;
  description?: string;
}

export function MetadataField({
  form,
  description = t('Your own key-value pairs, for use in your code.'),
}: MetadataFieldProps) {
  const pairs = form.values.metadata;
  return (
    <RowsField
      label={t('Metadata')}
      description={description}
      rows={pairs}
      onChange={(changed) => form.set('metadata', changed)}
      namedBy="name"
      fields={(_pair, name) => [
        { name: 'name', label: t('Key'), placeholder: 'team', maxLength: 40 },
        { name: 'value', label: t('Value of {name}', { name }), placeholder: '', maxLength: 500, grow: 1.4 },
      ]}
      create={newPair}
      add={t('Add metadata')}
      max={MAX_PAIRS}
      errorAt={(index, field) =>
        field === 'value' ? form.at('metadata', pairs[index]?.name.trim() ?? '') : undefined
      }
      error={form.error('metadata')}
    />
  );
}
