/** The fields of a model request. */
import { TextInput } from '@mantine/core';
import { t } from '../../copy/text.ts';
import classes from '../../patterns/workbench/workbench.module.css';
import { TemplateField } from '../../patterns/workbench/TemplateField.tsx';
import { ModelSelect } from '../models/ModelSelect.tsx';
import type { ActionFieldsProps } from './action-fields-props.ts';
import type { ActionForm } from './rule-form.ts';

export function ModelFields({ action: { ask }, onChange, at }: ActionFieldsProps) {
  const change = (patch: Partial<ActionForm['ask']>) => onChange({ ask: { ...ask, ...patch } });
  return (
    <>
      <div className={classes.pair}>
        <ModelSelect
          label={t('Model')}
          value={ask.model}
          onChange={(model) => change({ model })}
          error={at('model')}
        />
        <TextInput
          label={t('Max tokens')}
          inputMode="numeric"
          placeholder={t('Model default')}
          value={ask.max_tokens}
          onChange={({ currentTarget }) => change({ max_tokens: currentTarget.value.replace(/\D/g, '') })}
          error={at('max_tokens')}
        />
      </div>
      <TemplateField
        label={t('System prompt')}
        placeholder={t('You reply for a flower shop, in two sentences.')}
        value={ask.system}
        onChange={(system) => change({ system })}
        error={at('system')}
      />
      <TemplateField
        label={t('Prompt')}
        placeholder={t('{{ event.data.object.text.body }}')}
        value={ask.prompt}
        onChange={(prompt) => change({ prompt })}
        error={at('prompt')}
      />
    </>
  );
}
