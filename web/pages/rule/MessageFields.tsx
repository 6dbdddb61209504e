/** A message that a rule sends: by which channel, to whom, what. */
import { NativeSelect } from '@mantine/core';
import { stateWord } from '../channels/instance-words.ts';
import { can, takesMessages } from '../chats/draft.ts';
import classes from '../publishing-endpoint/editor.module.css';
import { type DestinationForm, isTemplate, takesFile } from '../publishing-endpoint/editor-form.ts';
import { RecipientField } from '../publishing-endpoint/RecipientField.tsx';
import { TemplateField } from '../publishing-endpoint/TemplateField.tsx';
import { TypeField } from '../publishing-endpoint/TypeField.tsx';
import type { ActionFieldsProps } from './ActionFields.tsx';

export function MessageFields({ action, instances, onChange, at }: ActionFieldsProps) {
  const { destination } = action;
  const { instance_id: instanceId, type } = destination;
  const instance = instances.find(({ id }) => id === instanceId);
  const change = (with_: Partial<DestinationForm>) => onChange({ destination: { ...destination, ...with_ } });
  const isContent = !isTemplate(type) && type !== 'text' && !takesFile(type);
  return (
    <>
      <div className={classes.pair}>
        <NativeSelect
          label="Channel"
          data={[
            ...(instance
              ? []
              : [{ value: instanceId, label: instanceId === '' ? 'Choose' : 'A channel that is gone' }]),
            ...instances.map((one) => ({
              value: one.id,
              label: takesMessages(one) ? one.name : `${one.name} (${stateWord(one.state)})`,
            })),
          ]}
          value={instanceId}
          onChange={({ currentTarget }) => change({ instance_id: currentTarget.value, chosen: '' })}
          error={at('instance_id')}
        />
        <TypeField
          value={type}
          instance={instance}
          onChange={(chosen) => change({ type: chosen })}
          error={at('message_type')}
        />
      </div>
      {isTemplate(type) && (
        <TemplateField
          label="Type, by a template"
          single
          value={type}
          onChange={(text) => change({ type: text || 'text' })}
          error={at('message_type')}
        />
      )}
      <RecipientField destination={destination} instance={instance} onChange={change} at={at} />
      {can(instance, 'threads') && (
        <TemplateField
          label="Subject"
          single
          value={destination.subject}
          onChange={(subject) => change({ subject })}
          error={at('subject')}
        />
      )}
      {takesFile(type) && (
        <div className={classes.pair}>
          <TemplateField
            label="File: its address or id"
            single
            placeholder="https://example.com/map.png"
            value={destination.media}
            onChange={(media) => change({ media })}
            error={at('media')}
          />
          <TemplateField
            label="File name"
            single
            value={destination.file_name}
            onChange={(fileName) => change({ file_name: fileName })}
            error={at('file_name')}
          />
        </div>
      )}
      <TemplateField
        label={isContent ? 'Content, as JSON' : takesFile(type) && type !== 'text' ? 'Caption' : 'Text'}
        placeholder={isContent ? '{}' : 'Thank you, {{ event.data.object.from }}!'}
        value={destination.template}
        onChange={(template) => change({ template })}
        error={at('template')}
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
