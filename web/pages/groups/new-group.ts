/** What is typed of a group that is to be made, and the call that makes it. */
import type { NewGroup } from '../../api/groups.ts';
import type { Group, Instance } from '../../api/types.ts';
import { settingsOf } from './group-text.ts';
import { participantsOf, type Person } from './people-field.ts';

export interface NewGroupForm {
  instance_id: string;
  subject: string;
  description: string;
  settings: Partial<Group['settings']>;
  participants: Person[];
}

/** Only what the channel has, and what is wanted. */
export function bodyOf(form: NewGroupForm, instance: Instance | undefined): NewGroup {
  const { instance_id: id, subject, description, settings, participants } = form;
  const wanted = settingsOf(instance).flatMap(({ name }) => (settings[name] ? [[name, true] as const] : []));
  return {
    instance_id: id,
    subject: subject.trim(),
    ...(description.trim() !== '' && { description: description.trim() }),
    ...(wanted.length > 0 && { settings: Object.fromEntries(wanted) }),
    ...(participants.length > 0 && { participants: participantsOf(participants) }),
  };
}
