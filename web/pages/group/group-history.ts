/** Events of a group as sentences. */
import type { EventObject, Group } from '../../api/types.ts';
import { membershipWord, shortName } from '../groups/group-text.ts';

/** By address. */
export type Names = ReadonlyMap<string, string>;

interface By {
  address: string;
  from_me: boolean;
}
interface Change {
  action: 'added' | 'removed' | 'left' | 'banned' | 'promoted' | 'demoted';
  address: string;
  role: Group['participants'][number]['role'] | null;
}

/** Of many changes at once, those that are named. */
const NAMED = 5;

const called = (address: string, names: Names): string => shortName(names.get(address) ?? address);

/** Who did it; null where the channel does not say. */
export function whoDid({ data }: EventObject, names: Names): string | null {
  const by = data['by'] as By | null | undefined;
  if (!by) return null;
  return by.from_me ? 'your account' : called(by.address, names);
}

const ACTIONS: Record<Change['action'], string> = {
  added: 'came in',
  removed: 'was removed',
  left: 'left',
  banned: 'was banned',
  promoted: 'is',
  demoted: 'is',
};

function changeWord({ action, address, role }: Change, names: Names): string {
  const word = ACTIONS[action];
  const now = action === 'promoted' || action === 'demoted' ? ` ${role ?? 'member'} now` : '';
  return `${called(address, names)} ${word}${now}`;
}

const SETTINGS: Record<keyof Group['settings'], [on: string, off: string]> = {
  announce_only: ['only owners and admins write', 'everybody writes'],
  locked: ['only owners and admins change it', 'everybody changes it'],
  members_only: ['nobody comes in uninvited', 'anybody comes in'],
};

function updates(group: Group, before: Partial<Group>): string[] {
  const settings = Object.entries(before.settings ?? {}).flatMap(([name, was]) => {
    const key = name as keyof Group['settings'];
    const now = group.settings[key];
    const words = SETTINGS[key] as (typeof SETTINGS)[typeof key] | undefined;
    return words && now !== was ? [words[now ? 0 : 1]] : [];
  });
  return [
    ...(before.subject === undefined ? [] : [`called “${group.subject}”, before “${before.subject}”`]),
    ...(before.description === undefined
      ? []
      : [group.description === null ? 'the description is gone' : 'another description']),
    ...(before.picture === undefined
      ? []
      : [group.picture === null ? 'the picture is gone' : 'another picture']),
    ...settings,
    ...(before.invite_url === undefined ? [] : ['another invitation']),
    ...(before.metadata === undefined ? [] : ['other metadata']),
  ];
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function whatHappened({ type, data }: EventObject, names: Names): string {
  const group = data['object'] as Group | undefined;
  if (type === 'group.created') return 'The group was made';
  if (type === 'group.joined') return 'Your account came in';
  if (type === 'group.left') {
    const why = (data['why'] ?? 'left') as Group['membership'];
    return why === 'destroyed'
      ? 'The group was closed'
      : `Your account ${why === 'left' ? 'left' : `was ${membershipWord(why)}`}`;
  }
  if (type === 'group.participants_changed') {
    const changes = (data['changes'] ?? []) as Change[];
    const said = changes.slice(0, NAMED).map((change) => changeWord(change, names));
    const more = changes.length - said.length;
    return [...said, ...(more > 0 ? [`${more} more`] : [])].join(', ') || 'Participants changed';
  }
  const said = group ? updates(group, data['previous_attributes'] ?? {}) : [];
  return sentence(said.join('; ')) || 'Something of it changed';
}
