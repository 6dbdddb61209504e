/** What each kind of action asks for. */
import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { modelsQuery } from '../../api/models.ts';
import type { Instance, Rule } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { Fold } from '../../ui/Fold.tsx';
import classes from '../publishing-endpoint/editor.module.css';
import { TemplateField } from '../publishing-endpoint/TemplateField.tsx';
import { CallFields } from './CallFields.tsx';
import { MessageFields } from './MessageFields.tsx';
import type { ActionForm } from './rule-form.ts';

export interface ActionFieldsProps {
  action: ActionForm;
  instances: readonly Instance[];
  onChange: (with_: Partial<ActionForm>) => void;
  /** What was said about a field of the action. */
  at: (field: string) => string | undefined;
  /** The rule as it is saved; null for a new one. */
  saved: Rule | null;
}

export function ActionFields(props: ActionFieldsProps) {
  const { type } = props.action;
  if (type === 'send_message') return <MessageFields {...props} />;
  if (type === 'create_link') return <LinkFields {...props} />;
  if (type === 'call_webhook') return <CallFields {...props} />;
  return <ModelFields {...props} />;
}

function LinkFields({ action: { link }, onChange, at }: ActionFieldsProps) {
  const change = (with_: Partial<ActionForm['link']>) => onChange({ link: { ...link, ...with_ } });
  return (
    <>
      <TemplateField
        label="Leads to"
        single
        placeholder="https://example.com/orders/{{ event.data.object.id }}"
        value={link.url}
        onChange={(url) => change({ url })}
        error={at('url')}
      />
      <Fold
        title="Slug, domain, tags"
        note={[link.slug, link.domain, link.tags].filter(Boolean).join(', ') || 'made for you'}
        faulty={(at('slug') ?? at('domain') ?? at('tags')) !== undefined}
      >
        <div className={classes.pair}>
          <TemplateField
            label="Slug"
            single
            placeholder="made for you"
            value={link.slug}
            onChange={(slug) => change({ slug })}
            error={at('slug')}
          />
          <TextInput
            label="Domain"
            placeholder="the default one"
            spellCheck={false}
            value={link.domain}
            onChange={({ currentTarget }) => change({ domain: currentTarget.value })}
            error={at('domain')}
          />
          <TextInput
            label="Tags"
            placeholder="spring, shop"
            value={link.tags}
            onChange={({ currentTarget }) => change({ tags: currentTarget.value })}
            error={at('tags')}
          />
        </div>
      </Fold>
    </>
  );
}

function ModelFields({ action: { ask }, onChange, at }: ActionFieldsProps) {
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
