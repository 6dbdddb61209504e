/** Handles instances that a key or member created. Disabling one disconnects it; its account stays unchanged. */
import { sql } from 'kysely';
import type { CreatedKind } from '../../../core/created-objects/created-kind.ts';
import { disconnect, type DesiredStateDeps } from './desired-state.service.ts';
import { lockInstance } from './instance.store.ts';

export const createdInstances = (deps: DesiredStateDeps): CreatedKind => ({
  type: 'instance',
  scopes: { read: 'instances:read', write: 'instances:write' },
  table: 'instances',
  name: sql<string>`name`,
  isEnabled: sql<boolean>`desired_state = 'connected'`,
  disabledEvent: 'instance.state_changed',
  async disable(unit, workspaceId, id, reason) {
    const row = await lockInstance(unit.db, workspaceId, id);
    if (row) await disconnect(unit, deps, row, false, reason);
  },
});
