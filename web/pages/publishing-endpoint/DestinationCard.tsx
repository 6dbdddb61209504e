/** One destination: where it goes, whom to, as what, and the template of what it says. */
import { ActionIcon, NativeSelect } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '@tabler/icons-react';
import type { Fault } from '../../api/problem.ts';
import type { Instance } from '../../api/types.ts';
import { stateWord } from '../channels/instance-words.ts';
import { can, takesMessages } from '../chats/draft.ts';
import classes from './editor.module.css';
import { type DestinationForm, isTemplate, takesFile } from './editor-form.ts';
import { RecipientField } from './RecipientField.tsx';
import { TemplateField } from './TemplateField.tsx';
import { TypeField } from './TypeField.tsx';
import { type Editor, saidOf } from './use-editor.ts';

interface DestinationCardProps {
  editor: Editor;
  destination: DestinationForm;
  /** From 0. */
  place: number;
  instances: readonly Instance[];
  faults: readonly Fault[];
}

/** What each type's content looks like, for those that are no text and no file. */
const CONTENTS: Record<string, string> = {
  location: '{"latitude": {{ payload.lat }}, "longitude": {{ payload.lng }}, "name": "{{ payload.name }}"}',
  poll: '{"question": "{{ payload.title }}", "options": ["Yes", "No"]}',
  contacts: '[{"name": "{{ payload.name }}", "phones": ["{{ payload.phone }}"]}]',
  event: '{"name": "{{ payload.title }}", "start_at": "{{ payload.start }}"}',
  interactive: '{"body": "{{ payload.title }}", "choices": [{"id": "yes", "title": "Yes"}]}',
  template: '{"name": "welcome", "language": "en", "parameters": ["{{ payload.name }}"]}',
};

export function DestinationCard({ editor, destination, place, instances, faults }: DestinationCardProps) {
  const { key, instance_id: instanceId, type } = destination;
  const count = editor.form.destinations.length;
  const instance = instances.find(({ id }) => id === instanceId);
  const at = (field: string) => saidOf(faults, `/destinations/${place}/${field}`);
  const change = (with_: Partial<DestinationForm>) => editor.change(key, with_);
  const name = `destination ${place + 1}`;
  const isContent = !isTemplate(type) && type !== 'text' && !takesFile(type);
  return (
    <li className={classes.card} aria-label={`Destination ${place + 1}`} data-key={key}>
      <div className={classes.cardHead}>
        <span className={classes.number}>{place + 1}</span>
        <strong dir="auto">{instance?.name ?? 'Choose a channel'}</strong>
        <span className={classes.tools}>
          {count > 1 && (
            <>
              <Tool
                label={`Move ${name} up`}
                icon={IconArrowUp}
                disabled={place === 0}
                onClick={() => editor.move(key, -1)}
              />
              <Tool
                label={`Move ${name} down`}
                icon={IconArrowDown}
                disabled={place === count - 1}
                onClick={() => editor.move(key, 1)}
              />
            </>
          )}
          <Tool label={`Copy ${name}`} icon={IconCopy} onClick={() => editor.add(destination)} />
          {count > 1 && <Tool label={`Remove ${name}`} icon={IconTrash} onClick={() => editor.remove(key)} />}
        </span>
      </div>
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
          error={at('type')}
        />
      </div>
      {isTemplate(type) && (
        <TemplateField
          label="Type, by a template"
          single
          value={type}
          onChange={(text) => change({ type: text || 'text' })}
          error={at('type')}
        />
      )}
      <RecipientField destination={destination} instance={instance} onChange={change} at={at} />
      {can(instance, 'threads') && (
        <TemplateField
          label="Subject"
          single
          placeholder="{{ payload.title }}"
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
            placeholder="{{ payload.image_url }}"
            value={destination.media}
            onChange={(media) => change({ media })}
            error={at('media')}
          />
          <TemplateField
            label="File name"
            single
            placeholder="spring.jpg"
            value={destination.file_name}
            onChange={(fileName) => change({ file_name: fileName })}
            error={at('file_name')}
          />
        </div>
      )}
      <TemplateField
        label={isContent ? 'Content, as JSON' : takesFile(type) && type !== 'text' ? 'Caption' : 'Text'}
        placeholder={isContent ? (CONTENTS[type] ?? '{}') : 'New: {{ payload.title }}'}
        value={destination.template}
        onChange={(template) => change({ template })}
        error={at('template')}
      />
    </li>
  );
}

interface ToolProps {
  label: string;
  icon: typeof IconCopy;
  disabled?: boolean;
  onClick: () => void;
}

function Tool({ label, icon: Icon, ...rest }: ToolProps) {
  return (
    <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} data-tip={label} {...rest}>
      <Icon size={14} stroke={1.75} />
    </ActionIcon>
  );
}
