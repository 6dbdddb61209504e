/** Values used in both the database and the API. */
import type { GroupRole } from '../../../channels/contract/connection.ts';
import type { GroupMembership } from '../../../channels/contract/signal.ts';

/** In the order in which participants are shown. */
export const GROUP_ROLES = ['owner', 'admin', 'member'] as const satisfies readonly GroupRole[];

export const MEMBERSHIPS = [
  'joined',
  'left',
  'removed',
  'banned',
  'destroyed',
] as const satisfies readonly GroupMembership[];
