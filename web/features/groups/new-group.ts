/** The form that creates a group, and the request body built from it. */
import type { NewGroup } from '../../api/groups.ts';
import type { Group, Instance } from '../../api/types.ts';
import { getSettings } from './group-text.ts';
import { getParticipants, type Person } from './people-field.ts';

export interface NewGroupForm {
  instance_id: string;
  subject: string;
  description: string;
  settings: Partial<Group['settings']>;
  participants: Person[];
}

/** Returns the body, with only the settings that the channel supports and that are on. */
export function toBody(form: NewGroupForm, instance: Instance | undefined): NewGroup {
  const { instance_id: id, subject, description, settings, participants } = form;
  const enabled = getSettings(instance).flatMap(({ name }) =>
    settings[name] ? [[name, true] as const] : [],
  );
  return {
    instance_id: id,
    subject: subject.trim(),
    ...(description.trim() !== '' && { description: description.trim() }),
    ...(enabled.length > 0 && { settings: Object.fromEntries(enabled) }),
    ...(participants.length > 0 && { participants: getParticipants(participants) }),
  };
}
