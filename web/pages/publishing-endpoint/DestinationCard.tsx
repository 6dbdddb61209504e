/** One destination: where it goes, whom to, as what, and the template of what it says. */
import { ActionIcon } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '@tabler/icons-react';
import type { Fault } from '../../api/problem.ts';
import type { Instance } from '../../api/types.ts';
import classes from './editor.module.css';
import { DestinationFields, type DestinationHints } from './DestinationFields.tsx';
import type { DestinationForm } from './editor-form.ts';
import { type Editor, getMessage } from './use-editor.ts';

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

const HINTS: DestinationHints = {
  text: 'New: {{ payload.title }}',
  subject: '{{ payload.title }}',
  media: '{{ payload.image_url }}',
  fileName: 'spring.jpg',
  contents: CONTENTS,
};

export function DestinationCard({ editor, destination, place, instances, faults }: DestinationCardProps) {
  const { key, instance_id: instanceId } = destination;
  const count = editor.form.destinations.length;
  const instance = instances.find(({ id }) => id === instanceId);
  const name = `destination ${place + 1}`;
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
      <DestinationFields
        destination={destination}
        instances={instances}
        onChange={(with_) => editor.change(key, with_)}
        at={(field) => getMessage(faults, `/destinations/${place}/${field}`)}
        hints={HINTS}
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
