/** Asks a model about each request, before the templates are rendered. */
import { Stack, Switch } from '@mantine/core';
import { t } from '../../copy/text.ts';
import type { Fault } from '../../api/problem.ts';
import { Accordion } from '../../design/Accordion.tsx';
import { QuestionFields } from '../models/QuestionFields.tsx';
import { type Editor, getMessage } from './use-editor.ts';

export function AskPart({ editor, faults }: { editor: Editor; faults: readonly Fault[] }) {
  const { ask } = editor.form;
  return (
    <Accordion
      title={t('Ask a model')}
      note={ask.on ? ask.model || t('No model selected') : t('Off')}
      opened={ask.on}
      faulty={getMessage(faults, '/ask_model') !== undefined}
    >
      <Stack gap="md">
        <Switch
          label={t('Ask a model about each request')}
          description={t('Templates can use its response as {{ answer }}. Calls count toward your budgets.')}
          checked={ask.on}
          onChange={({ currentTarget }) => editor.set('ask', { ...ask, on: currentTarget.checked })}
        />
        {ask.on && (
          <QuestionFields
            ask={ask}
            onChange={(question) => editor.set('ask', { ...ask, ...question })}
            at={(field) => getMessage(faults, `/ask_model/${field}`)}
            placeholder={t('Summarize for a customer: {{ payload.text }}')}
          />
        )}
      </Stack>
    </Accordion>
  );
}
