/** Names of the roles, and which of them a user can grant. */
import type { Member } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { Role } from '../../api/types.ts';

const RANKS: Record<Role, number> = { viewer: 0, developer: 1, admin: 2, owner: 3 };

export const ROLE_NAMES: Record<Role, string> = {
  viewer: t('Viewer'),
  developer: t('Developer'),
  admin: t('Admin'),
  owner: t('Owner'),
};

/** Returns whether a user with the role `mine` can grant `role`: no role above their own. */
export const mayGrant = (mine: Role | null, role: Role): boolean =>
  mine !== null && RANKS[role] <= RANKS[mine];

export const memberName = ({ name, email }: Pick<Member, 'name' | 'email'>): string =>
  name ?? email ?? t('Deleted account');
