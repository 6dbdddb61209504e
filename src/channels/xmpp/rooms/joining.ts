/** Converts errors of rooms, on joining and on sending, to driver errors. */
import type { Element } from '@xmpp/xml';
import { DriverError } from '../../contract/driver-error.ts';
import type { GroupMembership } from '../../contract/signal.ts';
import { stanzaCondition, toStanzaError } from '../wire/errors.ts';

const JOIN: Record<string, [code: string, detail: string]> = {
  'not-authorized': ['password_required', 'The group password is missing or incorrect.'],
  'registration-required': ['members_only', 'The group is open to members only.'],
  forbidden: ['banned', 'The account is banned from the group.'],
  'item-not-found': ['group_not_found', 'The group does not exist.'],
  gone: ['group_not_found', 'The group no longer exists.'],
  'not-allowed': ['not_allowed', 'The server does not allow this account to create groups.'],
  'service-unavailable': ['group_full', 'The group is full, or the server does not support groups.'],
  'jid-malformed': ['invalid_nick', 'The group does not accept the nickname of the account.'],
};

/** @param answer a presence with type `error` */
export function joinFault(answer: Element): DriverError {
  const condition = stanzaCondition(answer);
  const known = Object.hasOwn(JOIN, condition) ? JOIN[condition] : undefined;
  const fault = toStanzaError(answer);
  return known && fault.kind === 'rejected' ? new DriverError('rejected', ...known) : fault;
}

/**
 * Returns the membership that a rejection implies for a room that the account was in; null if it may be entered later.
 */
export function endedBy(fault: DriverError): GroupMembership | null {
  if (fault.kind !== 'rejected') return null;
  if (fault.code === 'banned') return 'banned';
  if (fault.code === 'members_only' || fault.code === 'password_required') return 'removed';
  if (['group_not_found', 'item_not_found', 'gone', 'not_a_group'].includes(fault.code)) return 'destroyed';
  return null;
}

/** @param answer a message with type `error` that responds to a message to the room */
export function writeFault(answer: Element): DriverError {
  const condition = stanzaCondition(answer);
  if (condition === 'forbidden')
    return new DriverError(
      'rejected',
      'no_voice',
      'The account is not allowed to send messages to this group.',
    );
  return toStanzaError(answer);
}

/** Whether the condition means that the account isn't in the room (XEP-0410). */
export const saysNotIn = (condition: string): boolean =>
  ['not-acceptable', 'item-not-found'].includes(condition);

export const groupNotFound = (): DriverError =>
  new DriverError('rejected', 'group_not_found', 'The group does not exist.');
export const notIn = (): DriverError =>
  new DriverError('rejected', 'not_in_group', 'The account is not in this group.');
export const unreachable = (): DriverError =>
  new DriverError('busy', 'group_unreachable', 'The group is temporarily unavailable.', {
    retryAfterMs: 15_000,
  });
