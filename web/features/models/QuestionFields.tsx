/** The fields of a model request. */
import { TextInput } from '@mantine/core';
import { t } from '../../copy/text.ts';
import classes from '../../patterns/workbench/workbench.module.css';
import { TemplateField } from '../../patterns/workbench/TemplateField.tsx';
import { ModelSelect } from './ModelSelect.tsx';
import type { QuestionForm } from './question-form.ts';

interface QuestionFieldsProps {
  ask: QuestionForm;
  onChange: (ask: QuestionForm) => void;
  /** Returns the error of a field. */
  at: (field: string) => string | undefined;
  /** A typical prompt. */
  placeholder: string;
}

export function QuestionFields({ ask, onChange, at, placeholder }: QuestionFieldsProps) {
  const change = (patch: Partial<QuestionForm>) => onChange({ ...ask, ...patch });
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
        placeholder={placeholder}
        value={ask.prompt}
        onChange={(prompt) => change({ prompt })}
        error={at('prompt')}
      />
    </>
  );
}
