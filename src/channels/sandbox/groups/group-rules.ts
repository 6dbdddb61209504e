/** Who may do what in a group of the sandbox. Pure: what is allowed is done to the draft. */
import type { ParticipantAction, ParticipantOutcome } from '../../contract/connection.ts';
import { DriverError } from '../../contract/driver-error.ts';
import { nameOfAddress } from '../sandbox-address.ts';
import { findFault } from '../sandbox-faults.ts';
import { isGroupAddress } from './group-address.ts';
import type { Draft, Group, Member } from './group.ts';
import { MAX_MEMBERS } from './group-limits.ts';

export type Refusal = NonNullable<ParticipantOutcome['error']>;
/** Accounts among addresses. */
export type Accounts = ReadonlyMap<string, { instanceId: string; name: string }>;

const refusal = (code: string, detail: string): Refusal => ({ code, detail });
const rejected = (code: string, detail: string): DriverError => new DriverError('rejected', code, detail);

export const groupUnknown = (): DriverError =>
  rejected('group_unknown', 'The sandbox knows no such group of this account.');
export const notAllowed = (): DriverError =>
  rejected('not_allowed', 'Only owners and admins of the group may do that.');

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

export function takeOut(draft: Draft, address: string, why: 'left' | 'removed' | 'banned'): void {
  if (draft.members.delete(address)) draft.gone.set(address, why);
}

/** Somebody always owns it: the longest-standing admin, else the longest-standing member. */
export function passOwnershipOn({ members }: Draft): void {
  const all = [...members.values()];
  if (all.some(isOwner)) return;
  const heir = all.find(isAdmin) ?? all[0];
  if (heir) heir.role = 'owner';
}

/** @returns why somebody can't come in; null: is in it by now */
export function letIn(draft: Draft, address: string, accounts: Accounts): Refusal | null {
  if (draft.members.has(address)) return null;
  if (isGroupAddress(address) || findFault(address) === 'fail')
    return refusal('recipient_unknown', `There is nobody at ${address} in the sandbox.`);
  if (draft.banned.has(address)) return refusal('banned', `${address} is banned from the group.`);
  if (draft.members.size >= MAX_MEMBERS)
    return refusal('group_full', `A group of the sandbox has at most ${MAX_MEMBERS} members.`);
  const account = accounts.get(address);
  draft.members.set(address, {
    address,
    role: 'member',
    name: account?.name ?? nameOfAddress(address),
    instanceId: account?.instanceId ?? null,
  });
  return null;
}

/** Nobody but an owner touches an owner; somebody owns it always. */
function cannotTouch(draft: Draft, actor: Member, target: Member): Refusal | null {
  if (isOwner(target) && !isOwner(actor))
    return refusal('not_allowed', 'Only an owner may do that to an owner.');
  if (isLastOwner(draft, target)) return refusal('last_owner', 'A group has an owner always.');
  return null;
}

/**
 * Does to one what an admin asked for; what is so already is no fault.
 * @param actor an owner or admin
 */
export function changeParticipant(
  draft: Draft,
  actor: Member,
  action: ParticipantAction,
  address: string,
  accounts: Accounts,
): Refusal | null {
  const target = draft.members.get(address);
  if (action === 'add') return letIn(draft, address, accounts);
  if (action === 'unban') {
    draft.banned.delete(address);
    return null;
  }
  if (!target) {
    if (action === 'ban') draft.banned.add(address);
    return action === 'ban' || action === 'remove'
      ? null
      : refusal('not_a_participant', `${address} is not in the group.`);
  }
  if (action === 'promote') {
    if (!isAdmin(target)) target.role = 'admin';
    return null;
  }
  if (action === 'demote' && !isAdmin(target)) return null;
  const refused = cannotTouch(draft, actor, target);
  if (refused) return refused;
  if (action === 'demote') target.role = 'member';
  else takeOut(draft, address, action === 'ban' ? 'banned' : 'removed');
  if (action === 'ban') draft.banned.add(address);
  return null;
}
