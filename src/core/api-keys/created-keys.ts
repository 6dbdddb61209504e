/**
 * API keys as objects that a key or member created. Disabling one revokes it; the objects that it created are in the
 * same list.
 */
import { sql } from 'kysely';
import type { CreatedKind } from '../created-objects/created-kind.ts';
import { endKey } from './api-key.service.ts';
import { lockApiKey, scopesOfKeys } from './api-key.store.ts';
import { assertHasScopes } from './grant.ts';

export const createdKeys: CreatedKind = {
  type: 'api_key',
  scopes: { read: 'api_keys:read', write: 'api_keys:write' },
  table: 'api_keys',
  name: sql<string>`name`,
  isEnabled: sql<boolean>`revoked_at is null and (expires_at is null or expires_at > now())`,
  async assertMayDisable(unit, actor, ids) {
    assertHasScopes(actor, await scopesOfKeys(unit.db, actor.workspaceId, ids));
  },
  disabledEvent: 'api_key.revoked',
  async disable(unit, workspaceId, id) {
    const row = await lockApiKey(unit.db, workspaceId, id);
    if (row && !row.revoked_at) await endKey(unit, row);
  },
};
