/** Which roles somebody may give: none higher than their own. */
import type { Role } from '../../api/types.ts';

const RANKS: Record<Role, number> = { viewer: 0, developer: 1, admin: 2, owner: 3 };

export const mayGive = (mine: Role | null, role: Role): boolean =>
  mine !== null && RANKS[role] <= RANKS[mine];
