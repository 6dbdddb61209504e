/** A sandbox group, and the signals to its members when it changes. */
import type { GroupAbout, GroupInfo, GroupRole, GroupSettings } from '../../contract/connection.ts';
import type { GroupParticipantChange, GroupSignal } from '../../contract/signal.ts';
import type { StoredGroup } from './sandbox-signal.ts';
import { toGroupAddress, getInviteUrl } from './group-address.ts';

export interface Member {
  address: string;
  role: GroupRole;
  name: string;
  /** null for a scripted contact. */
  instanceId: string | null;
}

export interface Group {
  readonly id: string;
  subject: string;
  description: string | null;
  settings: GroupSettings;
  /** The secret of its invitation. */
  invite: string;
  pictureSha256: string | null;
  /** By address, in order of joining. */
  members: Map<string, Member>;
  banned: Set<string>;
}

type Gone = NonNullable<GroupParticipantChange['gone']>;

/** A group while it is being changed. */
export interface Draft extends Group {
  /** Why members left. */
  gone: Map<string, Gone>;
  /** The new picture, null to remove it, undefined to keep it. */
  picture?: Buffer | null;
  isDestroyed: boolean;
}

export const getDraft = (group: Group): Draft => ({
  ...group,
  settings: { ...group.settings },
  members: new Map([...group.members].map(([address, member]) => [address, { ...member }])),
  banned: new Set(group.banned),
  gone: new Map(),
  isDestroyed: false,
});

/** Describes the group without its picture, which is streamed separately. */
export const describe = (group: Group): Omit<GroupAbout, 'picture'> => ({
  subject: group.subject,
  description: group.description,
  settings: { ...group.settings },
  inviteUrl: getInviteUrl(group.id, group.invite),
});

export const getParticipants = ({ members }: Group): GroupInfo['participants'] =>
  [...members.values()].map(({ address, role, name }) => ({ address, role, name }));

const storedPicture = ({ id, pictureSha256 }: Group) =>
  pictureSha256 === null ? null : ({ from: 'group', id } as const);

/** Returns the chat that all members share. */
export const groupChat = ({ id, subject }: Group) => {
  const address = toGroupAddress(id);
  return { kind: 'group' as const, key: address, address, title: subject };
};

function aboutChanges(before: Group, after: Group): StoredGroup['about'] | undefined {
  const was = describe(before);
  const is = describe(after);
  const changed = Object.entries(is).filter(
    ([name, value]) => JSON.stringify(was[name as keyof typeof was]) !== JSON.stringify(value),
  );
  const about: NonNullable<StoredGroup['about']> = Object.fromEntries(changed);
  if (before.pictureSha256 !== after.pictureSha256) about.picture = storedPicture(after);
  return Object.keys(about).length ? about : undefined;
}

function participantChanges(before: Group, after: Draft): GroupParticipantChange[] {
  const changes: GroupParticipantChange[] = [];
  for (const [address, { role, name }] of after.members)
    if (before.members.get(address)?.role !== role) changes.push({ address, role, name });
  for (const [address, { name }] of before.members)
    if (!after.members.has(address))
      changes.push({ address, role: null, name, gone: after.gone.get(address) ?? 'removed' });
  return changes;
}

export interface MemberSignal {
  instanceId: string;
  signal: StoredGroup;
}

/** Builds the complete signal for a new member. */
export const joinedSignal = (group: Group, by: string | null, at: Date): StoredGroup => ({
  ...getBase(group, by, at),
  membership: 'joined',
  about: { ...describe(group), picture: storedPicture(group) },
  participants: { all: getParticipants(group) },
});

const getBase = ({ id }: Group, by: string | null, at: Date) => ({
  kind: 'group' as const,
  key: toGroupAddress(id),
  address: toGroupAddress(id),
  by,
  at,
});

const WHY_GONE: Record<Gone, NonNullable<GroupSignal['membership']>> = {
  left: 'left',
  removed: 'removed',
  banned: 'banned',
};

/**
 * Builds the signals about a change for all accounts among the members. The actor gets one too: earlier signals from
 * others may still be in transit, and the last one must win.
 */
export function toSignals(before: Group, after: Draft, by: string, at: Date): MemberSignal[] {
  const base = getBase(after, by, at);
  const about = aboutChanges(before, after);
  const changed = participantChanges(before, after);
  const delivered: MemberSignal[] = [];
  for (const { address, instanceId } of before.members.values()) {
    if (instanceId === null) continue;
    if (after.isDestroyed) delivered.push({ instanceId, signal: { ...base, membership: 'destroyed' } });
    else if (!after.members.has(address))
      delivered.push({
        instanceId,
        signal: { ...base, membership: WHY_GONE[after.gone.get(address) ?? 'removed'] },
      });
    else if (about || changed.length)
      delivered.push({
        instanceId,
        signal: {
          ...base,
          ...(about ? { about } : {}),
          ...(changed.length ? { participants: { changed } } : {}),
        },
      });
  }
  if (!after.isDestroyed)
    for (const { address, instanceId } of after.members.values())
      if (instanceId !== null && !before.members.has(address))
        delivered.push({ instanceId, signal: joinedSignal(after, by, at) });
  return delivered;
}
