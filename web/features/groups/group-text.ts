/** Labels of groups, and what an instance can do in one. */
import { takesMessages } from '../../api/instances.ts';
import { plural, t } from '../../copy/text.ts';
import type { Group, GroupParticipant, Instance } from '../../api/types.ts';

export const participantsLabel = (count: number): string =>
  plural(count, { one: '{count} participant', other: '{count} participants' });

/** Length of a name inside a sentence. Channels can allow names of thousands of characters. */
const MAX_NAME = 60;
export const shortName = (name: string): string =>
  name.length > MAX_NAME ? `${name.slice(0, MAX_NAME).toWellFormed()}…` : name;

export const participantName = ({ name, address }: GroupParticipant): string => name ?? address;

export const MEMBERSHIPS = ['joined', 'left', 'removed', 'banned', 'destroyed'] as const;

const MEMBERSHIP_LABELS: Record<Group['membership'], string> = {
  joined: t('Joined'),
  left: t('Left'),
  removed: t('Removed'),
  banned: t('Banned'),
  destroyed: t('Closed'),
};
export const membershipLabel = (membership: Group['membership']): string => MEMBERSHIP_LABELS[membership];

const ROLE_LABELS: Record<GroupParticipant['role'], string> = {
  owner: t('Owner'),
  admin: t('Admin'),
  member: t('Member'),
};
export const roleLabel = (role: GroupParticipant['role']): string => ROLE_LABELS[role];

/** Returns the role of the instance in a group, or why it is no longer in it. */
export const standingLabel = ({ membership, role }: Group): string =>
  membership === 'joined' && role !== null ? roleLabel(role) : membershipLabel(membership);

const OUT: Record<Exclude<Group['membership'], 'joined'>, string> = {
  left: t('The instance left this group.'),
  removed: t('The instance was removed from this group.'),
  banned: t('The instance is banned from this group.'),
  destroyed: t('This group was closed.'),
};

/** Returns why the instance is not in a group, or null if it is. */
const getAbsence = ({ membership }: Group): string | null =>
  membership === 'joined' ? null : OUT[membership];

/** Whether the instance can do what only owners and admins can. With an unknown role, the channel decides. */
export const canManage = ({ role }: Group): boolean => role !== 'member';

/** Returns why messages can't be sent to a group, or null if they can. */
export function getSendBlock(group: Group): string | null {
  const absence = getAbsence(group);
  if (absence !== null) return `${absence} ${t("You can't send messages to it.")}`;
  return group.settings.announce_only && !canManage(group)
    ? t('Only owners and admins can send messages in this group.')
    : null;
}

/** Returns why a group can't be changed, or null if it can. */
export function getBlock(group: Group, instance: Instance | undefined, writes: boolean): string | null {
  if (!writes) return t('Your role can view groups but not change them.');
  const absence = getAbsence(group);
  if (absence !== null) return `${absence} ${t('This page shows the last known state.')}`;
  if (instance && !takesMessages(instance))
    return t('Connect {name} to make changes.', { name: instance.name });
  return null;
}

/** Returns why the things that only owners and admins can change are blocked, or null if they aren't. */
export const getManagementBlock = (
  group: Group,
  instance: Instance | undefined,
  writes: boolean,
): string | null =>
  getBlock(group, instance, writes) ??
  (canManage(group) ? null : t('Only group owners and admins can change this.'));

type SettingName = keyof Group['settings'];

interface GroupSetting {
  name: SettingName;
  /** The capability that it needs. */
  operation: `group_${SettingName}`;
  label: string;
  description: string;
}

const GROUP_SETTINGS: readonly GroupSetting[] = [
  {
    name: 'announce_only',
    operation: 'group_announce_only',
    label: t('Announcements only'),
    description: t('Only owners and admins can send messages.'),
  },
  {
    name: 'locked',
    operation: 'group_locked',
    label: t('Locked'),
    description: t('Only owners and admins can edit the name, description and picture.'),
  },
  {
    name: 'members_only',
    operation: 'group_members_only',
    label: t('Members only'),
    description: t('People can join only by invitation.'),
  },
];

/** Returns the settings that a channel supports. */
export const getSettings = (instance: Instance | undefined): GroupSetting[] =>
  GROUP_SETTINGS.filter(({ operation }) => instance?.capabilities.operations.includes(operation));
