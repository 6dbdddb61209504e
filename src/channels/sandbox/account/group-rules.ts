/** Permissions in sandbox groups. Pure: permitted changes are applied to the draft. */
import type { ParticipantAction, ParticipantOutcome } from '../../contract/connection.ts';
import { DriverError } from '../../contract/driver-error.ts';
import { toName } from './sandbox-address.ts';
import { findFault } from './sandbox-faults.ts';
import { isGroupAddress } from './group-address.ts';
import type { Draft, Group, Member } from './group.ts';

export const MAX_MEMBERS = 256;

export type Rejection = NonNullable<ParticipantOutcome['error']>;
/** Accounts by address. */
export type Accounts = ReadonlyMap<string, { instanceId: string; name: string }>;

const reject = (code: string, detail: string): Rejection => ({ code, detail });
const rejected = (code: string, detail: string): DriverError => new DriverError('rejected', code, detail);

export const groupUnknown = (): DriverError =>
  rejected('group_unknown', 'The account is not in this sandbox group.');
export const notAllowed = (): DriverError =>
  rejected('not_allowed', 'Only owners and admins of the group can do this.');

/** @throws DriverError rejected: group_unknown */
export function getMember(group: Group, address: string): Member {
  const member = group.members.get(address);
  if (!member) throw groupUnknown();
  return member;
}

export const isAdmin = ({ role }: Member): boolean => role !== 'member';

/** @throws DriverError rejected: group_unknown, not_allowed */
export function getAdmin(group: Group, address: string): Member {
  const member = getMember(group, address);
  if (!isAdmin(member)) throw notAllowed();
  return member;
}

export const mayWrite = (group: Group, member: Member): boolean =>
  isAdmin(member) || !group.settings.announceOnly;
export const mayDescribe = (group: Group, member: Member): boolean =>
  isAdmin(member) || !group.settings.locked;

const isOwner = ({ role }: Member): boolean => role === 'owner';
const isLastOwner = (draft: Draft, member: Member): boolean =>
  isOwner(member) && [...draft.members.values()].filter(isOwner).length === 1;

export function removeMember(draft: Draft, address: string, why: 'left' | 'removed' | 'banned'): void {
  if (draft.members.delete(address)) draft.gone.set(address, why);
}

/** Ensures that the group has an owner: the longest-standing admin, else the longest-standing member. */
export function passOwnershipOn({ members }: Draft): void {
  const all = [...members.values()];
  if (all.some(isOwner)) return;
  const heir = all.find(isAdmin) ?? all[0];
  if (heir) heir.role = 'owner';
}

/** Adds a member. @returns why it cannot be added; null on success */
export function addMember(draft: Draft, address: string, accounts: Accounts): Rejection | null {
  if (draft.members.has(address)) return null;
  if (isGroupAddress(address) || findFault(address) === 'fail')
    return reject('recipient_unknown', `The sandbox has no recipient ${address}.`);
  if (draft.banned.has(address)) return reject('banned', `${address} is banned from the group.`);
  if (draft.members.size >= MAX_MEMBERS)
    return reject('group_full', `A sandbox group can have at most ${MAX_MEMBERS} members.`);
  const account = accounts.get(address);
  draft.members.set(address, {
    address,
    role: 'member',
    name: account?.name ?? toName(address),
    instanceId: account?.instanceId ?? null,
  });
  return null;
}

/** Returns why the actor cannot remove or demote the target. Only owners can do so to owners; one owner must remain. */
function findRejection(draft: Draft, actor: Member, target: Member): Rejection | null {
  if (isOwner(target) && !isOwner(actor))
    return reject('not_allowed', 'Only an owner can do this to an owner.');
  if (isLastOwner(draft, target)) return reject('last_owner', 'A group must have an owner.');
  return null;
}

/**
 * Applies an admin's action to one participant. An action without effect is not an error.
 * @param actor an owner or admin
 */
export function changeParticipant(
  draft: Draft,
  actor: Member,
  action: ParticipantAction,
  address: string,
  accounts: Accounts,
): Rejection | null {
  const target = draft.members.get(address);
  if (action === 'add') return addMember(draft, address, accounts);
  if (action === 'unban') {
    draft.banned.delete(address);
    return null;
  }
  if (!target) {
    if (action === 'ban') draft.banned.add(address);
    return action === 'ban' || action === 'remove'
      ? null
      : reject('not_a_participant', `${address} is not in the group.`);
  }
  if (action === 'promote') {
    if (!isAdmin(target)) target.role = 'admin';
    return null;
  }
  if (action === 'demote' && !isAdmin(target)) return null;
  const rejection = findRejection(draft, actor, target);
  if (rejection) return rejection;
  if (action === 'demote') target.role = 'member';
  else removeMember(draft, address, action === 'ban' ? 'banned' : 'removed');
  if (action === 'ban') draft.banned.add(address);
  return null;
}
