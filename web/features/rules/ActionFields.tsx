/** The fields of each action type. */
import { TextInput } from '@mantine/core';
import { Suspense } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import { t } from '../../copy/text.ts';
import { Accordion } from '../../design/Accordion.tsx';
import classes from '../../patterns/workbench/workbench.module.css';
import { TemplateField } from '../../patterns/workbench/TemplateField.tsx';
import type { ActionFieldsProps } from './action-fields-props.ts';
import type { ActionForm } from './rule-form.ts';

// The fields of a type are loaded with its first action.
const CallFields = lazily(() => import('./CallFields.tsx'), 'CallFields');
const QuestionFields = lazily(() => import('../models/QuestionFields.tsx'), 'QuestionFields');
const MessageFields = lazily(() => import('./MessageFields.tsx'), 'MessageFields');

const FIELDS = { send_message: MessageFields, call_webhook: CallFields, ask_model: ModelFields };

function ModelFields({ action: { ask: question }, onChange, at }: ActionFieldsProps) {
  return (
    <QuestionFields
      ask={question}
      onChange={(ask) => onChange({ ask })}
      at={at}
      placeholder={t('{{ event.data.object.text.body }}')}
    />
  );
}

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
  const change = (patch: Partial<ActionForm['link']>) => onChange({ link: { ...link, ...patch } });
  return (
    <>
      <TemplateField
        label={t('Destination URL')}
        single
        placeholder="https://example.com/orders/{{ event.data.object.id }}"
        value={link.url}
        onChange={(url) => change({ url })}
        error={at('url')}
      />
      <Accordion
        title={t('Slug, domain, tags')}
        note={[link.slug, link.domain, link.tags].filter(Boolean).join(', ') || t('Generated automatically')}
        faulty={(at('slug') ?? at('domain') ?? at('tags')) !== undefined}
      >
        <div className={classes.pair}>
          <TemplateField
            label={t('Slug')}
            single
            placeholder={t('Generated automatically')}
            value={link.slug}
            onChange={(slug) => change({ slug })}
            error={at('slug')}
          />
          <TextInput
            label={t('Domain')}
            placeholder={t('Default domain')}
            spellCheck={false}
            value={link.domain}
            onChange={({ currentTarget }) => change({ domain: currentTarget.value })}
            error={at('domain')}
          />
          <TextInput
            label={t('Tags')}
            placeholder={t('spring, shop')}
            value={link.tags}
            onChange={({ currentTarget }) => change({ tags: currentTarget.value })}
            error={at('tags')}
          />
        </div>
      </Accordion>
    </>
  );
}
