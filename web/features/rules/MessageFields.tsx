/** The fields of a message: instance, recipient, and content. */
import { t } from '../../copy/text.ts';
import { DestinationFields, type DestinationHints } from '../publishing/DestinationFields.tsx';
import { TemplateField } from '../../patterns/workbench/TemplateField.tsx';
import type { ActionFieldsProps } from './action-fields-props.ts';

const HINTS: DestinationHints = {
  to: '{{ event.data.object.from }}',
  text: t('Thank you, {{ event.data.object.from }}!'),
  media: 'https://example.com/map.png',
};

export function MessageFields({ action, instances, onChange, at }: ActionFieldsProps) {
  const { destination } = action;
  return (
    <>
      <DestinationFields
        destination={destination}
        instances={instances}
        onChange={(patch) => onChange({ destination: { ...destination, ...patch } })}
        at={(field) => at(field === 'type' ? 'message_type' : field)}
        hints={HINTS}
      />
      <TemplateField
        label={t('Reply to')}
        single
        placeholder={t('{{ event.data.object.id }}')}
        value={action.reply_to}
        onChange={(replyTo) => onChange({ reply_to: replyTo })}
        error={at('reply_to')}
      />
    </>
  );
}
