/** Describes the events of a group. */
import type { EventObject, Group } from '../../api/types.ts';
import { plural, t } from '../../copy/text.ts';
import { shortName } from './group-text.ts';

/** By address. */
export type Names = ReadonlyMap<string, string>;

type Change = Extract<EventObject['data'], { changes: unknown }>['changes'][number];

/** Changes that are listed by name. */
const MAX_LISTED = 5;

const getName = (address: string, names: Names): string => shortName(names.get(address) ?? address);

/** Returns who made a change, or null if the channel doesn't say. */
export function getActor({ data }: EventObject, names: Names): string | null {
  const by = 'by' in data ? data.by : null;
  if (!by) return null;
  return by.from_me ? t('This instance') : getName(by.address, names);
}

function describeRole(role: Change['role'], name: string): string {
  if (role === 'owner') return t('{name} is now an owner', { name });
  return role === 'admin' ? t('{name} is now an admin', { name }) : t('{name} is now a member', { name });
}

function describeChange({ action, address, role }: Change, names: Names): string {
  const name = getName(address, names);
  if (action === 'added') return t('{name} joined', { name });
  if (action === 'removed') return t('{name} was removed', { name });
  if (action === 'left') return t('{name} left', { name });
  if (action === 'banned') return t('{name} was banned', { name });
  return describeRole(role, name);
}

const SETTINGS: Record<keyof Group['settings'], [on: string, off: string]> = {
  announce_only: [t('Only owners and admins can send messages'), t('Everyone can send messages')],
  locked: [t('Only owners and admins can edit the group'), t('Everyone can edit the group')],
  members_only: [t('People can join only by invitation'), t('Anyone can join')],
};

function describeUpdates(group: Group, before: Partial<Group>): string[] {
  const settings = Object.entries(before.settings ?? {}).flatMap(([name, previous]) => {
    const key = name as keyof Group['settings'];
    const current = group.settings[key];
    const texts = SETTINGS[key] as (typeof SETTINGS)[typeof key] | undefined;
    return texts && current !== previous ? [texts[current ? 0 : 1]] : [];
  });
  return [
    ...(before.subject === undefined
      ? []
      : [t('Name changed from “{before}” to “{after}”', { before: before.subject, after: group.subject })]),
    ...(before.description === undefined
      ? []
      : [group.description === null ? t('Description removed') : t('Description changed')]),
    ...(before.picture === undefined
      ? []
      : [group.picture === null ? t('Picture removed') : t('Picture changed')]),
    ...settings,
    ...(before.invite_url === undefined ? [] : [t('Invitation link changed')]),
    ...(before.metadata === undefined ? [] : [t('Metadata changed')]),
  ];
}

const DEPARTURES: Record<Exclude<Group['membership'], 'joined'>, string> = {
  left: t('This instance left'),
  removed: t('This instance was removed'),
  banned: t('This instance was banned'),
  destroyed: t('Group closed'),
};

export function describeEvent({ type, data }: EventObject, names: Names): string {
  if (type === 'group.created') return t('Group created');
  if (type === 'group.joined') return t('This instance joined');
  if (type === 'group.left') return DEPARTURES['why' in data ? data.why : 'left'];
  if (type === 'group.participants_changed') {
    const changes = 'changes' in data ? data.changes : [];
    const listed = changes.slice(0, MAX_LISTED).map((change) => describeChange(change, names));
    const more = changes.length - listed.length;
    if (more > 0) listed.push(plural(more, { one: '{count} more change', other: '{count} more changes' }));
    return listed.join(', ') || t('Participants changed');
  }
  const updates =
    type === 'group.updated' && 'previous_attributes' in data
      ? describeUpdates(data.object, data.previous_attributes)
      : [];
  return updates.join('. ') || t('Group changed');
}
