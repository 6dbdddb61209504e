/** What is said of groups, and what an account may do in one. */
import type { Group, GroupParticipant, Instance } from '../../api/types.ts';
import { takesMessages } from '../chats/draft.ts';

const count = new Intl.NumberFormat('en');

export const participantsWord = (number: number): string =>
  number === 1 ? '1 participant' : `${count.format(number)} participants`;

/** Characters of a name inside a sentence; a channel may hold names of thousands. */
const MAX_NAME = 60;
export const shortName = (name: string): string =>
  name.length > MAX_NAME ? `${name.slice(0, MAX_NAME).toWellFormed()}…` : name;

export const participantName = ({ name, address }: GroupParticipant): string => name ?? address;

export const MEMBERSHIPS = ['joined', 'left', 'removed', 'banned', 'destroyed'] as const;

const MEMBERSHIP_WORDS: Record<Group['membership'], string> = {
  joined: 'in it',
  left: 'left',
  removed: 'removed',
  banned: 'banned',
  destroyed: 'closed',
};
export const membershipWord = (membership: Group['membership']): string => MEMBERSHIP_WORDS[membership];

const OUT: Record<Exclude<Group['membership'], 'joined'>, string> = {
  left: 'Your account left this group.',
  removed: 'Your account was removed from this group.',
  banned: 'Your account is banned from this group.',
  destroyed: 'This group was closed at the channel.',
};

/** Why nothing can be done in it; null where the account is in it. */
const outOf = ({ membership }: Group): string | null => (membership === 'joined' ? null : OUT[membership]);

/** Whether the account may do what only owners and admins may. Where its role is not known, the channel says. */
export const mayManage = ({ role }: Group): boolean => role !== 'member';

/** Why nothing can be written; null where it can be. */
export function silenceOf(group: Group): string | null {
  const out = outOf(group);
  if (out !== null) return `${out} Nothing can be sent to it.`;
  return group.settings.announce_only && !mayManage(group)
    ? 'Only owners and admins write in this group.'
    : null;
}

/** Why the channel can't be asked for anything about it; null where it can. */
export function getBlock(group: Group, instance: Instance | undefined, writes: boolean): string | null {
  if (!writes) return 'Your role may read groups, not change them.';
  const out = outOf(group);
  if (out !== null) return `${out} What is shown is what was known last.`;
  if (instance && !takesMessages(instance))
    return `Nothing can be changed until ${instance.name} is connected.`;
  return null;
}

/** The same for what only owners and admins may do. */
export const managementBlock = (
  group: Group,
  instance: Instance | undefined,
  writes: boolean,
): string | null =>
  getBlock(group, instance, writes) ??
  (mayManage(group) ? null : 'Only owners and admins of the group may change this.');

export const canGroups = (instance: Instance): boolean => instance.capabilities.operations.includes('groups');

type SettingName = keyof Group['settings'];

interface GroupSetting {
  name: SettingName;
  /** What the channel must be able to do for it. */
  operation: `group_${SettingName}`;
  label: string;
  description: string;
}

const GROUP_SETTINGS: readonly GroupSetting[] = [
  {
    name: 'announce_only',
    operation: 'group_announce_only',
    label: 'Announcements only',
    description: 'Only owners and admins write.',
  },
  {
    name: 'locked',
    operation: 'group_locked',
    label: 'Locked',
    description: 'Only owners and admins change subject, description and picture.',
  },
  {
    name: 'members_only',
    operation: 'group_members_only',
    label: 'Members only',
    description: 'Nobody comes in uninvited.',
  },
];

/** Those that a channel has. */
export const settingsOf = (instance: Instance | undefined): GroupSetting[] =>
  GROUP_SETTINGS.filter(({ operation }) => instance?.capabilities.operations.includes(operation));
