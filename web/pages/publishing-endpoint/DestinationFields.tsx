/** Where something is sent and what: of a destination, and of a rule's message. */
import { NativeSelect } from '@mantine/core';
import type { Instance } from '../../api/types.ts';
import { stateWord } from '../channels/instance-text.ts';
import { can, takesMessages } from '../chats/draft.ts';
import classes from './editor.module.css';
import { type DestinationForm, isTemplate, takesFile } from './editor-form.ts';
import { RecipientField } from './RecipientField.tsx';
import { TemplateField } from './TemplateField.tsx';
import { TypeField } from './TypeField.tsx';

export interface DestinationHints {
  text: string;
  subject?: string;
  media: string;
  fileName?: string;
  /** Type of a message → an example of its content. */
  contents?: Record<string, string>;
}

interface DestinationFieldsProps {
  destination: DestinationForm;
  instances: readonly Instance[];
  onChange: (with_: Partial<DestinationForm>) => void;
  /** What was said about a field of it. */
  at: (field: string) => string | undefined;
  /** What stands in empty fields. */
  hints: DestinationHints;
}

export function DestinationFields({ destination, instances, onChange, at, hints }: DestinationFieldsProps) {
  const { instance_id: instanceId, type } = destination;
  const instance = instances.find(({ id }) => id === instanceId);
  const isContent = !isTemplate(type) && type !== 'text' && !takesFile(type);
  const unknown = { value: instanceId, label: instanceId === '' ? 'Choose' : 'A channel that is gone' };
  return (
    <>
      <div className={classes.pair}>
        <NativeSelect
          label="Channel"
          data={[
            ...(instance ? [] : [unknown]),
            ...instances.map((one) => ({
              value: one.id,
              label: takesMessages(one) ? one.name : `${one.name} (${stateWord(one.state)})`,
            })),
          ]}
          value={instanceId}
          onChange={({ currentTarget }) => onChange({ instance_id: currentTarget.value, chosen: '' })}
          error={at('instance_id')}
        />
        <TypeField
          value={type}
          instance={instance}
          onChange={(chosen) => onChange({ type: chosen })}
          error={at('type')}
        />
      </div>
      {isTemplate(type) && (
        <TemplateField
          label="Type, by a template"
          single
          value={type}
          onChange={(text) => onChange({ type: text || 'text' })}
          error={at('type')}
        />
      )}
      <RecipientField destination={destination} instance={instance} onChange={onChange} at={at} />
      {can(instance, 'threads') && (
        <TemplateField
          label="Subject"
          single
          placeholder={hints.subject}
          value={destination.subject}
          onChange={(subject) => onChange({ subject })}
          error={at('subject')}
        />
      )}
      {takesFile(type) && (
        <div className={classes.pair}>
          <TemplateField
            label="File: its address or id"
            single
            placeholder={hints.media}
            value={destination.media}
            onChange={(media) => onChange({ media })}
            error={at('media')}
          />
          <TemplateField
            label="File name"
            single
            placeholder={hints.fileName}
            value={destination.file_name}
            onChange={(fileName) => onChange({ file_name: fileName })}
            error={at('file_name')}
          />
        </div>
      )}
      <TemplateField
        label={isContent ? 'Content, as JSON' : takesFile(type) && type !== 'text' ? 'Caption' : 'Text'}
        placeholder={isContent ? (hints.contents?.[type] ?? '{}') : hints.text}
        value={destination.template}
        onChange={(template) => onChange({ template })}
        error={at('template')}
      />
    </>
  );
}
