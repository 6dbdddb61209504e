/** What everything that makes or changes short links is given. */
import type { PasswordHasher } from '../../core/auth/identity/password-hash.ts';
import type { Unit, Units } from '../../core/unit-of-work.ts';
import type { UrlRules } from './link-url.ts';
import type { Quotas } from '../../core/workspaces/quota.ts';

export interface LinkDeps {
  units: Units;
  quotas: Quotas;
  baseUrl: string;
  urlRules: UrlRules;
  hasher: PasswordHasher;
  /** Sees to what is kept of the clicks of links that are deleted, in the transaction that does so. */
  linksDeleted: (unit: Unit, workspaceId: string, linkIds: readonly string[]) => Promise<void>;
}
