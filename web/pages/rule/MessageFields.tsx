/** A message that a rule sends: by which channel, to whom, what. */
import { DestinationFields, type DestinationHints } from '../publishing-endpoint/DestinationFields.tsx';
import { TemplateField } from '../publishing-endpoint/TemplateField.tsx';
import type { ActionFieldsProps } from './ActionFields.tsx';

const HINTS: DestinationHints = {
  text: 'Thank you, {{ event.data.object.from }}!',
  media: 'https://example.com/map.png',
};

export function MessageFields({ action, instances, onChange, at }: ActionFieldsProps) {
  const { destination } = action;
  return (
    <>
      <DestinationFields
        destination={destination}
        instances={instances}
        onChange={(with_) => onChange({ destination: { ...destination, ...with_ } })}
        at={(field) => at(field === 'type' ? 'message_type' : field)}
        hints={HINTS}
      />
      <TemplateField
        label="Answers the message"
        single
        placeholder="{{ event.data.object.id }}, or empty"
        value={action.reply_to}
        onChange={(replyTo) => onChange({ reply_to: replyTo })}
        error={at('reply_to')}
      />
    </>
  );
}
