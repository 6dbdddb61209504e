/** The recipient and content fields of an endpoint's destination or a rule's message. */
import { t } from '../../copy/text.ts';
import type { Instance } from '../../api/types.ts';
import { InstanceSelect } from '../instances/InstanceSelect.tsx';
import { can } from '../../api/instances.ts';
import classes from '../../patterns/workbench/workbench.module.css';
import { type DestinationForm, isTemplate, takesFile } from './editor-form.ts';
import { RecipientField } from './RecipientField.tsx';
import { TemplateField } from '../../patterns/workbench/TemplateField.tsx';
import { TypeField } from './TypeField.tsx';

export interface DestinationHints {
  to: string;
  text: string;
  subject?: string;
  thread_id?: string;
  media: string;
  fileName?: string;
  /** Message type → sample of its content. */
  contents?: Record<string, string>;
}

interface DestinationFieldsProps {
  destination: DestinationForm;
  instances: readonly Instance[];
  onChange: (patch: Partial<DestinationForm>) => void;
  /** Returns the error of a field. */
  at: (field: string) => string | undefined;
  /** Placeholders of empty fields. */
  hints: DestinationHints;
}

export function DestinationFields({ destination, instances, onChange, at, hints }: DestinationFieldsProps) {
  const { instance_id: instanceId, type } = destination;
  const instance = instances.find(({ id }) => id === instanceId);
  const isContent = !isTemplate(type) && type !== 'text' && !takesFile(type);
  return (
    <>
      <div className={classes.pair}>
        <InstanceSelect
          label={t('Instance')}
          value={instanceId}
          onChange={(id) => onChange({ instance_id: id, chosen: '' })}
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
          label={t('Type template')}
          single
          value={type}
          onChange={(text) => onChange({ type: text || 'text' })}
          error={at('type')}
        />
      )}
      <RecipientField
        destination={destination}
        instance={instance}
        onChange={onChange}
        hint={hints.to}
        at={at}
      />
      {can(instance, 'threads') && (
        <TemplateField
          label={t('Subject')}
          single
          placeholder={hints.subject}
          value={destination.subject}
          onChange={(subject) => onChange({ subject })}
          error={at('subject')}
        />
      )}
      {can(instance, 'thread_ids') && (
        <TemplateField
          label={t('Thread ID')}
          single
          placeholder={hints.thread_id}
          value={destination.thread_id}
          onChange={(threadId) => onChange({ thread_id: threadId })}
          error={at('thread_id')}
        />
      )}
      {takesFile(type) && (
        <div className={classes.pair}>
          <TemplateField
            label={t('File URL or ID')}
            single
            placeholder={hints.media}
            value={destination.media}
            onChange={(media) => onChange({ media })}
            error={at('media')}
          />
          <TemplateField
            label={t('File name')}
            single
            placeholder={hints.fileName}
            value={destination.file_name}
            onChange={(fileName) => onChange({ file_name: fileName })}
            error={at('file_name')}
          />
        </div>
      )}
      <TemplateField
        label={isContent ? t('JSON content') : takesFile(type) && type !== 'text' ? t('Caption') : t('Text')}
        placeholder={isContent ? (hints.contents?.[type] ?? '{}') : hints.text}
        value={destination.template}
        onChange={(template) => onChange({ template })}
        error={at('template')}
      />
    </>
  );
}
