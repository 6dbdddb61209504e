/**
 * Operations on instances, except connecting (desired-state.service.ts). Credentials only exist in clear within a call
 * and in the connection that uses them.
 *
 * Lock order: the instance's row, its connection's, its queue's.
 */
import { isDeepStrictEqual } from 'node:util';
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import { brokenConstraint } from '../../../platform/db/database.ts';
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../../platform/http/etag.ts';
import { type List, toList, type Page } from '../../../platform/http/pagination.ts';
import { notFound, Problem } from '../../../platform/http/problem.ts';
import type { Json } from '../../../channels/contract/json.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import { deleteConnection, insertConnection } from './desired-state.store.ts';
import {
  type CreateInstanceBody,
  DEFAULT_QUEUE_TTL_SECONDS,
  type InstanceObject,
  type UpdateInstanceBody,
} from './instance.schema.ts';
import * as store from './instance.store.ts';
import { changeInstance, showInstance, writeInstanceEvent } from './instance-change.ts';
import {
  type AssertEndpointsAllowed,
  assertAsTheChannelTakes,
  assertGivenAgain,
  getDriver,
  movedHosts,
  getOwnAddress,
  requireDriver,
} from './instance-input.ts';
import { presentInstance } from './instance-present.ts';
import { openCredentials, sealCredentials } from './instance-secrets.ts';
import { reopen } from './desired-state.service.ts';
import { deleteToken } from './ingress-token.store.ts';
import { generateIngressToken, storeIngressToken } from './ingress-token.ts';

export interface InstanceServiceDeps {
  drivers: Drivers;
  secrets: SecretBox;
  /** Notifies the holders of connections after the commit; only a hint. */
  connectionsChanged: (instanceIds: readonly string[]) => void;
}

export const withVersion = async (
  unit: ReadUnit,
  drivers: Drivers,
  row: store.InstanceRow,
): Promise<WithVersion<{ instance: InstanceObject }>> => ({
  instance: await showInstance(unit, drivers, row),
  version: row.version,
});

/** @throws Problem not_found */
export async function lockInstance(unit: Unit, workspaceId: string, id: string): Promise<store.InstanceRow> {
  const row = await store.lockInstance(unit.db, workspaceId, id);
  if (!row) throw notFound('instance');
  return row;
}

export async function listInstances(
  unit: ReadUnit,
  drivers: Drivers,
  workspaceId: string,
  page: Page,
  filter: store.InstanceFilter,
): Promise<List<InstanceObject>> {
  const rows = await store.listInstances(unit.db, workspaceId, page, filter);
  const queues = await store.getQueues(
    unit.db,
    workspaceId,
    rows.map(({ id }) => id),
  );
  return toList(
    rows,
    page,
    ({ id }) => id,
    (row) => presentInstance(row, drivers, queues.get(row.id) ?? store.EMPTY_QUEUE),
  );
}

/** @throws Problem not_found */
export async function getInstance(
  unit: ReadUnit,
  drivers: Drivers,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ instance: InstanceObject }>> {
  const row = await store.getInstance(unit.db, workspaceId, id);
  if (!row) throw notFound('instance');
  return withVersion(unit, drivers, row);
}

/** An account can only have one instance: two would take each other's messages. */
const addressTaken =
  (channel: string, address: string | null | undefined) =>
  (error: unknown): never => {
    if (brokenConstraint(error) !== 'instances_address') throw error;
    throw new Problem(
      'conflict',
      `Another instance of this workspace already has the account "${address ?? ''}". Use it, or choose another account. GET /instances?channel=${channel} lists the instances of the channel.`,
    );
  };

/** Creates an instance. `POST …/connect` connects it. @throws Problem invalid_request, unprocessable, conflict */
export async function createInstance(
  unit: Unit,
  { drivers, secrets }: InstanceServiceDeps,
  actor: WorkspaceActor,
  body: CreateInstanceBody,
): Promise<WithVersion<{ instance: InstanceObject }>> {
  const { workspaceId } = actor;
  const driver = requireDriver(drivers, body.channel);
  const { settings = {}, credentials = {} } = body;
  assertAsTheChannelTakes(driver, { settings, credentials });
  const name = body.name.trim();
  const input = { name, settings: settings as Json, credentials: credentials as Json };
  const id = unit.newUuid();
  const address = getOwnAddress(driver, input);
  const row = await store
    .insertInstance(unit.db, workspaceId, {
      id,
      name,
      channel: driver.channel,
      address,
      settings,
      credentials_sealed: sealCredentials(secrets, { workspace_id: workspaceId, id }, input.credentials),
      ingress_token: generateIngressToken(driver),
      queue_ttl_seconds: body.queue_ttl_seconds ?? DEFAULT_QUEUE_TTL_SECONDS,
      resend_unknown: body.resend_unknown ?? false,
      metadata: body.metadata ?? {},
      created_by: actor.id,
      created_at: unit.clock(),
    })
    .catch(addressTaken(driver.channel, address));
  await insertConnection(unit.db, workspaceId, id);
  await storeIngressToken(unit.db, workspaceId, driver, row);
  const made = await withVersion(unit, drivers, row);
  await writeInstanceEvent(unit, workspaceId, 'instance.created', made.instance);
  return made;
}

