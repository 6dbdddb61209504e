/**
 * Sets the desired state of an instance's connection. Never talks to a channel: the desired state is stored, and the
 * holders of connections apply it. `state` immediately shows what the user can rely on: `disconnected` sends nothing
 * more.
 */
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import type { Json } from '../../../channels/contract/json.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import * as desiredStates from './desired-state.store.ts';
import type { InstanceRow } from './instance.store.ts';
import { changeInstance, moveInstance } from './instance-change.ts';
import { getDriver } from './instance-input.ts';
import { openCredentials, sealCredentials, sealPairing } from './instance-secrets.ts';

export interface DesiredStateDeps {
  drivers: Drivers;
  secrets: SecretBox;
  /** Notifies the holders of connections after the commit; only a hint. */
  connectionsChanged: (instanceIds: readonly string[]) => void;
}

/** @param row the locked row. @returns the row afterwards */
export type SetDesiredState = (unit: Unit, deps: DesiredStateDeps, row: InstanceRow) => Promise<InstanceRow>;

const NO_RESTRICTION = { restriction_kind: null, restriction_until: null };

/** Returns the columns that are reset when a connection ends. */
const ended = ({ secrets }: DesiredStateDeps, row: InstanceRow) => ({
  ...NO_RESTRICTION,
  ...sealPairing(secrets, row, null),
});

/** Keeps the user's credentials; those from pairing end with their session. */
function forgetSession({ drivers, secrets }: DesiredStateDeps, row: InstanceRow) {
  const { properties } = getDriver(drivers, row.channel).credentials;
  const known = openCredentials(secrets, row) as { [name: string]: Json };
  const given = Object.fromEntries(Object.entries(known).filter(([name]) => Object.hasOwn(properties, name)));
  return { credentials_sealed: sealCredentials(secrets, row, given) };
}

/**
 * Opens the connection, or closes and reopens it.
 * @param row the locked row. @param reason `user`, `restarted` or `changed`. @throws Problem conflict without such a
 * channel
 */
export async function reopen(
  unit: Unit,
  deps: DesiredStateDeps,
  row: InstanceRow,
  reason: string,
): Promise<InstanceRow> {
  getDriver(deps.drivers, row.channel);
  const { workspace_id: workspaceId, id } = row;
  await desiredStates.setDesiredConnection(unit.db, workspaceId, id);
  unit.afterCommit(() => deps.connectionsChanged([id]));
  const change = { ...ended(deps, row), desired_state: 'connected' };
  return moveInstance(unit, deps.drivers, row, 'connecting', reason, change);
}

/**
 * Opens the connection. If it is already wanted, it only skips the delay before its next attempt.
 * @param row the locked row
 */
export async function connect(unit: Unit, deps: DesiredStateDeps, row: InstanceRow): Promise<InstanceRow> {
  if (row.desired_state === 'disconnected' || row.state === 'failed') return reopen(unit, deps, row, 'user');
  await desiredStates.hurryConnection(unit.db, row.workspace_id, row.id);
  unit.afterCommit(() => deps.connectionsChanged([row.id]));
  return row;
}

/** @param row the locked row @param reason why, as `state_reason` */
export async function disconnect(
  unit: Unit,
  deps: DesiredStateDeps,
  row: InstanceRow,
  logsOut = false,
  reason = logsOut ? 'logged_out' : 'user',
): Promise<InstanceRow> {
  const { workspace_id: workspaceId, id } = row;
  const isOver = row.desired_state === 'disconnected';
  if (isOver && !logsOut) return row;
  const session = {
    credentialsSealed: row.credentials_sealed,
    maybeOpen: row.connected_at !== null && row.state_reason !== 'logged_out',
  };
  await desiredStates.clearDesiredConnection(unit.db, workspaceId, id, logsOut ? session : null);
  unit.afterCommit(() => deps.connectionsChanged([id]));
  const change = {
    ...ended(deps, row),
    ...(logsOut ? forgetSession(deps, row) : {}),
    desired_state: 'disconnected',
  };
  if (row.state === 'created') return changeInstance(unit, deps.drivers, row, change);
  return moveInstance(unit, deps.drivers, row, 'disconnected', reason, change);
}
