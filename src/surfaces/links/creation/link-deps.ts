/** Dependencies of creating and updating short links. */
import type { PasswordHasher } from '../../../core/auth/identity/password-hash.ts';
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import type { UrlRules } from '../addresses/link-url.ts';
import type { GetPerson } from '../../../core/auth/person-lookup.ts';
import type { Quotas } from '../../../core/workspaces/quota.ts';

export interface LinkDeps {
  units: Units;
  quotas: Quotas;
  baseUrl: string;
  urlRules: UrlRules;
  hasher: Pick<PasswordHasher, 'hash'>;
  getPerson: GetPerson;
  /** Schedules the deletion of the links' click data, in the transaction that deletes the links. */
  linksDeleted: (unit: Unit, workspaceId: string, linkIds: readonly string[]) => Promise<void>;
}