export interface HostsDeps {
  drivers: Drivers;
  assertEndpointsAllowed: AssertEndpointsAllowed;
}

/**
 * Checks that the hosts in an instance's settings may be connected to. Other errors are reported within the
 * transaction.
 * @throws Problem invalid_request, address_not_allowed
 */
export async function assertHostsAllowed(
  unit: ReadUnit,
  { drivers, assertEndpointsAllowed }: HostsDeps,
  workspaceId: string,
  id: string,
  body: UpdateInstanceBody,
): Promise<void> {
  const row = await store.getInstance(unit.db, workspaceId, id);
  const driver = row && drivers.get(row.channel);
  if (!driver || body.settings === undefined) return;
  assertAsTheChannelTakes(driver, body);
  await assertEndpointsAllowed(driver, body.settings as Json);
}

/** Returns the new settings and credentials if a body changes the connection, otherwise null. */
function connectionChange(
  { drivers, secrets }: InstanceServiceDeps,
  row: store.InstanceRow,
  body: UpdateInstanceBody,
  name: string,
): store.InstanceChange | null {
  if (body.settings === undefined && body.credentials === undefined && name === row.name) return null;
  const driver = getDriver(drivers, row.channel);
  assertAsTheChannelTakes(driver, body);
  const before = row.settings as Json;
  const settings = (body.settings ?? row.settings) as Json;
  const known = openCredentials(secrets, row);
  if (body.credentials === undefined) assertGivenAgain(movedHosts(driver, before, settings), known);
  const credentials = (body.credentials ?? known) as Json;
  const address = getOwnAddress(driver, { name, settings, credentials });
  const isSame =
    isDeepStrictEqual(settings, before) &&
    isDeepStrictEqual(credentials, known) &&
    (address === null || address === row.address);
  if (isSame) return null;
  return {
    // Data that the channel reported about the previous account does not apply to another one.
    ...(address === row.address ? {} : { address: address ?? (body.credentials ? null : row.address) }),
    ...(body.settings ? { settings: body.settings } : {}),
    ...(body.credentials ? { credentials_sealed: sealCredentials(secrets, row, credentials) } : {}),
  };
}

/**
 * Updates an instance; omitted fields stay unchanged. A change of settings, credentials or the account's address
 * reopens the connection if it is wanted.
 * @throws Problem not_found, precondition_failed, invalid_request, unprocessable, conflict
 */
export async function updateInstance(
  unit: Unit,
  deps: InstanceServiceDeps,
  actor: WorkspaceActor,
  id: string,
  body: UpdateInstanceBody,
  ifMatch: IfMatch,
): Promise<WithVersion<{ instance: InstanceObject }>> {
  const row = await lockInstance(unit, actor.workspaceId, id);
  assertMatches(ifMatch, row, 'instance');
  const name = body.name?.trim() ?? row.name;
  const ofConnection = connectionChange(deps, row, body, name);
  const change = {
    ...ofConnection,
    ...(name === row.name ? {} : { name }),
    ...(body.queue_ttl_seconds === undefined ? {} : { queue_ttl_seconds: body.queue_ttl_seconds }),
    ...(body.resend_unknown === undefined ? {} : { resend_unknown: body.resend_unknown }),
    ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
  };
  if (!Object.keys(change).length) return withVersion(unit, deps.drivers, row);
  const changed = await changeInstance(unit, deps.drivers, row, {
    ...change,
    updated_at: unit.clock(),
  }).catch(addressTaken(row.channel, ofConnection?.address));
  if (ofConnection?.settings)
    await storeIngressToken(unit.db, actor.workspaceId, getDriver(deps.drivers, row.channel), changed);
  const isWanted = ofConnection !== null && row.desired_state === 'connected';
  const after = isWanted ? await reopen(unit, deps, changed, 'changed') : changed;
  return withVersion(unit, deps.drivers, after);
}

/**
 * Deletes an instance: its connection is closed, and nothing is sent or received any more. The job `instances.erase`
 * deletes messages, chats and the rest.
 * @throws Problem not_found, precondition_failed
 */
export async function deleteInstance(
  unit: Unit,
  { drivers, connectionsChanged }: InstanceServiceDeps,
  workspaceId: string,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  const row = await lockInstance(unit, workspaceId, id);
  assertMatches(ifMatch, row, 'instance');
  const instance = await showInstance(unit, drivers, row);
  await deleteConnection(unit.db, workspaceId, id);
  await deleteToken(unit.db, workspaceId, id);
  await store.deleteInstance(unit.db, workspaceId, id);
  await unit.jobs.enqueue(unit.db, 'instances.erase', { workspaceId, instanceId: id });
  await writeInstanceEvent(unit, workspaceId, 'instance.deleted', instance);
  unit.afterCommit(() => connectionsChanged([id]));
}
