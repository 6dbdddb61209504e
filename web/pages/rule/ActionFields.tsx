/** What each kind of action asks for. */
import { TextInput } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { Instance, Rule } from '../../api/types.ts';
import { Accordion } from '../../ui/Accordion.tsx';
import classes from '../publishing-endpoint/editor.module.css';
import { TemplateField } from '../publishing-endpoint/TemplateField.tsx';
import type { ActionForm } from './rule-form.ts';

// Each kind is loaded with the first action of it.
const CallFields = lazy(async () => ({ default: (await import('./CallFields.tsx')).CallFields }));
const ModelFields = lazy(async () => ({ default: (await import('./ModelFields.tsx')).ModelFields }));
const MessageFields = lazy(async () => ({ default: (await import('./MessageFields.tsx')).MessageFields }));

export interface ActionFieldsProps {
  action: ActionForm;
  instances: readonly Instance[];
  onChange: (with_: Partial<ActionForm>) => void;
  /** What was said about a field of the action. */
  at: (field: string) => string | undefined;
  /** The rule as it is saved; null for a new one. */
  saved: Rule | null;
}

const FIELDS = { send_message: MessageFields, call_webhook: CallFields, ask_model: ModelFields };

export function ActionFields(props: ActionFieldsProps) {
  const { type } = props.action;
  if (type === 'create_link') return <LinkFields {...props} />;
  const Fields = FIELDS[type];
  return (
    <Suspense>
      <Fields {...props} />
    </Suspense>
  );
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
      <Accordion
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
      </Accordion>
    </>
  );
}
