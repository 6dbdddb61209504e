/** Updates, rotates and deletes endpoints. */
import { isDeepStrictEqual } from 'node:util';
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { changedFields } from '../../../core/unit/event-writer.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../../platform/http/etag.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { type FieldError, invalid, Problem } from '../../../platform/http/problem.ts';
import { getRateLimit } from '../../../core/api/rate-limit.schema.ts';
import { getRejection } from '../ports/refusal.ts';
import { toDefinition, isSameDefinition } from './endpoint-definition.ts';
import {
  assertForm,
  assertMayPublish,
  type AuthRead,
  type FormDeps,
  readAuthChange,
} from './endpoint-input.ts';
import { presentEndpoint } from './endpoint-present.ts';
import {
  validateSecret,
  generateEndpointSecret,
  openEndpointSecret,
  type Scheme,
  sealEndpointSecret,
} from './authentication/endpoint-secret.ts';
import { generateToken, hashToken, inUrl, getLast4 } from './authentication/endpoint-token.ts';
import * as store from './endpoint.store.ts';
import { endTokens, insertToken } from './in-token.store.ts';
import type {
  RotatePublishingEndpointBody,
  UpdatePublishingEndpointBody,
  PublishingEndpointObject,
} from './publishing-endpoint.schema.ts';
import {
  assertDestinations,
  instanceUuids,
  type PublishingEndpointDeps,
  lockEndpoint,
  readEndpoint,
  type ShownOnce,
  writeEndpointEvent,
  withVersion,
} from './publishing-endpoint.service.ts';

const DEFAULT_OVERLAP_SECONDS = 86_400;

const getAuth = (row: store.EndpointRow): AuthRead => ({ scheme: row.scheme, options: row.scheme_options });

/**
 * Validates an update. Waits for workers, so it must run before the transaction.
 * @throws Problem not_found, invalid_request, model_not_found
 */
export async function checkChange(
  unit: ReadUnit,
  deps: FormDeps,
  workspaceId: string,
  id: string,
  body: UpdatePublishingEndpointBody,
): Promise<void> {
  const row = await readEndpoint(unit, workspaceId, id);
  const fieldErrors: FieldError[] = [];
  if (body.auth) readAuthChange(body.auth, getAuth(row), fieldErrors);
  // Omitted fields were validated when they were set.
  await assertForm(deps, workspaceId, toDefinition(body), fieldErrors);
}

/**
 * Writes a change and emits its event.
 * @param before the locked row
 */
async function change(
  unit: Unit,
  deps: Pick<PublishingEndpointDeps, 'baseUrl'>,
  before: store.EndpointRow,
  changes: store.EndpointChange,
): Promise<WithVersion<{ endpoint: PublishingEndpointObject }>> {
  const { workspace_id: workspaceId } = before;
  const now = unit.clock();
  await store.updateEndpoint(unit.db, workspaceId, before, changes, now);
  const after = withVersion(deps, await readEndpoint(unit, workspaceId, before.id), now);
  const previous = changedFields(presentEndpoint(deps.baseUrl, before, now), after.endpoint);
  await writeEndpointEvent(unit, workspaceId, 'publishing_endpoint.updated', after.endpoint, previous);
  return after;
}

/**
 * Applies an auth update.
 * @throws Problem invalid_request, unprocessable if the secret does not fit the new scheme
 */
function authChange(
  { secrets }: PublishingEndpointDeps,
  row: store.EndpointRow,
  given: NonNullable<UpdatePublishingEndpointBody['auth']>,
): store.EndpointChange {
  const fieldErrors: FieldError[] = [];
  const { scheme, options } = readAuthChange(given, getAuth(row), fieldErrors);
  if (fieldErrors.length) throw invalid(fieldErrors);
  if (scheme === null) return {};
  const secret = openEndpointSecret(secrets, row, row.secret_sealed!);
  const fieldError = validateSecret(scheme, secret, '/auth/scheme');
  if (fieldError)
    throw getRejection([
      {
        ...fieldError,
        detail: `the secret of this scheme ${fieldError.detail}: rotate to a matching secret first`,
      },
    ]);
  return { scheme, scheme_options: options };
}

function getSettings(body: UpdatePublishingEndpointBody): store.EndpointChange {
  const rate = body.rate_limit === undefined ? undefined : getRateLimit(body.rate_limit);
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
    ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
    ...(body.success_status === undefined ? {} : { success_status: body.success_status }),
    ...(rate === undefined
      ? {}
      : { rate_limit_per_minute: rate?.limit ?? null, rate_limit_burst: rate?.burst ?? null }),
  };
}

/**
 * Updates an endpoint with a validated body; omitted fields keep their values. A changed definition creates a new
 * revision.
 * @throws Problem not_found, precondition_failed, insufficient_scope, invalid_request, unprocessable, …
 */
