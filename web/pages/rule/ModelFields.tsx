/** What asking a model takes. */
import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { modelsQuery } from '../../api/models.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import classes from '../publishing-endpoint/editor.module.css';
import { TemplateField } from '../publishing-endpoint/TemplateField.tsx';
import type { ActionFieldsProps } from './ActionFields.tsx';
import type { ActionForm } from './rule-form.ts';

export function ModelFields({ action: { ask }, onChange, at }: ActionFieldsProps) {
  const { workspace } = useWorkspace();
  const { data: models = [] } = useQuery(modelsQuery(workspace.id));
  const change = (with_: Partial<ActionForm['ask']>) => onChange({ ask: { ...ask, ...with_ } });
  const isKnown = models.some(({ id }) => id === ask.model);
  return (
    <>
      <div className={classes.pair}>
        <NativeSelect
          label="Model"
          data={[
            ...(isKnown ? [] : [{ value: ask.model, label: ask.model === '' ? 'Choose' : ask.model }]),
            ...models.map(({ id }) => ({ value: id, label: id })),
          ]}
          value={ask.model}
          onChange={({ currentTarget }) => change({ model: currentTarget.value })}
          error={at('model')}
        />
        <TextInput
          label="Most tokens"
          inputMode="numeric"
          placeholder="as the model has it"
          value={ask.max_tokens}
          onChange={({ currentTarget }) => change({ max_tokens: currentTarget.value.replace(/\D/g, '') })}
          error={at('max_tokens')}
        />
      </div>
      <TemplateField
        label="What it is told beforehand"
        placeholder="You answer for a flower shop, in two sentences."
        value={ask.system}
        onChange={(system) => change({ system })}
        error={at('system')}
      />
      <TemplateField
        label="What it is asked"
        placeholder="{{ event.data.object.text.body }}"
        value={ask.prompt}
        onChange={(prompt) => change({ prompt })}
        error={at('prompt')}
      />
    </>
  );
}
