/** What is done about a group behind a dialog. */
import type { Group, GroupParticipant, Instance } from '../../api/types.ts';

/** What is done with one participant. */
export type Action = 'promote' | 'demote' | 'remove' | 'ban';

export type GroupAction =
  | { kind: 'edit' | 'refresh' | 'leave' | 'revoke' | 'add' | 'unban' }
  | { kind: Action; participant: GroupParticipant };

/** What each part of the page gets. */
export interface GroupPart {
  group: Group;
  /** Undefined while it is not known. */
  instance: Instance | undefined;
  onAction: (action: GroupAction) => void;
}

/** What the account may do with somebody; the channel has the last word. */
export function actionsFor(
  { address, role }: GroupParticipant,
  group: Group,
  instance: Instance | undefined,
): Action[] {
  // One's own place is left by leaving, and owners are those of owners.
  if (address === instance?.address || group.role === 'member') return [];
  if (role === 'owner' && group.role === 'admin') return [];
  const bans = instance?.capabilities.operations.includes('group_ban') ?? false;
  return [role === 'member' ? 'promote' : 'demote', 'remove', ...(bans ? (['ban'] as const) : [])];
}