export async function updateEndpoint(
  unit: Unit,
  deps: PublishingEndpointDeps,
  actor: WorkspaceActor,
  id: string,
  body: UpdatePublishingEndpointBody,
  ifMatch: IfMatch,
): Promise<WithVersion<{ endpoint: PublishingEndpointObject }>> {
  const { workspaceId } = actor;
  const row = await lockEndpoint(unit, workspaceId, id);
  assertMatches(ifMatch, row, 'publishing endpoint');
  const definition = toDefinition(body, row.definition);
  // Disabling needs no scope beyond updating endpoints.
  const onlyDisables = body.enabled === false && Object.keys(body).length === 1;
  if (!onlyDisables) assertMayPublish(actor, definition);
  if (!isDeepStrictEqual(definition.destinations, row.definition.destinations))
    await assertDestinations(unit, deps, workspaceId, definition.destinations);
  return change(unit, deps, row, {
    ...getSettings(body),
    ...(body.auth ? authChange(deps, row, body.auth) : {}),
    ...(isSameDefinition(definition, row.definition)
      ? {}
      : { definition, instance_ids: instanceUuids(definition) }),
  });
}

/** Disables an endpoint; no effect if it is already disabled or deleted. */
export async function disableEndpoint(
  unit: Unit,
  deps: Pick<PublishingEndpointDeps, 'baseUrl'>,
  workspaceId: string,
  id: string,
): Promise<void> {
  const row = await store.lockEndpoint(unit.db, workspaceId, id);
  if (row?.enabled) await change(unit, deps, row, { enabled: false });
}

/** Returns when the previous credential expires; null for immediately. */
const overlapUntil = (now: Date, seconds: number): Date | null =>
  seconds === 0 ? null : new Date(now.getTime() + seconds * 1_000);

interface Rotation {
  changes: store.EndpointChange;
  shown: Partial<ShownOnce>;
}

async function rotateAddress(
  unit: Unit,
  { baseUrl }: PublishingEndpointDeps,
  row: store.EndpointRow,
  until: Date | null,
): Promise<Rotation> {
  const now = unit.clock();
  const token = generateToken();
  await endTokens(unit.db, row.workspace_id, row.id, until ?? now, now);
  await insertToken(unit.db, row.workspace_id, row.id, hashToken(token));
  return {
    changes: { token_last4: getLast4(token), previous_secret_until: until },
    shown: { url: inUrl(baseUrl, token) },
  };
}

/**
 * Rotates the secret.
 * @returns null if the given secret is already the current one: a retry must not displace the previous one
 */
function rotateSecret(
  { secrets }: PublishingEndpointDeps,
  row: store.EndpointRow,
  scheme: Scheme,
  own: string | undefined,
  until: Date | null,
): Rotation | null {
  const fieldError = own === undefined ? null : validateSecret(scheme, own, '/secret');
  if (fieldError) throw invalid([fieldError]);
  if (own !== undefined && own === openEndpointSecret(secrets, row, row.secret_sealed!)) return null;
  const secret = own ?? generateEndpointSecret(scheme);
  return {
    changes: {
      secret_sealed: sealEndpointSecret(secrets, row, secret),
      previous_secret_sealed: until && row.secret_sealed,
      previous_secret_until: until,
    },
    shown: { secret: own === undefined ? secret : null },
  };
}

/**
 * Rotates the secret or the secret URL. The previous one stays valid for the overlap; one that is already in its
 * overlap expires immediately.
 * @throws Problem not_found, conflict, insufficient_scope, invalid_request
 */
export async function rotateEndpoint(
  unit: Unit,
  deps: PublishingEndpointDeps,
  actor: WorkspaceActor,
  id: string,
  body: RotatePublishingEndpointBody,
): Promise<WithVersion<{ endpoint: PublishingEndpointObject }> & ShownOnce> {
  const row = await lockEndpoint(unit, actor.workspaceId, id);
  assertMayPublish(actor, row.definition);
  if (row.auth_type === 'bearer')
    throw new Problem('conflict', 'This endpoint authenticates with API keys. Rotate the API key instead.');
  if (row.auth_type === 'secret_url' && body.secret !== undefined)
    throw invalid([
      {
        pointer: '/secret',
        code: 'unexpected',
        detail: 'is not allowed: Fairlead always generates the secret URL',
      },
    ]);
  const until = overlapUntil(unit.clock(), body.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS);
  const rotation =
    row.scheme === null
      ? await rotateAddress(unit, deps, row, until)
      : rotateSecret(deps, row, row.scheme, body.secret, until);
  const after = rotation
    ? await change(unit, deps, row, rotation.changes)
    : withVersion(deps, row, unit.clock());
  return { ...after, url: after.endpoint.url, secret: null, ...rotation?.shown };
}

/**
 * Deletes an endpoint: its URLs stop working immediately, and pending publications are canceled.
 * @throws Problem not_found, precondition_failed
 */
export async function deleteEndpoint(
  unit: Unit,
  deps: PublishingEndpointDeps,
  workspaceId: string,
  id: string,
  ifMatch: IfMatch,
): Promise<{ name: string; id: string }> {
  const row = await lockEndpoint(unit, workspaceId, id);
  assertMatches(ifMatch, row, 'publishing endpoint');
  await deps.endpointDeleted(unit, workspaceId, id);
  await store.deleteEndpoint(unit.db, workspaceId, id);
  const endpoint = presentEndpoint(deps.baseUrl, row, unit.clock());
  await writeEndpointEvent(unit, workspaceId, 'publishing_endpoint.deleted', endpoint);
  return { name: row.name, id: publicId('publishing_endpoint', id) };
}
