/** One destination of an endpoint: instance, recipient, message type, and template. */
import { t } from '../../copy/text.ts';
import type { Fault } from '../../api/problem.ts';
import type { Instance } from '../../api/types.ts';
import { StepCard } from '../../patterns/workbench/StepCard.tsx';
import { DestinationFields, type DestinationHints } from './DestinationFields.tsx';
import type { DestinationForm } from './editor-form.ts';
import { type Editor, getMessage } from './use-editor.ts';

interface DestinationCardProps {
  editor: Editor;
  destination: DestinationForm;
  /** Position among the destinations, from 0. */
  index: number;
  instances: readonly Instance[];
  faults: readonly Fault[];
}

/** Sample content of each structured message type. */
const CONTENTS: Record<string, string> = {
  location: '{"latitude": {{ payload.lat }}, "longitude": {{ payload.lng }}, "name": "{{ payload.name }}"}',
  poll: '{"question": "{{ payload.title }}", "options": ["Yes", "No"]}',
  contacts: '[{"name": "{{ payload.name }}", "phones": ["{{ payload.phone }}"]}]',
  event: '{"name": "{{ payload.title }}", "start_at": "{{ payload.start }}"}',
  interactive: '{"body": "{{ payload.title }}", "choices": [{"id": "yes", "title": "Yes"}]}',
  template: '{"name": "welcome", "language": "en", "parameters": ["{{ payload.name }}"]}',
};

const HINTS: DestinationHints = {
  to: '{{ payload.phone }}',
  text: t('New: {{ payload.title }}'),
  subject: '{{ payload.title }}',
  media: '{{ payload.image_url }}',
  fileName: 'spring.jpg',
  contents: CONTENTS,
};

export function DestinationCard({ editor, destination, index, instances, faults }: DestinationCardProps) {
  const { key, instance_id: instanceId } = destination;
  const count = editor.form.destinations.length;
  const instance = instances.find(({ id }) => id === instanceId);
  const number = index + 1;
  return (
    <StepCard
      label={t('Destination {number}', { number })}
      index={index}
      count={count}
      title={instance?.name ?? t('Select an instance')}
      tools={{
        up: t('Move destination {number} up', { number }),
        down: t('Move destination {number} down', { number }),
        remove: t('Remove destination {number}', { number }),
      }}
      onMove={(by) => editor.move(key, by)}
      onRemove={count > 1 ? () => editor.remove(key) : undefined}
      duplicate={{
        label: t('Duplicate destination {number}', { number }),
        onClick: () => editor.add(destination),
      }}
    >
      <DestinationFields
        destination={destination}
        instances={instances}
        onChange={(patch) => editor.change(key, patch)}
        at={(field) => getMessage(faults, `/destinations/${index}/${field}`)}
        // Below a filled destination, an example would look like its text.
        hints={index === 0 ? HINTS : { ...HINTS, text: '' }}
      />
    </StepCard>
  );
}
